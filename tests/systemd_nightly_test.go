//go:build nightly || long

package tests

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnitsRun starts the processes of all units with the settings of the example,
// but on loopback and in folders of the test.
func TestUnitsRun(t *testing.T) {
	env := readEnv(t, filepath.Join(deployDir, "systemd/croupier.env"))
	net := &loopback{t, map[string]string{}}
	for name, value := range env {
		env[name] = hostPort.ReplaceAllStringFunc(value, net.address)
	}
	env["CROUPIER_GAME"], env["ACTOR_ARGS"] = "kuhn", "--actors 2"
	agents := filepath.Join(t.TempDir(), "league.yaml")
	require.NoError(t, os.WriteFile(
		agents, []byte("agents: [{name: main, role: main}, {name: hunter, role: main_exploiter}]\n"), 0o600))
	env["LEARNER@_METRICS"] = net.address("127.0.0.1:9405")
	env["LEARNER_ARGS"], env["AGENT_ARGS"] = "--league "+agents, "--metrics "+env["LEARNER@_METRICS"]
	env["STATE_DIRECTORY"], env["CREDENTIALS_DIRECTORY"] = t.TempDir(), t.TempDir()
	etc := filepath.Join(t.TempDir(), "etc")
	newSet(t, etc, 1)
	require.NoError(t, os.Rename(filepath.Join(etc, "actor-1.seed"), filepath.Join(etc, "actor.seed")))
	d := &deployment{t: t, roles: map[string]*role{}}
	units := readUnits(t)
	for _, name := range slices.Sorted(maps.Keys(units)) {
		service := units[name]["Service"]
		if name == "learner@" {
			require.Equal(t, units["learner"]["Service"]["LoadCredential"], service["LoadCredential"])
		} else if name != "broker" {
			credential, path, _ := strings.Cut(service["LoadCredential"][0], ":")
			require.Equal(t, "/etc/croupier/"+name+".seed", path)
			require.NoError(t, os.Rename(strings.Replace(path, "/etc/croupier", etc, 1),
				filepath.Join(env["CREDENTIALS_DIRECTORY"], credential)))
		}
		require.Len(t, service["ExecStart"], 1)
		words := commandLine(t, strings.NewReplacer("/etc/croupier", etc, "%i", "hunter").Replace(service["ExecStart"][0]),
			env)
		require.Equal(t, installed, words[0])
		d.start(name, words[1:], env[strings.ToUpper(name)+"_METRICS"])
	}
	d.works()
	d.reaches("learner@", "croupier_learner_version", 2)
	d.stop()
}
