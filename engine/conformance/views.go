package conformance

import (
	"encoding/json"

	"croupier/engine"
)

// checkViews: every eye sees a JSON object at every node, the same when it looks again, and
// looking changes nothing. checkHidden looks after what it must not see.
func (c *suite) checkViews(t *trial) {
	g, ok := c.game.(engine.Viewed)
	if !ok {
		t.Skip("the game has no view for boards")
	}
	c.look(t, 1500, func(s engine.State, past []int) {
		before := c.position(s)
		for eye := engine.Everything; eye < c.spec.Seats; eye++ {
			seen := marshalled(t, g.View(s, eye))
			require.Equal(t, byte('{'), seen[0], "%s: eye %d sees %s", after(past), eye, seen)
			require.Equal(t, seen, marshalled(t, g.View(s, eye)), "%s: eye %d", after(past), eye)
		}
		require.Equal(t, before, c.position(s), after(past))
	})
}

func marshalled(t *trial, view any) string {
	document, err := json.Marshal(view)
	require.NoError(t, err)
	return string(document)
}
