//go:build nightly || long

package tests

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// TestKubernetesRuns starts the processes of all pods, an exploiter's too, with their own command lines, but on
// loopback and in folders of the test: three brokers, two actors, and a replica of everything else.
func TestKubernetesRuns(t *testing.T) {
	doc, overlay := manifests(t, "small", 4, exploiter)
	keys := filepath.Join(overlay, "credentials")
	ownCertificate(t, keys)
	net, dir := &loopback{t, map[string]string{}}, t.TempDir()
	d := &deployment{t: t, roles: map[string]*role{}}
	objects := readObjects(t, doc)
	env := podVariables(objects)
	env["GAME"] = "kuhn"
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
			mounts := []string{"/etc/croupier/league.yaml", league, "/runs/", filepath.Join(dir, name) + "/", "/data",
				filepath.Join(dir, name)}
			for _, m := range c.VolumeMounts {
				mounts = append(mounts, m.MountPath, filepath.Join(keys, expandPod(t, m.SubPathExpr, env)))
			}
			local, words := strings.NewReplacer(mounts...), slices.Clone(c.Args)
			for i, word := range words {
				words[i] = podAddress.ReplaceAllStringFunc(local.Replace(expandPod(t, word, env)), func(address string) string {
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

// ownCertificate puts a certificate for loopback in the place of the one for the brokers' pods.
func ownCertificate(t *testing.T, keys string) {
	t.Helper()
	out, err := testproc.CombinedOutput(exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=brokers", "-addext", "subjectAltName=IP:127.0.0.1",
		"-keyout", filepath.Join(keys, "cluster.key"), "-out", filepath.Join(keys, "cluster.pem")))
	require.NoError(t, err, "%s", out)
}

// podAddress is an address in an argument.
var podAddress = regexp.MustCompile(`([a-z0-9.-]+):(\d+)`)
