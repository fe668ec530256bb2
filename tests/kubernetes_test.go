package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/nightly"
	"croupier/internal/testproc"
)

// kubernetesVersion is the release whose published schemas the manifests are checked with.
const kubernetesVersion = "1.34"

// object is what the tests look at in an object of Kubernetes. Schemas check the rest.
type object struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Data     map[string]string
	Spec     struct {
		Replicas    *int
		Strategy    struct{ Type string }
		Ordinals    struct{ Start int }
		MaxReplicas int `yaml:"maxReplicas"`
		Selector    any
		PodSelector struct {
			MatchExpressions []struct {
				Key    string
				Values []string
			} `yaml:"matchExpressions"`
		} `yaml:"podSelector"`
		ScaleTargetRef struct{ Kind, Name string } `yaml:"scaleTargetRef"`
		Template       struct {
			Metadata struct{ Labels map[string]string }
			Spec     pod
		}
		VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
	}
}

type pod struct {
	AutomountServiceAccountToken *bool `yaml:"automountServiceAccountToken"`
	SecurityContext              struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
		RunAsUser    int  `yaml:"runAsUser"`
	} `yaml:"securityContext"`
	Containers []struct {
		Image   string
		Args    []string
		EnvFrom []struct {
			ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
		} `yaml:"envFrom"`
		SecurityContext struct {
			ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
			AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
		ReadinessProbe map[string]any `yaml:"readinessProbe"`
		LivenessProbe  map[string]any `yaml:"livenessProbe"`
		Resources      struct{ Requests, Limits map[string]string }
		VolumeMounts   []struct {
			Name        string
			MountPath   string `yaml:"mountPath"`
			SubPathExpr string `yaml:"subPathExpr"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name   string
		Secret struct {
			SecretName string `yaml:"secretName"`
		}
		ConfigMap             struct{ Name string } `yaml:"configMap"`
		PersistentVolumeClaim struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
}

// fetched returns the path of what tests/needs.sh has fetched.
func fetched(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(".cache", name))
	require.NoError(t, err)
	_, err = os.Stat(path)
	require.NoError(t, err, "run make needs (tests/needs.sh), which fetches it")
	return path
}

// manifests returns what an overlay with these components makes of the keys for a run, as text, and the folder with its
// files.
func manifests(t *testing.T, overlay string, actors int, components ...string) (doc []byte, dir string) {
	t.Helper()
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(filepath.Join(deployDir, "kubernetes"))))
	dir = filepath.Join(copied, "overlays", overlay)
	keys := filepath.Join(dir, "credentials")
	newSet(t, keys, actors)
	if slices.Contains(components, peers) {
		added, err := testproc.CombinedOutput(exec.Command(croupier(t), "broker", "credentials", "add", keys, "peer",
			"--peer"))
		require.NoError(t, err, "%s", added)
	}
	out, err := testproc.CombinedOutput(exec.Command(filepath.Join(copied, "keys.sh"), keys))
	require.NoError(t, err, "%s", out)
	if len(components) > 0 {
		file := filepath.Join(dir, "kustomization.yaml")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		text = fmt.Appendf(text, "components: [%s]\n", strings.Join(components, ", "))
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	doc, err = testproc.Output(exec.Command(fetched(t, "kustomize"), "build", dir))
	require.NoError(t, err)
	return doc, dir
}

// The components that deploy/README.md adds to an overlay.
const (
	exploiter = "../../exploiter"
	peers     = "../../peers"
)

// validate checks manifests with the published schemas, all in one process. Unknown fields are errors.
func validate(t *testing.T, docs ...[]byte) (string, error) {
	t.Helper()
	dir, args := t.TempDir(), []string{"-m", "kubernetes_validate", "--strict", "-k", kubernetesVersion}
	for i, doc := range docs {
		file := filepath.Join(dir, fmt.Sprintf("manifests%d.yaml", i+1))
		require.NoError(t, os.WriteFile(file, doc, 0o600))
		args = append(args, file)
	}
	check := exec.Command(needs(t, "python3"), args...)
	check.Env = append(os.Environ(), "PYTHONPATH="+fetched(t, "kubernetes"))
	out, err := testproc.CombinedOutput(check)
	return string(out), err
}

func readObjects(t *testing.T, doc []byte) (all []*object) {
	t.Helper()
	for in := yaml.NewDecoder(bytes.NewReader(doc)); ; {
		o := &object{}
		err := in.Decode(o)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, o)
	}
}

// TestKubernetes checks the overlays, without and with an exploiter, with the published schemas, and what no schema
// says:
// that names meet, that nothing runs with more rights than it needs, and that the program has the commands. Each change
// looks at two of the four: they have every file in them.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	var docs [][]byte
	for _, made := range []struct {
		overlay    string
		actors     int
		components []string
		always     bool
	}{
		{"small", 4, nil, true}, {"small", 4, []string{exploiter}, false},
		{"large", 200, nil, false}, {"large", 200, []string{exploiter, peers}, true},
	} {
		if !made.always && !nightly.On {
			continue
		}
		doc, _ := manifests(t, made.overlay, made.actors, made.components...)
		docs = append(docs, doc)
		have := checkManifests(t, doc)
		if made.components == nil {
			require.NotContains(t, have, "Deployment hunter")
			continue
		}
		require.Contains(t, have, "Deployment hunter")
		require.Equal(t, slices.Contains(made.components, peers), have["Deployment peer"] != nil)
		args := have["Deployment learner"].Spec.Template.Spec.Containers[0].Args
		require.Contains(t, args, "--league=/etc/croupier/league.yaml")
	}
	said, err := validate(t, docs...)
	require.NoError(t, err, said)

	wrong := docs[0]
	for _, mistake := range []struct{ right, wrong string }{
		{"readOnlyRootFilesystem", "readOnlyRootFileSystem"},      // an unknown field
		{"minReplicas: ", "minReplicas: two #"},                   // a wrong type
		{"        - name: POD_NAME", "        - value: POD_NAME"}, // a missing field
	} {
		require.Contains(t, string(wrong), mistake.right)
		wrong = bytes.Replace(wrong, []byte(mistake.right), []byte(mistake.wrong), 1)
	}
	said, err = validate(t, wrong)
	require.Error(t, err)
	for _, complaint := range []string{"readOnlyRootFileSystem", "'two' is not of type", "'name' is a required property"} {
		require.Contains(t, said, complaint)
	}
}

// checkManifests checks what an overlay makes and returns its objects by kind and name.
func checkManifests(t *testing.T, doc []byte) map[string]*object {
	t.Helper()
	objects := readObjects(t, doc)
	have := map[string]*object{}
	for _, o := range objects {
		have[o.Kind+" "+o.Metadata.Name] = o
		require.Equal(t, o.Kind != "Namespace", o.Metadata.Namespace == "croupier", o.Metadata.Name)
	}
	env := podVariables(objects)
	env["POD_NAME"] = "one"
	for _, o := range objects {
		if len(o.Spec.Template.Spec.Containers) > 0 {
			checkPod(t, o, have)
			var words []string
			for _, word := range o.Spec.Template.Spec.Containers[0].Args {
				words = append(words, expandPod(t, word, env))
			}
			commandExists(t, words)
		}
	}
	for name, o := range have {
		// One leader of an agent, one league; more would be refused.
		if o.Kind == "Deployment" && o.Metadata.Name != "web" && o.Metadata.Name != "peer" {
			require.Equal(t, 1, *o.Spec.Replicas, name)
			require.Equal(t, "Recreate", o.Spec.Strategy.Type, name)
		}
	}
	require.Equal(t, 3, *have["StatefulSet broker"].Spec.Replicas)
	scaler := have["HorizontalPodAutoscaler actor"].Spec
	require.Equal(t, "StatefulSet actor", scaler.ScaleTargetRef.Kind+" "+scaler.ScaleTargetRef.Name)
	require.Nil(t, have["StatefulSet actor"].Spec.Replicas, "the autoscaler's number would be set back")
	require.Equal(t, 1, have["StatefulSet actor"].Spec.Ordinals.Start)
	if peer := have["Deployment peer"]; peer != nil {
		require.Nil(t, peer.Spec.Replicas, "the autoscaler's number would be set back")
		scaler := have["HorizontalPodAutoscaler peer"].Spec
		require.Equal(t, "Deployment peer", scaler.ScaleTargetRef.Kind+" "+scaler.ScaleTargetRef.Name)
		require.Equal(t, 7, scaler.MaxReplicas)
	}
	require.Len(t, have["Secret actors"].Data, scaler.MaxReplicas, "keys of actors, as many as deploy/README.md makes")
	require.Contains(t, have["Secret actors"].Data, fmt.Sprintf("actor-%d.seed", scaler.MaxReplicas))
	for _, role := range []string{"learner", "league", "web"} {
		require.Equal(t, []string{role + ".seed"}, slices.Collect(maps.Keys(have["Secret "+role].Data)))
	}
	for _, name := range []string{"broker", "actor"} {
		require.Contains(t, have, "PodDisruptionBudget "+name)
	}
	return have
}

// checkPod looks at the pod of a Deployment or StatefulSet.
func checkPod(t *testing.T, o *object, have map[string]*object) {
	name, p := o.Metadata.Name, o.Spec.Template.Spec
	require.True(t, p.SecurityContext.RunAsNonRoot, name)
	require.Equal(t, 10001, p.SecurityContext.RunAsUser, name) // the image's
	require.False(t, *p.AutomountServiceAccountToken, name)
	require.Len(t, p.Containers, 1)
	c := p.Containers[0]
	if name != "broker" {
		labels, policy := o.Spec.Template.Metadata.Labels, have["NetworkPolicy roles"].Spec.PodSelector
		require.Contains(t, policy.MatchExpressions[0].Values, labels["role"], "%s does not reach the brokers", name)
	}
	require.True(t, c.SecurityContext.ReadOnlyRootFilesystem, name)
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
	require.Equal(t, []string{"ALL"}, c.SecurityContext.Capabilities.Drop, name)
	require.NotEmpty(t, c.Resources.Requests["memory"], name)
	require.NotEmpty(t, c.Resources.Requests["cpu"], name)
	require.NotEmpty(t, c.ReadinessProbe, name)
	require.NotEmpty(t, c.LivenessProbe, name)
	if probe, asks := c.LivenessProbe["httpGet"].(map[string]any); asks {
		require.Equal(t, "/livez", probe["path"], "%s: one that waits for others, or catches up, is not restarted", name)
	}
	require.NotEmpty(t, c.Resources.Limits["memory"], name)
	for _, from := range c.EnvFrom {
		require.Contains(t, have, "ConfigMap "+from.ConfigMapRef.Name, name)
	}
	var volumes []string
	for _, v := range p.Volumes {
		volumes = append(volumes, v.Name)
		if v.Secret.SecretName != "" {
			require.Contains(t, have, "Secret "+v.Secret.SecretName, name)
		}
		if v.ConfigMap.Name != "" {
			require.Contains(t, have, "ConfigMap "+v.ConfigMap.Name, name)
		}
		if claim := v.PersistentVolumeClaim.ClaimName; claim != "" {
			require.Contains(t, have, "PersistentVolumeClaim "+claim, name)
		}
	}
	for _, claim := range o.Spec.VolumeClaimTemplates {
		volumes = append(volumes, claim.Metadata.Name)
	}
	for _, m := range c.VolumeMounts {
		require.Contains(t, volumes, m.Name, name)
	}
}

// podVariable is $(NAME) in an argument.
var podVariable = regexp.MustCompile(`\$\((\w+)\)`)

// podVariables returns the variables of all pods but POD_NAME.
func podVariables(objects []*object) map[string]string {
	for _, o := range objects {
		if o.Kind == "ConfigMap" && o.Data["RUN"] != "" {
			return o.Data
		}
	}
	return nil
}

// expandPod puts the values of variables into an argument.
func expandPod(t *testing.T, text string, env map[string]string) string {
	return podVariable.ReplaceAllStringFunc(text, func(v string) string {
		require.Contains(t, env, v[2:len(v)-1], text)
		return env[v[2:len(v)-1]]
	})
}

// The rules by which actors and learners are counted up and down, played by promtool on a run in which one of them is
// short.
func TestAutoscalingRules(t *testing.T) {
	t.Parallel()
	type rule struct {
		SeriesQuery  string `yaml:"seriesQuery"`
		MetricsQuery string `yaml:"metricsQuery"`
		Name         struct{ As string }
	}
	var adapter struct {
		Rules struct{ Custom, External []rule }
	}
	readYAML(t, filepath.Join(deployDir, "kubernetes/prometheus-adapter.yaml"), &adapter)
	page, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	const labels = `{namespace="croupier",pod="one",agent="main"}`
	var tests []any
	for _, test := range []struct {
		name, manifest string
		rule           rule
		group          string
		series         map[string]string // one value a minute
		wanted         float64
	}{
		{"an actor that pauses every third minute", "base/actors.yaml", adapter.Rules.Custom[0], "pod",
			map[string]string{"croupier_actor_paused": "0 0 0 1 0 0 1 0 0 1 0 0"}, 2. / 3},
		{"learners are short: there are two peers and the learner never waits", "peers/peers.yaml",
			adapter.Rules.External[0], "namespace", map[string]string{
				"croupier_learner_waiting_seconds_total": "5+0x10", "croupier_learner_group_peers": "2+0x10"}, 3/0.9 - 1},
		{"actors are short: there are four peers and the learner waits for half of its time", "peers/peers.yaml",
			adapter.Rules.External[0], "namespace", map[string]string{
				"croupier_learner_waiting_seconds_total": "0+30x10", "croupier_learner_group_peers": "4+0x10"}, 2.5/0.9 - 1},
		{"nothing comes", "peers/peers.yaml", adapter.Rules.External[0], "namespace", map[string]string{
			"croupier_learner_waiting_seconds_total": "0+60x10", "croupier_learner_group_peers": "1+0x10"}, 0},
	} {
		manifest, err := os.ReadFile(filepath.Join(deployDir, "kubernetes", test.manifest))
		require.NoError(t, err)
		require.Contains(t, string(manifest), "name: "+test.rule.Name.As)
		name, _, _ := strings.Cut(test.rule.SeriesQuery, "{")
		query := strings.NewReplacer("<<.Series>>", name, "<<.LabelMatchers>>", `namespace="croupier"`, "<<.GroupBy>>",
			test.group).Replace(test.rule.MetricsQuery)
		var series []any
		for metric, values := range test.series {
			require.Contains(t, string(page), "`"+metric+"`")
			series = append(series, map[string]string{"series": metric + labels, "values": values})
		}
		tests = append(tests, map[string]any{
			"name": test.name, "interval": "1m", "input_series": series,
			"promql_expr_test": []any{map[string]any{
				"expr": fmt.Sprintf("round(%s, 0.001)", query), "eval_time": "8m",
				"exp_samples": []any{map[string]any{"labels": map[string]string{"pod": `{pod="one"}`,
					"namespace": `{namespace="croupier"}`}[test.group], "value": math.Round(1000*test.wanted) / 1000}},
			}},
		})
	}
	doc, err := yaml.Marshal(map[string]any{"tests": tests})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, doc, 0o644))
	out, err := testproc.CombinedOutput(exec.Command(needs(t, "promtool"), "test", "rules", file))
	require.NoError(t, err, "%s", out)
}
