package conformance

import (
	"slices"

	"croupier/engine"
)

// checkPeople: a game says whether there are steps that a seat does not notice, and who thinks for
// too long does something legal.
func (c *suite) checkPeople(t *trial) {
	timed, _ := c.game.(engine.Timed)
	if timed != nil {
		require.Positive(t, timed.Patience())
	}
	covert := false
	c.visit(t, 3000, func(s engine.State, past []int) {
		for _, step := range possible(s) {
			for seat := range c.spec.Seats {
				covert = covert || s.Seen(seat, step) == engine.Unnoticed
			}
		}
		if legal := s.LegalActions(nil); timed != nil && len(legal) > 0 {
			require.True(t, slices.Contains(legal, timed.Fallback(s)), "%s: the fallback is not legal", after(past))
		}
	})
	require.Equal(t, c.spec.Covert, covert, "Spec.Covert, and whether a seat does not notice a step")
}
