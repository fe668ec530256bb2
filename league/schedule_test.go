package league

import (
	"math"
	"slices"
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
