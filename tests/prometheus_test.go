package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/testport"
	"croupier/learner"
)

const (
	dashboardFile    = "../dashboards/croupier.json"
	alertsFile       = "../dashboards/alerts.yml"
	prometheusConfig = "../deploy/prometheus.yml"
)

// prometheus is a running Prometheus.
type prometheusServer struct {
	*process
	url string
}

// startPrometheus starts a Prometheus with the configuration of deploy/, but with the
// given targets and without patience.
func startPrometheus(t *testing.T, roles map[string]*role) *prometheusServer {
	program := needs(t, "prometheus")
	doc, err := os.ReadFile(prometheusConfig)
	require.NoError(t, err)
	var config map[string]any
	require.NoError(t, yaml.Unmarshal(doc, &config))
	config["global"] = map[string]any{"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
	rules, err := filepath.Abs(alertsFile)
	require.NoError(t, err)
	config["rule_files"] = []string{rules}
	job := config["scrape_configs"].([]any)[0].(map[string]any)
	delete(job, "dns_sd_configs")
	var targets []any
	for name, r := range roles {
		targets = append(targets, map[string]any{"targets": []string{r.metrics}, "labels": map[string]string{"role": name}})
	}
	job["static_configs"] = targets
	doc, err = yaml.Marshal(config)
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, doc, 0o644))
	address := testport.Free(t)
	p := &prometheusServer{url: "http://" + address}
	p.process = start(t, "prometheus", program, "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", address, "--log.level", "warn")
	p.await(p.url + "/-/ready")
	return p
}

// get decodes the data of an answer of the HTTP API. An error of Prometheus, like
// that of a query it cannot parse, is returned.
func (p *prometheusServer) get(path string, data any) error {
	resp, err := http.Get(p.url + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Warnings      []string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if answer.Status != "success" || len(answer.Warnings) > 0 {
		return fmt.Errorf("%s: %s %s %q", path, answer.Status, answer.Error, answer.Warnings)
	}
	return json.Unmarshal(answer.Data, data)
}

// query returns how many series the expression has now.
func (p *prometheusServer) query(expression string) (int, error) {
	var data struct{ Result []json.RawMessage }
	err := p.get("/api/v1/query?query="+url.QueryEscape(expression), &data)
	return len(data.Result), err
}

// checkTargets requires that every target is up.
func (p *prometheusServer) checkTargets(t *testing.T, want int) {
	eventually(t, "every target is up", func() error {
		up, err := p.query("up == 1")
		if err == nil && up != want {
			err = fmt.Errorf("%d of %d targets are up", up, want)
		}
		return err
	})
}

// checkDashboard requires that every query of the dashboard has data.
func (p *prometheusServer) checkDashboard(t *testing.T) {
	// One step of the dashboard is some scrapes.
	variables := strings.NewReplacer("$job", "croupier", "$__rate_interval", "5s")
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			eventually(t, panel.Title+": "+target.Expr+" has data", func() error {
				n, err := p.query(variables.Replace(target.Expr))
				if err == nil && n == 0 {
					err = fmt.Errorf("no data")
				}
				return err
			})
			p.checkNames(t, target.Expr)
		}
	}
}

// checkAlerts requires that Prometheus evaluates every rule without an error, and
// that no alert fires in a healthy cluster.
func (p *prometheusServer) checkAlerts(t *testing.T) {
	var data struct {
		Groups []struct {
			Rules []struct{ Name, State, Health, LastError, Query string }
		}
	}
	eventually(t, "every rule is evaluated", func() error {
		if err := p.get("/api/v1/rules", &data); err != nil {
			return err
		}
		for _, g := range data.Groups {
			for _, r := range g.Rules {
				if r.Health != "ok" {
					return fmt.Errorf("%s: %s %s", r.Name, r.Health, r.LastError)
				}
			}
		}
		return nil
	})
	n := 0
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			n++
			require.NotEqual(t, "firing", r.State, r.Name)
			p.checkNames(t, r.Query)
		}
	}
	require.Equal(t, len(readAlerts(t)), n)
}

var metricName = regexp.MustCompile(`\b(croupier|go|process)_[a-z0-9_]+\b`)

// checkNames requires that every metric in the expression exists.
func (p *prometheusServer) checkNames(t *testing.T, expression string) {
	var names []string
	require.NoError(t, p.get("/api/v1/label/__name__/values", &names))
	used := metricName.FindAllString(expression, -1)
	if len(used) == 0 {
		require.Contains(t, expression, "up{", "no metric in the expression")
	}
	for _, name := range used {
		require.True(t, slices.Contains(names, name), "%s does not exist: %s", name, expression)
	}
}

// dashboard is what the tests look at in the file of the dashboard.
type dashboard struct {
	UID        string
	Title      string
	Templating struct {
		List []struct{ Name, Type string }
	}
	Panels []struct {
		ID                       int
		Type, Title, Description string
		Datasource               struct{ Type, UID string }
		GridPos                  struct{ X, Y, W, H int }
		FieldConfig              struct{ Defaults struct{ Unit string } }
		Targets                  []struct {
			RefID, Expr, LegendFormat string
			Datasource                struct{ Type, UID string }
		}
	}
}

func readDashboard(t *testing.T) *dashboard {
	doc, err := os.ReadFile(dashboardFile)
	require.NoError(t, err)
	d := &dashboard{}
	require.NoError(t, json.Unmarshal(doc, d))
	return d
}

// TestDashboard checks what needs no Prometheus: that a reader finds titles, units and
// descriptions, and that Grafana can lay the panels out.
func TestDashboard(t *testing.T) {
	d := readDashboard(t)
	variables := map[string]string{}
	for _, v := range d.Templating.List {
		variables[v.Name] = v.Type
	}
	require.Equal(t, map[string]string{"datasource": "datasource", "job": "query"}, variables)
	ids, taken := map[int]bool{}, map[[2]int]string{}
	row, shown := "", map[string]string{} // the row in which a metric of the learner is shown
	for _, p := range d.Panels {
		require.NotEmpty(t, p.Title)
		require.False(t, ids[p.ID], "%s: its id is in use", p.Title)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Less(t, x, 24, p.Title)
				require.Empty(t, taken[[2]int{x, y}], "%s overlaps", p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			row = p.Title
			continue
		}
		require.NotEmpty(t, p.FieldConfig.Defaults.Unit, p.Title)
		require.True(t, strings.HasSuffix(p.Description, "."), p.Title)
		require.Equal(t, "${datasource}", p.Datasource.UID, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		refs := map[string]bool{}
		for _, target := range p.Targets {
			require.False(t, refs[target.RefID], p.Title)
			refs[target.RefID] = true
			require.Equal(t, "${datasource}", target.Datasource.UID, p.Title)
			require.NotEmpty(t, target.LegendFormat, p.Title)
			require.Contains(t, target.Expr, `job=~"$job"`, p.Title)
			for _, name := range metricName.FindAllString(target.Expr, -1) {
				shown[strings.TrimPrefix(name, "croupier_learner_")] = row
			}
		}
	}
	for _, s := range learner.Series() {
		if s.Metric == "" {
			continue
		}
		require.Contains(t, shown, s.Metric, "the curve %s is not on the dashboard", s.Name)
		if len(s.Algorithms) == 1 {
			require.Equal(t, strings.ToUpper(s.Algorithms[0]), shown[s.Metric], "the row of %s", s.Name)
		}
	}
}
