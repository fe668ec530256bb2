package conformance

import (
	"math"

	"croupier/engine"
)

// checkFigures: figures have names, units and helps; states measure if and only if there are
// figures; sums are finite, fit their units and follow from the history alone; measuring
// changes nothing.
func (c *suite) checkFigures(t *trial) {
	names := map[string]bool{}
	for _, f := range c.spec.Figures {
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, f.Name)
		require.False(t, names[f.Name], "two figures named %q", f.Name)
		names[f.Name] = true
		for _, text := range []string{f.Unit, f.Per, f.Help} {
			require.NotEmpty(t, text, f.Name)
			require.NotContains(t, text, "\n", f.Name)
		}
	}
	s, measured := c.game.NewState().(engine.Measured)
	require.Equal(t, len(names) > 0, measured, "figures in Spec and states that are engine.Measured go together")
	if !measured {
		return
	}
	sums, again := engine.NewSums(c.spec), engine.NewSums(c.spec)
	for seed := range uint64(10) {
		s.Reset()
		sums.Clear()
		again.Clear()
		rng := engine.NewRNG(seed, 0)
		for s.Player() != engine.Terminal {
			step := NextStep(s, rng)
			c.measureTwice(t, s, again, func(s engine.Measured, sums engine.Sums) { s.MeasureStep(step, sums) })
			s.MeasureStep(step, sums)
			require.NoError(t, s.Apply(step))
		}
		c.measureTwice(t, s, again, engine.Measured.MeasureEnd)
		s.MeasureEnd(sums)
		require.Equal(t, sums, again, "a copy measures differently")
		c.requireSums(t, sums)
	}
}

// measureTwice measures on a copy of the state, which must not change.
func (c *suite) measureTwice(
	t *trial, s engine.Measured, sums engine.Sums, measure func(engine.Measured, engine.Sums),
) {
	copied := s.Clone().(engine.Measured)
	measure(copied, sums)
	require.Equal(t, s.String(), copied.String(), "measuring changes the state")
	for seat := range c.spec.Seats {
		require.Equal(t, s.InformationKey(seat, nil), copied.InformationKey(seat, nil), "measuring changes the state")
	}
}

// requireSums requires finite numbers that fit the figures' units.
func (c *suite) requireSums(t *trial, sums engine.Sums) {
	for seat := range c.spec.Seats {
		for i, sum := range sums.Of(seat) {
			f := c.spec.Figures[i]
			require.False(t, math.IsNaN(sum.Value) || math.IsInf(sum.Value, 0), "value of figure %s: %v", f.Name, sum.Value)
			require.GreaterOrEqual(t, sum.Weight, 0.0, "weight of figure %s", f.Name)
			require.False(t, math.IsInf(sum.Weight, 0), "weight of figure %s", f.Name)
			if f.Unit == engine.Share {
				require.GreaterOrEqual(t, sum.Value, 0.0, "figure %s", f.Name)
				require.LessOrEqual(t, sum.Value, sum.Weight, "figure %s", f.Name)
			}
		}
	}
}
