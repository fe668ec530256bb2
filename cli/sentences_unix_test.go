//go:build unix

package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/testproc"
	"croupier/learner"
	"croupier/messages"
)

// A training whose reader goes after a line, as in train | head -1, ends when it is done and saves.
func TestTrainOutlivesItsReader(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "night")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], trainArgs("kuhn", "--games", "3000", "--run", dir, "--rate", "1s", "--listen",
		"off")...)
	cmd.Stdout = write
	require.NoError(t, testproc.Start(cmd))
	require.NoError(t, write.Close())
	_, err = bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, read.Close())
	require.NoError(t, cmd.Wait())
	session, err := rundir.ReadSession(dir)
	require.NoError(t, err)
	require.Equal(t, rundir.Ended, rundir.StateOf(dir, session, messages.LearnerRole))
	totals, err := learner.ReadTotals(dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, totals.Games, uint64(3000))
}

// A program that has few files left says so, and nothing that is not so.
func TestTheTrueReasonComesFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fresh")
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -n 20; exec "$@"`, "sh", os.Args[0]},
		trainArgs("kuhn", "--games", "100", "--run", dir, "--listen", "off")...)...)
	out, err := testproc.CombinedOutput(cmd)
	require.Error(t, err)
	require.NotContains(t, string(out), "has checkpoints", "in a fresh directory")
	require.Contains(t, string(out), syscall.EMFILE.Error())
}

// A command that cannot write all its files, as on a full disk, says so and leaves none, nor the folder for them.
func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	game := filepath.Join(t.TempDir(), "kept")
	for name, args := range map[string][]string{
		"new":    {"games", "new", "made"},
		"deep":   {"games", "new", "made", "--lang", "go"},
		"keys":   {"broker", "credentials", "create", "made/keys", "--run", "evening", "--actors", "40"},
		"manual": {"help", "--man", "made/man"},
		"games":  {"games", "add", kitFile(t, "kits/c/tic-tac-toe.wasm")},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 1; exec "$@"`, "sh", os.Args[0]}, args...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "CROUPIER_GAMES="+game)
			out, err := testproc.CombinedOutput(cmd)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 1, exit.ExitCode(), "%s", out)
			require.Contains(t, string(out), syscall.EFBIG.Error())
			require.NotContains(t, string(out), "--help")
			require.NoDirExists(t, filepath.Join(cmd.Dir, "made"))
			require.NoDirExists(t, game)
		})
	}
}
