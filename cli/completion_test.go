package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
)

// completed returns what the shell is offered for the last argument.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	status, stdout, stderr := croupier("", append([]string{"__complete"}, args...)...)
	require.Zero(t, status, stderr)
	offered := strings.Split(strings.TrimSpace(stdout), "\n")
	return offered[:len(offered)-1] // the last is an instruction to the shell
}

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, run := range []string{"evening", "night"} {
		rundirtest.Create(t, filepath.Join("runs", run), rundir.Info{ID: run, Game: "kuhn"})
	}
	versions := filepath.Join("runs", "evening", rundir.VersionFolder)
	require.NoError(t, os.Mkdir(versions, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(versions, "main@3.safetensors"), nil, 0o644))

	require.Contains(t, completed(t, "train", ""), "lange-strasse")
	require.Contains(t, completed(t, "config", ""), "pig")
	require.Equal(t, []string{"runs/evening\tkuhn", "runs/night\tkuhn"}, completed(t, "ladder", "--run", ""))
	require.Contains(t, completed(t, "train", "bank", "--set", ""), "learner.ppo.epochs=")
	require.Equal(t, []string{"ppo", "dqn"}, completed(t, "train", "bank", "--algo", ""))
	ofKuhn := completed(t, "advise", "kuhn", "--run", "runs/evening", "--agent", "")
	require.Contains(t, ofKuhn, "solver:equilibrium")
	require.Contains(t, ofKuhn, "main@3")
	require.NotContains(t, ofKuhn, "leader-chaser", "it plays another game")
	require.Contains(t, completed(t, "arena", "--game", "bank", ""), "leader-chaser")
	require.Empty(t, completed(t, "ladder", ""))
}
