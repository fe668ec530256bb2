package conformance

import (
	"croupier/engine"
)

// checkOpenCards: what open cards allow is what the best action allows, all legal actions are
// valued, and the position after an action is worth what was said of it.
func (c *suite) checkOpenCards(t *trial) {
	g, ok := c.game.(engine.OpenCards)
	if !ok {
		t.Skip("nothing is said about open cards")
	}
	require.NotEmpty(t, g.OpenUnit())
	solve, valued := g.OpenSolver(), 0
	next := c.game.NewState()
	c.look(t, 300, func(s engine.State, past []int) {
		v, ok := solve(s)
		if !ok {
			return
		}
		valued++
		sum := 0.
		for _, lead := range v.Leads {
			sum += lead
		}
		require.Zero(t, sum, after(past))
		legal, best := s.LegalActions(nil), v.Moves[0].Lead
		for i, m := range v.Moves {
			require.Equal(t, legal[i], m.Action, after(past))
			best = max(best, m.Lead)
			next.CopyFrom(s)
			require.NoError(t, next.Apply(m.Action))
			if follows, ok := solve(next); ok {
				require.Equal(t, m.Lead, follows.Leads[s.Player()], "%s: action %d", after(past), m.Action)
			}
		}
		require.Equal(t, best, v.Leads[s.Player()], after(past))
	})
	require.Positive(t, valued, "no position is ever valued")
}
