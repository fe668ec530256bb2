package conformance

import (
	"slices"

	"croupier/engine"
)

// checkPeople: a game reports whether there are steps that a seat does not notice; a person who thinks for too long, or
// need not think, does something legal; and those who are asked at once are asked one after another.
func (c *suite) checkPeople(t *trial) {
	timed, _ := c.game.(engine.Timed)
	if timed != nil {
		require.Positive(t, timed.Patience())
	}
	covert := false
	dominant, _ := c.game.(engine.Dominant)
	viewed, _ := c.game.(engine.Viewed)
	c.visit(t, 3000, func(s engine.State, past []int) {
		for _, step := range possible(s) {
			for seat := range c.spec.Seats {
				covert = covert || s.Seen(seat, step) == engine.Unnoticed
			}
		}
		if legal := s.LegalActions(nil); timed != nil && len(legal) > 0 {
			require.True(t, slices.Contains(legal, timed.Fallback(s)), "%s: the fallback is not legal", after(past))
		}
		if legal := s.LegalActions(nil); dominant != nil && len(legal) > 0 {
			if action, ok := dominant.Dominant(s); ok {
				require.True(t, slices.Contains(legal, action), "%s: the dominant action is not legal", after(past))
			}
		}
		if viewed == nil || s.Player() < 0 {
			return
		}
		if view, ok := viewed.View(s, engine.Public).(engine.Polled); ok {
			seats, does, doesNot := view.Poll()
			require.Equal(t, s.Player(), seats[0], "%s: the seat to move is asked first", after(past))
			require.Equal(t, 2, len(s.LegalActions(nil)), "%s: the question is whether or not", after(past))
			require.True(t, slices.Contains(s.LegalActions(nil), does), "%s: the action is not legal", after(past))
			require.True(t, slices.Contains(s.LegalActions(nil), doesNot), "%s: the action is not legal", after(past))
		}
	})
	require.Equal(t, c.spec.Covert, covert, "Spec.Covert, and whether a seat does not notice a step")
}
