package conformance

import (
	"croupier/engine"
)

// checkWritten checks a game whose positions can be written down: writing and reading one gives
// the seat to move the same position again, and what the seat does not know is drawn again
// without showing. The example is such a position.
func (c *suite) checkWritten(t *trial) {
	g, ok := c.game.(engine.Positioned)
	if !ok {
		t.Skip("positions of the game cannot be written down")
	}
	rng := engine.NewRNG(6, 0)
	example, _, err := g.ParsePosition(g.ExamplePosition(), rng)
	require.NoError(t, err, "the example %s is not a position under the rules %+v", g.ExamplePosition(), g.Rules())
	c.requireWritten(t, g, example, rng, after(nil))
	c.look(t, 1500, func(s engine.State, past []int) {
		if s.Player() >= 0 {
			c.requireWritten(t, g, s, rng, after(past))
		}
	})
}

func (c *suite) requireWritten(t *trial, g engine.Positioned, s engine.State, rng *engine.RNG, where after) {
	seat := s.Player()
	document := g.FormatPosition(s, seat)
	parsed, notes, err := g.ParsePosition(document, rng)
	require.NoError(t, err, "%s: %s", where, document)
	require.Empty(t, notes, "%s: %s", where, document)
	redealt := s.Clone()
	redealer, hides := redealt.(engine.Redealer)
	require.Equal(t, !c.spec.PerfectInformation, hides, "a state is a Redealer where something is hidden")
	if hides {
		redealer.Redeal(seat, rng)
	}
	c.requireLine(t, s, string(document), rng, where)
	_, remembers := s.(engine.Past)
	for _, other := range []engine.State{parsed, redealt} {
		require.Equal(t, seat, other.Player(), "%s: %s", where, document)
		require.Equal(t, s.LegalActions(nil), other.LegalActions(nil), "%s: %s", where, document)
		require.Equal(t, string(document), string(g.FormatPosition(other, seat)), where)
		require.Equal(t, c.observe(s, seat), c.observe(other, seat), "%s: %s", where, document)
		if c.spec.PerfectInformation || remembers {
			require.Equal(t, s.InformationKey(seat, nil), other.InformationKey(seat, nil), "%s: %s", where, document)
		}
		c.requirePast(t, other, where)
	}
	c.requireRetraced(t, s, redealt, where)
}

// requireLine: a position in one line is the same position, and is written as it was read.
func (c *suite) requireLine(t *trial, s engine.State, document string, rng *engine.RNG, where after) {
	g, ok := c.game.(engine.Lined)
	if !ok {
		return
	}
	seat := s.Player()
	line := g.FormatLine(s, seat)
	require.NotContains(t, line, "\n", where)
	parsed, notes, err := g.ParsePosition([]byte(line), rng)
	require.NoError(t, err, "%s: %s", where, line)
	require.Empty(t, notes, "%s: %s", where, line)
	require.Equal(t, document, string(g.FormatPosition(parsed, seat)), "%s: %s", where, line)
	require.Equal(t, line, g.FormatLine(parsed, seat), where)
}

// requireRetraced: the decisions since the deal lead to the state, and with other cards the seat saw
// the same at each of its own ones.
func (c *suite) requireRetraced(t *trial, s, redealt engine.State, where after) {
	r, ok := s.(engine.Retracer)
	if !ok {
		return
	}
	seat, reached := s.Player(), c.game.NewState()
	reached.CopyFrom(s) // where nothing was decided yet
	var actions []int
	var seen [][]float32
	r.Retrace(func(before engine.State, action int) {
		require.GreaterOrEqual(t, before.Player(), 0, where)
		actions, seen = append(actions, action), append(seen, c.observe(before, seat))
		reached.CopyFrom(before)
		require.NoError(t, reached.Apply(action), where)
	})
	require.Equal(t, c.position(s), c.position(reached), where)
	n := 0
	redealt.(engine.Retracer).Retrace(func(before engine.State, action int) {
		if before.Player() == seat {
			require.Equal(t, actions[n], action, where)
			require.Equal(t, seen[n], c.observe(before, seat), where)
		}
		n++
	})
	require.Len(t, actions, n, where)
}

// requirePast: the history that a state reports leads to it.
func (c *suite) requirePast(t *trial, s engine.State, where after) {
	if p, ok := s.(engine.Past); ok {
		require.Equal(t, c.position(s), c.position(c.replay(t, p.Past(nil))), where)
	}
}
