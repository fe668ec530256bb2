package search

import (
	"math"

	"croupier/engine"
	"croupier/internal/stat"
)

// How a residual is measured.
const (
	residualPositions = 512   // that are looked at
	residualEvery     = 8     // one of so many decisions with a choice is looked at
	residualVisits    = 20000 // decisions of games, at most
	residualWorlds    = 32    // after each position
	residualSteps     = 16    // decisions of a world
	residualSeed      = 1
)

// Residual measures how far the values of a model are from what follows from them 16 decisions
// later, in the game's unit: the root mean square of the n-step Bellman residual V(s) − E[V(s')],
// over positions s of games that the model plays against itself, where s' is the first position
// after those decisions at which the model's value is known to the seat that moves in s, or the
// end of the game. After a single decision the residual would miss the errors that neighbouring
// positions share but the actions of one position do not, as when whoever is to move is valued
// too much.
//
// The expectation is a mean over worlds, whose sampling error is known, and subtracted from the
// square (L. Baird, "Residual algorithms", ICML 1995, takes two independent samples for the same
// reason). One standard error is added: what is not known is not trusted. The answer is always
// the same for the same model.
func Residual(game engine.Game, model Model) float64 {
	r := residual{model, newWorlds(game, model, residualSteps), stat.Moments{}}
	s, rng, chance := game.NewState(), &engine.RNG{}, &engine.RNG{}
	visits := 0
	play := engine.Play{State: s, Chance: chance, Choose: func(_ int, legal []int) int {
		visits++
		return r.choose(s, legal, rng)
	}}
	done := func() bool { return visits >= residualVisits || r.squares.N >= residualPositions }
	for number := uint64(0); !done(); number++ {
		seed := engine.GameSeed(residualSeed, "residual", number)
		chance.Seed(seed, engine.ChanceStream)
		rng.Seed(seed, engine.ActionStream)
		for s.Reset(); s.Player() != engine.Terminal && !done(); {
			if _, err := play.Step(); err != nil {
				panic("search: a legal step was refused: " + err.Error())
			}
		}
	}
	return math.Sqrt(max(0, r.squares.Mean+r.squares.Margin()/stat.Z95))
}

// residual gathers squares over positions.
type residual struct {
	model   Model
	worlds  *worlds
	squares stat.Moments
}

// choose plays as the model does, and looks at some of the positions.
func (r *residual) choose(s engine.State, legal []int, rng *engine.RNG) int {
	if len(legal) == 1 {
		return legal[0]
	}
	r.model.Set(0, s, legal)
	r.model.Predict(1)
	value, action := r.model.Value(0), r.model.Sample(0, rng)
	if rng.IntN(residualEvery) == 0 {
		w := r.worlds
		w.begin(s.Player(), engine.GameSeed(residualSeed, "residual worlds", uint64(r.squares.N)))
		w.add(s, asIs, 0)
		w.grow(0, residualWorlds)
		w.finish()
		next := stat.Of(w.starts[0].values)
		sampling := next.Margin() / stat.Z95
		r.squares.Add((value-next.Mean)*(value-next.Mean) - sampling*sampling)
	}
	return action
}
