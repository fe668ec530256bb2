package tests

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/league"
)

// A backup that is taken while a run trains, checkpoints and rates is whole; restored next to the run, it continues
// where the run was at that time, with its results, versions and promotions.
func TestBackupOfARunAtWorkIsResumed(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir, file, again := filepath.Join(parent, "run"), filepath.Join(parent, "run.tar"), filepath.Join(parent, "again")
	command := func(name string, args ...string) {
		p := start(t, name, croupier(t), append([]string{name}, args...)...)
		require.Zero(t, p.wait(), p.output())
	}
	p := startTrain(t, dir, "kuhn", "--listen", "off", "--set", "learner.checkpoint_interval=100ms")
	rated := func(dir string) (games uint64) {
		if ladder, err := league.ReadLadder(dir); err == nil {
			for _, a := range ladder.Agents {
				games += a.Games
			}
		}
		return games
	}
	eventually(t, "a promotion and rated games", func() error {
		if _, err := os.Stat(filepath.Join(dir, "promotions.jsonl")); err != nil || rated(dir) == 0 {
			return errors.New("not yet")
		}
		return nil
	})
	least := beyond(t, dir, 20000)
	gamesBefore := rated(dir)
	for range 3 {
		command("runs", "backup", dir, "--out", file, "--force")
		command("runs", "verify", dir)
	}
	most, err := newest(dir) // however far the run got meanwhile
	require.NoError(t, err)
	beyond(t, dir, most.Samples+20000)
	p.interrupt()
	command("runs", "verify", dir)

	command("runs", "restore", file, "--run", again)
	command("runs", "verify", again)
	kept, err := newest(again)
	require.NoError(t, err)
	require.GreaterOrEqual(t, kept.Samples, least.Samples)
	require.LessOrEqual(t, kept.Samples, most.Samples)
	ratedThen := rated(again)
	require.GreaterOrEqual(t, ratedThen, gamesBefore)

	p = startTrain(t, again, "--resume", "--listen", "off", "--log-level", "info")
	beyond(t, again, kept.Samples+20000)
	require.Equal(t, number(kept.Samples), p.resumedFrom())
	eventually(t, "more rated games than in the backup", func() error {
		if games := rated(again); games <= ratedThen {
			return errors.New("not yet")
		}
		return nil
	})
	p.interrupt()
	command("runs", "verify", again)
	require.NotContains(t, p.output(), "level=ERROR")
}
