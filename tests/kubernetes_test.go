package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

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

// exploiter is the component that deploy/README.md adds to an overlay.
const exploiter = "../../exploiter"

// validate checks manifests with the published schemas. Unknown fields are errors.
func validate(t *testing.T, doc []byte) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	require.NoError(t, os.WriteFile(file, doc, 0o600))
	check := exec.Command(needs(t, "python3"), "-m", "kubernetes_validate", "--strict", "-k", kubernetesVersion, file)
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

// TestKubernetes checks every overlay, without and with an exploiter, with the published schemas, and what no schema
// says: that names meet, and that nothing runs with more rights than it needs.
func TestKubernetes(t *testing.T) {
	for overlay, actors := range map[string]int{"small": 4, "large": 200} {
		doc, _ := manifests(t, overlay, actors)
		have := checkManifests(t, doc)
		require.NotContains(t, have, "Deployment hunter")
		for _, mistake := range []struct{ right, wrong string }{
			{"readOnlyRootFilesystem", "readOnlyRootFileSystem"},      // an unknown field
			{"minReplicas: ", "minReplicas: two #"},                   // a wrong type
			{"        - name: POD_NAME", "        - value: POD_NAME"}, // a missing field
		} {
			require.Contains(t, string(doc), mistake.right)
			said, err := validate(t, bytes.Replace(doc, []byte(mistake.right), []byte(mistake.wrong), 1))
			require.Error(t, err, "%s is not noticed: %s", mistake.wrong, said)
		}
		doc, _ = manifests(t, overlay, actors, exploiter)
		have = checkManifests(t, doc)
		require.Contains(t, have, "Deployment hunter")
		require.Contains(t, have["Deployment learner"].Spec.Template.Spec.Containers[0].Args, "--league=/etc/croupier/league.yaml")
	}
}

// checkManifests checks what an overlay makes and returns its objects by kind and name.
func checkManifests(t *testing.T, doc []byte) map[string]*object {
	t.Helper()
	said, err := validate(t, doc)
	require.NoError(t, err, said)
	objects := readObjects(t, doc)
	have := map[string]*object{}
	for _, o := range objects {
		have[o.Kind+" "+o.Metadata.Name] = o
		require.Equal(t, o.Kind != "Namespace", o.Metadata.Namespace == "croupier", o.Metadata.Name)
	}
	for _, o := range objects {
		if len(o.Spec.Template.Spec.Containers) > 0 {
			checkPod(t, o, have)
		}
	}
	for name, o := range have {
		// One learner of an agent, one league; more would be refused.
		if o.Kind == "Deployment" && o.Metadata.Name != "web" {
			require.Equal(t, 1, *o.Spec.Replicas, name)
			require.Equal(t, "Recreate", o.Spec.Strategy.Type, name)
		}
	}
	require.Equal(t, 3, *have["StatefulSet broker"].Spec.Replicas)
	scaler := have["HorizontalPodAutoscaler actor"].Spec
	require.Equal(t, "StatefulSet actor", scaler.ScaleTargetRef.Kind+" "+scaler.ScaleTargetRef.Name)
	require.Nil(t, have["StatefulSet actor"].Spec.Replicas, "the autoscaler's number would be set back")
	require.Equal(t, 1, have["StatefulSet actor"].Spec.Ordinals.Start)
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

// TestKubernetesRuns starts the processes of all pods, an exploiter's too, with their own command lines, but on loopback
// and in folders of the test: three brokers, two actors, and a replica of everything else.
func TestKubernetesRuns(t *testing.T) {
	doc, overlay := manifests(t, "small", 4, exploiter)
	keys := filepath.Join(overlay, "credentials")
	net, dir := &loopback{t, map[string]string{}}, t.TempDir()
	env := map[string]string{}
	d := &deployment{t: t, roles: map[string]*role{}}
	objects := readObjects(t, doc)
	for _, o := range objects {
		if o.Kind == "ConfigMap" && o.Data["RUN"] != "" {
			env = o.Data
		}
	}
	env["GAME"] = "kuhn"
	expand := func(text string) string {
		return podVariable.ReplaceAllStringFunc(text, func(v string) string {
			require.Contains(t, env, v[2:len(v)-1], text)
			return env[v[2:len(v)-1]]
		})
	}
	pods := map[string][]string{"broker": {"broker-0", "broker-1", "broker-2"}, "actor": {"actor-1", "actor-2"}}
	for _, o := range objects {
		if len(o.Spec.Template.Spec.Containers) == 0 {
			continue
		}
		names, c := pods[o.Metadata.Name], o.Spec.Template.Spec.Containers[0]
		if names == nil {
			names = []string{o.Metadata.Name}
		}
		for _, name := range names {
			env["POD_NAME"] = name
			league := filepath.Join(overlay, exploiter, "league.yaml")
			mounts := []string{"/etc/croupier/league.yaml", league, "/runs/", filepath.Join(dir, name) + "/", "/data", filepath.Join(dir, name)}
			for _, m := range c.VolumeMounts {
				mounts = append(mounts, m.MountPath, filepath.Join(keys, expand(m.SubPathExpr)))
			}
			local, words := strings.NewReplacer(mounts...), slices.Clone(c.Args)
			for i, word := range words {
				words[i] = podAddress.ReplaceAllStringFunc(local.Replace(expand(word)), func(address string) string {
					return net.address(strings.Replace(strings.Replace(address, ".broker:", ":", 1), "0.0.0.0", name, 1))
				})
			}
			d.start(name, words, net.address(name+":9400"))
		}
	}
	d.works()
	d.reaches("hunter", "croupier_learner_version", 3)
	for _, broker := range pods["broker"] {
		d.reaches(broker, "croupier_broker_routes", 1)
	}
	d.stop()
}

// podAddress is an address in an argument.
var podAddress = regexp.MustCompile(`([a-z0-9.-]+):(\d+)`)

// The rule by which actors are counted up and down is one that Prometheus understands.
func TestAutoscalingRule(t *testing.T) {
	var adapter struct {
		Rules struct {
			Custom []struct {
				SeriesQuery  string `yaml:"seriesQuery"`
				MetricsQuery string `yaml:"metricsQuery"`
				Name         struct{ As string }
			}
		}
	}
	readYAML(t, filepath.Join(deployDir, "kubernetes/prometheus-adapter.yaml"), &adapter)
	rule := adapter.Rules.Custom[0]
	doc, _ := manifests(t, "small", 4)
	require.Contains(t, string(doc), "name: "+rule.Name.As)
	series, _, _ := strings.Cut(rule.SeriesQuery, "{")
	page, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	require.Contains(t, string(page), "`"+series+"`")
	query := strings.NewReplacer("<<.Series>>", series, "<<.LabelMatchers>>", `pod="actor-1"`, "<<.GroupBy>>", "pod").Replace(rule.MetricsQuery)
	doc, err = yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "autoscaling", "rules": []any{
		map[string]string{"record": "wanted", "expr": query}}}}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, doc, 0o644))
	out, err := testproc.CombinedOutput(exec.Command(needs(t, "promtool"), "check", "rules", file))
	require.NoError(t, err, "%s", out)
}
