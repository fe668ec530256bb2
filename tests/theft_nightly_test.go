//go:build nightly || long

package tests

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// stealFor is how long results are counted.
const stealFor = time.Minute

// One actor's key that takes every match and brings no result leaves the others at least four fifths of their results.
func TestAThiefOfMatchesLeavesTheOthersTheirResults(t *testing.T) {
	g := &guarded{cluster: newCluster(t, "evening"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("broker", "credentials", "create", g.set, "--run", g.run, "--actors", "2")
	startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"))
	set := []string{"kuhn", "--set", "league.precision=0.001", "--set", "league.max_sets=8000000", "--set",
		"league.match_sets=100"}
	g.with("learner", "learner", append(set, quick[2:]...)...)
	g.with("league", "league")
	g.with("actor-1", "actor", "--actors", "1")
	for _, key := range []string{"learner", "actor-1"} {
		g.roles[key].hurry()
	}
	results := func() float64 {
		g.reaches("league", "croupier_league_results_total", 100, "outcome", "applied")
		before := g.roles["league"].value("croupier_league_results_total", "outcome", "applied")
		time.Sleep(stealFor)
		return g.roles["league"].value("croupier_league_results_total", "outcome", "applied") - before
	}
	first := results()
	stop := steal(t, connect(t, g.cluster, g.seed("actor-2")))
	robbed := results()
	stolen := stop()
	last := results()
	t.Logf("results in %v: %.0f alone, %.0f next to a thief of %d matches, %.0f alone again", stealFor, first, robbed,
		stolen, last)
	require.GreaterOrEqual(t, robbed, 0.8*min(first, last))
	g.roles["league"].says("actor=actor-2")
	require.NotContains(t, g.roles["league"].output(), "gets fewer\" actor=actor-1")
}

// steal takes all matches that an actor's key can get, and brings none, until stop, which returns how many these were.
// The actor says that it is there.
func steal(t *testing.T, b bus.Bus) (stop func() (matches int)) {
	ctx, cancel := context.WithCancel(t.Context())
	count := make(chan int, 1)
	queue, err := b.Consume(ctx, bus.Matches, messages.ArenaConsumer, "")
	require.NoError(t, err)
	go func() {
		matches, said := 0, time.Time{}
		for ctx.Err() == nil {
			if time.Since(said) > time.Second {
				_, _ = b.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, "actor-2"), []byte("here"))
				said = time.Now()
			}
			got, _ := queue.Fetch(ctx, 32, time.Second)
			for _, m := range got {
				if m.Ack(ctx) == nil {
					matches++
				}
			}
		}
		count <- matches
	}()
	return func() int {
		cancel()
		return <-count
	}
}
