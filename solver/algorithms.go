package solver

import "croupier/engine"

// Algorithm approaches an equilibrium of a two-player zero-sum game.
type Algorithm struct {
	Name       string  // as --algorithm of the command solve takes it
	Target     float64 // a good exploitability to stop at, in the game's unit
	Iterations int     // a good number to stop after
	// Start begins with the game's tree. Only sampling uses the seed.
	Start func(g engine.Game, t *Tree, seed uint64) (Iteration, error)
}

// Algorithms lists the algorithms, the fastest first.
var Algorithms = []Algorithm{
	{Plus.Name(), 1e-6, 1_000_000, sweeps(Plus)},
	{Linear.Name(), 1e-4, 1_000_000, sweeps(Linear)},
	{Plain.Name(), 1e-3, 1_000_000, sweeps(Plain)},
	{"mccfr", 1e-2, 20_000_000, func(g engine.Game, t *Tree, seed uint64) (Iteration, error) {
		m, err := NewMCCFR(g, seed)
		if err != nil {
			return Iteration{}, err
		}
		return m.On(t), nil
	}},
}

func sweeps(v Variant) func(engine.Game, *Tree, uint64) (Iteration, error) {
	return func(_ engine.Game, t *Tree, _ uint64) (Iteration, error) {
		c, err := NewCFR(t, v)
		if err != nil {
			return Iteration{}, err
		}
		return c.On(), nil
	}
}
