package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// TestTournamentThroughKills: a tournament of 20 agents that is killed three times has the ladder of
// one that was not.
func TestTournamentThroughKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	agents := filepath.Join(dir, "agents.txt")
	var list bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&list, "hold(%d) # the turn ends with that many points\n", i+5)
	}
	require.NoError(t, os.WriteFile(agents, list.Bytes(), 0o644))
	call := func(out string) *exec.Cmd {
		args := []string{"arena", "--agents", agents, "--game", "pig", "--format", "swiss", "--games", "400", "--json"}
		if out != "" {
			args = append(args, "--out", out)
		}
		return exec.Command(croupier(t), args...)
	}
	want, err := testproc.Output(call(""))
	require.NoError(t, err)

	cup := filepath.Join(dir, "cup")
	results := func() int {
		text, _ := os.ReadFile(filepath.Join(cup, "results.log"))
		return bytes.Count(text, []byte("\n"))
	}
	for kill := range 3 {
		killed := call(cup)
		require.NoError(t, testproc.Start(killed))
		more := results() + 40*(kill+1)
		require.Eventually(t, func() bool { return results() >= more }, time.Minute, time.Millisecond)
		require.NoError(t, killed.Process.Kill())
		require.Error(t, killed.Wait(), "it was at work")
	}
	got, err := testproc.Output(call(cup))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.Equal(t, 7*10*20, results(), "no match was counted twice")
}
