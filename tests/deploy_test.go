package tests

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/testproc"
	"croupier/league"
	"croupier/settings"
)

const deployDir = "../deploy"

// composeFile is what the tests look at in deploy/compose.yaml.
type composeFile struct {
	Services map[string]*composeService
	Volumes  map[string]any
	Secrets  map[string]struct{ File string }
}

type composeService struct {
	Image           string
	Entrypoint      []string
	Command         []string
	Environment     map[string]string
	Secrets         []secretUse
	Networks        map[string]struct{ Aliases []string }
	Profiles        []string
	Deploy          struct{ Replicas string }
	Volumes         []string
	Ports           []string
	Restart         string
	MemLimit        string `yaml:"mem_limit"`
	StopGracePeriod string `yaml:"stop_grace_period"`
	ReadOnly        bool   `yaml:"read_only"`
	Healthcheck     *struct{ Test []string }
}

// secretUse is the name of a secret, alone or as the source of a file that a service sees.
type secretUse struct{ Source string }

func (s *secretUse) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&s.Source)
	}
	type long secretUse
	return node.Decode((*long)(s))
}

func readCompose(t *testing.T) *composeFile {
	doc, err := os.ReadFile(filepath.Join(deployDir, "compose.yaml"))
	require.NoError(t, err)
	c := &composeFile{}
	require.NoError(t, yaml.Unmarshal(doc, c))
	return c
}

// readEnv reads a file of lines NAME=VALUE.
func readEnv(t *testing.T, path string) map[string]string {
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	return parseEnv(t, doc)
}

func parseEnv(t *testing.T, doc []byte) map[string]string {
	env := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(doc)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		require.True(t, ok, "no NAME=VALUE: %s", line)
		env[name] = value
	}
	return env
}

// newSet makes a credential set for the run evening in a folder.
func newSet(t *testing.T, folder string, actors int) {
	t.Helper()
	out, err := testproc.CombinedOutput(exec.Command(croupier(t), "broker", "credentials", "create", folder, "--run",
		"evening", "--actors", fmt.Sprint(actors)))
	require.NoError(t, err, "%s", out)
}

// commandExists requires that the program understands a command line: it has the command with all its flags, and takes
// their values. It does nothing but print help. (That the processes then work together is seen at night, by those that
// start them.)
func commandExists(t *testing.T, words []string) {
	t.Helper()
	out, err := testproc.CombinedOutput(exec.Command(croupier(t), append(slices.Clone(words), "--help")...))
	require.NoError(t, err, "%v: %s", words, out)
	require.Contains(t, string(out), "croupier "+words[0]+" ", "%v", words)
}

// composeVariable is ${NAME}, ${NAME:-default} or ${NAME:?message}.
var composeVariable = regexp.MustCompile(`\$\{(\w+)(?::([-?])([^}]*))?\}`)

// interpolate puts the values of variables in, as compose does.
func interpolate(t testing.TB, text string, env map[string]string) string {
	return composeVariable.ReplaceAllStringFunc(text, func(v string) string {
		parts := composeVariable.FindStringSubmatch(v)
		value := env[parts[1]]
		switch {
		case value == "" && parts[2] == "-":
			value = parts[3]
		case value == "" && parts[2] == "?":
			require.Fail(t, parts[3], parts[1])
		}
		return value
	})
}

// ours reports whether the service runs this program.
func (s *composeService) ours() bool { return s.Image == "${IMAGE:-croupier}" }

// TestComposeFile checks what can be seen without an engine: TestContainers starts it.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	doc, err := os.ReadFile(filepath.Join(deployDir, "compose.yaml"))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, v := range composeVariable.FindAllStringSubmatch(string(doc), -1) {
		used[v[1]] = true
	}
	example := readEnv(t, filepath.Join(deployDir, ".env.example"))
	used["COMPOSE_PROJECT_NAME"], used["COMPOSE_PROFILES"] = true, true // for compose itself
	require.Equal(t, slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(example)),
		"variables of compose.yaml and .env.example")
	keys := map[string]int{}
	writers := map[string][]string{} // the services that write a volume
	for name, s := range c.Services {
		require.NotEmpty(t, s.Restart, name)
		require.NotEmpty(t, s.MemLimit, name)
		if s.ours() {
			requireBelow(t, s.Environment["GOMEMLIMIT"], s.MemLimit)
		}
		require.Equal(t, s.ours(), s.Healthcheck == nil, "%s: our image checks its own health", name)
		if s.ours() {
			require.NotEmpty(t, s.StopGracePeriod, name)
			require.True(t, s.ReadOnly, name)
			var words []string
			for _, word := range slices.Concat(s.Entrypoint, s.Command) {
				words = append(words, interpolate(t, word, example))
			}
			commandExists(t, strings.Fields(strings.TrimPrefix(strings.Join(words, " "), "croupier ")))
		}
		for _, p := range s.Ports {
			require.True(t, strings.HasPrefix(interpolate(t, p, example), "127.0.0.1:"), "%s publishes %s", name, p)
		}
		for _, v := range s.Volumes {
			source, target, _ := strings.Cut(v, ":")
			if strings.HasPrefix(source, ".") {
				require.True(t, strings.HasSuffix(target, ":ro"), "%s: %s", name, v)
				if source != "./brokers" { // README.md makes it
					_, err := os.Stat(filepath.Join(deployDir, source))
					require.NoError(t, err, name)
				}
				continue
			}
			require.Contains(t, c.Volumes, source, name)
			if !strings.HasSuffix(target, ":ro") {
				writers[source] = append(writers[source], name)
			}
		}
		for _, secret := range s.Secrets {
			require.Contains(t, c.Secrets, secret.Source, name)
			if name != "hunter" { // it has the main learner's
				keys[secret.Source]++
			}
		}
	}
	for volume, names := range writers {
		actor := slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "actor-") })
		require.True(t, !actor || len(names) == 1, "%v write the volume %s", names, volume)
	}
	for key := range c.Secrets {
		require.Equal(t, 1, keys[key], "the key %s belongs to one service", key)
	}
	hunter, learner := c.Services["hunter"], c.Services["learner"]
	require.Equal(t, []string{"exploiter"}, hunter.Profiles, "it is off unless asked for")
	require.Equal(t, learner.Secrets, hunter.Secrets)
	require.Contains(t, learner.Volumes, hunter.Volumes[0])
	require.Equal(t, learner.Command[3:], hunter.Command[2:], "all but game and agents")
	peer := c.Services["peer"]
	require.Equal(t, []string{"peers"}, peer.Profiles, "they are off unless asked for")
	require.Equal(t, "2", interpolate(t, peer.Deploy.Replicas, example))
	require.Empty(t, peer.Volumes, "they keep nothing")
	require.Empty(t, peer.Ports, "there are several on a machine")
	config, err := settings.Default(standard.Games, "bank")
	require.NoError(t, err)
	require.NoError(t, (&settings.Changes{League: filepath.Join(deployDir, "league.yaml")}).Apply(t.Context(), config))
	for _, agent := range config.League.Agents {
		if agent.Role != league.Main {
			require.Contains(t, c.Services[agent.Name].Command, "--agent="+agent.Name)
		}
	}
	// The files that Grafana and Prometheus are set to read are mounted there.
	dashboards := "../dashboards:/etc/croupier/dashboards:ro"
	require.Contains(t, c.Services["grafana"].Volumes, dashboards)
	require.Contains(t, c.Services["prometheus"].Volumes, dashboards)
	require.FileExists(t, filepath.Join("../dashboards", filepath.Base(
		c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])))
}

// requireBelow requires that the program's own limit of memory is between four fifths of the container's and the whole.
func requireBelow(t *testing.T, own, container string) {
	t.Helper()
	mebibytes := func(text, unit string) (n int) {
		_, err := fmt.Sscanf(text, "%d"+unit, &n)
		require.NoError(t, err, text)
		return n
	}
	limit := 1024 * mebibytes(container, "g")
	soft := mebibytes(own, "MiB")
	require.Less(t, soft, limit)
	require.Greater(t, 5*soft, 4*limit)
}

// TestProvisioning reads the files that Grafana and Prometheus are started with.
func TestProvisioning(t *testing.T) {
	out, err := testproc.CombinedOutput(exec.Command(needs(t, "promtool"), "check", "config", prometheusConfig))
	require.NoError(t, err, "%s", out)

	var prometheus struct {
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
			DNSConfigs    []struct {
				Names []string
				Port  int
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, prometheusConfig, &prometheus)
	var scraped []string
	for _, s := range prometheus.ScrapeConfigs[0].StaticConfigs {
		scraped = append(scraped, s.Targets...)
	}
	for _, s := range prometheus.ScrapeConfigs[0].DNSConfigs {
		for _, name := range s.Names {
			scraped = append(scraped, fmt.Sprintf("%s:%d", name, s.Port))
		}
	}
	var want []string
	for name, s := range readCompose(t).Services {
		if aliases := s.Networks["default"].Aliases; len(aliases) > 0 {
			name = aliases[0]
		}
		if target := name + ":9400"; s.ours() && !slices.Contains(want, target) {
			want = append(want, target)
		}
	}
	require.ElementsMatch(t, want, scraped, "services of compose.yaml and targets of prometheus.yml")

	grafana := filepath.Join(deployDir, "grafana/provisioning")
	var sources struct {
		Datasources []struct{ Name, Type, URL string }
	}
	readYAML(t, filepath.Join(grafana, "datasources/prometheus.yml"), &sources)
	require.Len(t, sources.Datasources, 1)
	require.Equal(t, "http://prometheus:9090", sources.Datasources[0].URL)
	var providers struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	readYAML(t, filepath.Join(grafana, "dashboards/croupier.yml"), &providers)
	require.Len(t, providers.Providers, 1)
	require.Equal(t, "/etc/croupier/dashboards", providers.Providers[0].Options.Path)
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(doc, into), path)
}
