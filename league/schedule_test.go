package league

import (
	"math"
	"slices"
	"strings"
	"testing"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"

	"github.com/stretchr/testify/require"
)

// A match that has no result yet is not asked for again and again, at a new rating either.
func TestDesignCountsWhatIsAskedFor(t *testing.T) {
	config := DefaultConfig()
	config.Aim, config.Outstanding, config.Population = rating.AimGate, 1000, 6
	c := newTestCore(config, 2, false)
	s := &ratingtest.Simulation{Spec: c.Spec, Theta: map[string]float64{"random": -1, "threshold(100)": -0.5}, Luck: 0.3,
		RNG: engine.NewRNG(2, 8)}
	play := func(x, y string) {
		require.NoError(t, c.Apply(s.Play(c.Match(c.Key(x, y), rating.Span{First: 0, End: 100}, 0))))
	}
	play(c.references[0], c.references[1])
	for i := range uint64(6) {
		m := &messages.Member{Name: messages.MemberName("main", i+1), Order: i + 1}
		c.join(m)
		s.Theta[c.player(m)] = 2 * (1 - math.Exp(-float64(i)/6))
		for _, r := range c.references {
			play(c.player(m), r)
		}
	}
	c.promote(&messages.Promotion{Number: 1, Agent: c.player(c.members[4])})
	_, err := c.reconsider()
	require.NoError(t, err)
	wanted := 0
	for ; ; wanted++ {
		k, ok := c.nextUncertain()
		if !ok {
			break
		}
		c.issue(k, 0)
		if wanted%5 == 0 {
			_, err := c.reconsider()
			require.NoError(t, err)
		}
		require.Less(t, wanted, 100)
	}
	require.Greater(t, wanted, 10)
	newest := slices.IndexFunc(c.standing.Ladder.Agents, func(a messages.LadderAgent) bool {
		return a.Name == c.player(c.newest())
	})
	toBest := c.standing.Ladder.Agents[newest].ToBest
	require.Greater(t, (toBest.High-toBest.Low)/2, config.Precision, "without results nothing is more certain")
}

// slowActors play matches that last the same time each, in the order in which they were asked for.
type slowActors struct {
	*world
	workers, length int
	ends            map[string]int // by match, the second in which its result comes
}

// second starts matches on free workers and brings the results that are due.
func (a *slowActors) second(at int) {
	for _, m := range a.queue {
		if len(a.ends) < a.workers && a.ends[m.Id] == 0 {
			a.ends[m.Id] = at + a.length
		}
	}
	for i := 0; i < len(a.queue); {
		id := a.queue[i].Id
		if end := a.ends[id]; end == 0 || end > at {
			i++
			continue
		}
		delete(a.ends, id)
		a.play(i)
	}
	a.tick()
}

// On two workers, to whom a match takes four seconds each, strength moves every ten seconds: the first match of a new
// version does not wait behind all that was asked for before, early versions follow one another, and each match moves
// the newest point.
func TestStrengthMovesEveryTenSeconds(t *testing.T) {
	const length, most = 4, 10
	w := newWorld(t, DefaultConfig(), 3, 3)
	a := &slowActors{world: w, workers: 2, length: length, ends: map[string]int{}}
	w.step(caughtUp{})
	w.step(queueSeen{workers: a.workers})
	moved, points := 0, 0
	w.learn(0)
	for at := 1; at <= 120; at++ {
		if at%2 == 0 {
			w.learn(1)
		}
		a.second(at)
		for ; points < len(w.published); points++ {
			if strings.Contains(seriesOf(w.published[points])[0], "win_share/") {
				moved = at
			}
		}
		require.LessOrEqual(t, at-moved, most, "second %d, %d versions", at, len(w.members))
	}
	require.Greater(t, len(w.members), 3)
	require.LessOrEqual(t, len(w.core.outstanding), a.workers+1)
}

// Matches of references, which may be slow, leave half of the workers to the versions.
func TestReferencesLeaveWorkersToVersions(t *testing.T) {
	w := newWorld(t, DefaultConfig(), 3, 3)
	w.step(caughtUp{})
	w.step(queueSeen{workers: 2})
	w.learn(0)
	grounds := 0
	for range 10 {
		w.tick()
		require.LessOrEqual(t, w.core.grounds(), 1)
		grounds += w.core.grounds()
		w.play(len(w.queue) - 1) // that of the references is slow
	}
	require.Positive(t, grounds)
}

// The first match of a new version waits for as many matches as there are workers, and one.
func TestNewVersionWaitsForFewMatches(t *testing.T) {
	w := newWorld(t, DefaultConfig(), 3, 3)
	w.step(caughtUp{})
	w.step(queueSeen{workers: 2})
	w.learn(0)
	w.tick()
	for range 30 {
		w.play(0)
		w.tick()
	}
	require.Len(t, w.queue, 3)
	w.learn(1 << 20)
	w.tick()
	w.play(0)
	w.tick()
	require.Equal(t, w.core.firstSight()[0], w.core.Key(w.queue[2].A, w.queue[2].B))
}

// The first match of the first version waits for one match of the references at most, which may be slow.
func TestFirstVersionDoesNotWaitForReferences(t *testing.T) {
	config := testConfig()
	config.Outstanding = 20
	w := newWorld(t, config, 3, 2)
	w.step(caughtUp{})
	for range 3 {
		w.tick()
	}
	require.Len(t, w.queue, 1)
	w.learn(0)
	w.tick()
	require.Greater(t, len(w.queue), 2)
	sight := w.core.Match(w.core.firstSight()[0], rating.Span{First: 0, End: w.core.config.MatchSets}, 0)
	require.Equal(t, sight.Id, w.queue[1].Id)
}
