package conformance

import (
	"fmt"

	"croupier/engine"
)

// youngSteps is how long games are among whose positions two look the same often enough; later ones are all different.
const youngSteps = 40

// checkDoors: the seat to move is told the same of a position through every door. What an agent of other people, serve
// and a review get is the written position, a page the view, a terminal the view as text where it is one, and a network
// the observation. Where two positions look the same through one of the first three they are one position to the
// others: the same written position and legal actions, and so the same observation (checkWritten).
func (c *suite) checkDoors(t *trial) {
	written, ok := c.game.(engine.Positioned)
	if !ok {
		t.Skip("positions of the game cannot be written down")
	}
	viewed, _ := c.game.(engine.Viewed)
	type behind struct{ position, where string }
	doors := map[string]map[string]behind{"page": {}, "terminal": {}}
	c.visit(t, 16000, func(s engine.State, past []int) {
		seat := s.Player()
		if seat < 0 || viewed == nil || len(past) > youngSteps {
			return
		}
		now := behind{string(written.FormatPosition(s, seat)), fmt.Sprint(past)}
		view := viewed.View(s, seat)
		shown := map[string]string{"page": marshalled(t, view)}
		if text, ok := view.(fmt.Stringer); ok {
			shown["terminal"] = text.String()
		}
		for door, what := range shown {
			if before, known := doors[door][what]; known {
				require.Equal(t, before.position, now.position, "the %s shows the same after %s and after %s:\n%s", door,
					before.where, now.where, what)
			}
			doors[door][what] = now
		}
	})
}
