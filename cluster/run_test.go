package cluster

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/messages"
)

// Of processes that begin a run in the same new directory at the same time, one has it, and the others take nothing
// from it.
func TestOneOfManyBeginsARun(t *testing.T) {
	for range 5 {
		dir := filepath.Join(t.TempDir(), "runs", "kuhn")
		plans := make([]*Plan, 4)
		for i := range plans {
			plan, err := Run{Catalog: standard.Games, Dir: dir, Game: "kuhn"}.Plan(t.Context())
			require.NoError(t, err)
			plans[i] = plan
		}
		claims := make(chan *rundir.Claim, len(plans))
		var all sync.WaitGroup
		for _, plan := range plans {
			all.Go(func() {
				claim, err := plan.claim(messages.LearnerRole, messages.LeagueRole)
				if err == nil {
					claims <- claim
				}
			})
		}
		all.Wait()
		require.Len(t, claims, 1)
		_, err := rundir.ReadInfo(dir)
		require.NoError(t, err)
		(<-claims).Abandon()
		require.NoError(t, rundir.CheckFree(dir), "it did not begin")
	}
}

// A run that continues has no temporary files of the process that was killed.
func TestResumedRunIsSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "kuhn")
	plan, err := Run{Catalog: standard.Games, Dir: dir, Game: "kuhn"}.Plan(t.Context())
	require.NoError(t, err)
	claim, err := plan.claim(messages.LearnerRole, messages.LeagueRole)
	require.NoError(t, err)
	claim.Release()
	left := filepath.Join(dir, ".session.json.123.tmp")
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	plan, err = Run{Catalog: standard.Games, Dir: dir, Resume: true}.Plan(t.Context())
	require.NoError(t, err)
	claim, err = plan.claim(messages.LearnerRole, messages.LeagueRole)
	require.NoError(t, err)
	defer claim.Release()
	require.NoFileExists(t, left)
}
