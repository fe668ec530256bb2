package conformance

import (
	"fmt"

	"croupier/engine"
)

// youngSteps is how long games are among whose positions two look the same often enough; later ones are all different.
const youngSteps = 40

// checkNotations: every notation of a position gives the seat to move the same information. External agents, serve and
// reviews get the written position, a page the view, a terminal the view as text where it is one, and a network the
// observation. Two positions that are equal in one of the first three are equal in the others: the same written
// position and legal actions, and so the same observation (checkWritten).
func (c *suite) checkNotations(t *trial) {
	written, ok := c.game.(engine.Positioned)
	if !ok {
		t.Skip("positions of the game cannot be written down")
	}
	viewed, _ := c.game.(engine.Viewed)
	type noted struct{ position, where string }
	notations := map[string]map[string]noted{"page": {}, "terminal": {}}
	c.visit(t, 16000, func(s engine.State, past []int) {
		seat := s.Player()
		if seat < 0 || viewed == nil || len(past) > youngSteps {
			return
		}
		now := noted{string(written.FormatPosition(s, seat)), fmt.Sprint(past)}
		view := viewed.View(s, seat)
		shown := map[string]string{"page": marshalled(t, view)}
		if text, ok := view.(fmt.Stringer); ok {
			shown["terminal"] = text.String()
		}
		for notation, what := range shown {
			if before, known := notations[notation][what]; known {
				require.Equal(t, before.position, now.position, "the %s shows the same after %s and after %s:\n%s", notation,
					before.where, now.where, what)
			}
			notations[notation][what] = now
		}
	})
}
