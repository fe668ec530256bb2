package search

import (
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/policy"
)

// Noise is how wrong a search is where the model judges, as standard deviations in the game's unit.
type Noise struct {
	Value      float64 // of the value of an action
	Difference float64 // of how much one action is worth more than another one in the same position
}

// How a residual is measured.
const (
	residualPositions = 128  // that are looked at
	residualEvery     = 8    // one of that many decisions with a choice is looked at
	residualVisits    = 5000 // decisions of games, at most
	residualWorlds    = 512  // after each action
	residualDeals     = 128  // the same where something is hidden, and worlds are longer
	residualSteps     = 16   // decisions of a world beyond those of the search
	residualSeed      = 1
)

// Residual measures how far what a search finds is from what follows 16 decisions later: the root
// mean square of the n-step Bellman residual Q(s, a) − E[V(s')], and that of the difference of
// these for two actions, over positions s of games that the model plays against itself. Q is what
// the search takes for the value of an action: of the one that the model plays, and of another one
// drawn from its prior. s' is the first position after those decisions at which the model's value
// is known to the seat that moves in s, or the end of the game. After a single decision the
// residual would miss the errors that neighbouring positions share but the actions of one position
// do not, as when the seat to move is valued too much. What both actions share, as with cards
// the luck of hands still to be dealt, is in the first number only.
//
// Both expectations are means over the same worlds, whose sampling error is known, and subtracted
// from the square (L. Baird, "Residual algorithms", ICML 1995, takes two independent samples for
// the same reason). One standard error is added: what is not known is not trusted. The answer is
// always the same for the same model.
func Residual(game engine.Game, model Model, o Options) Noise {
	lead, n := 0, residualWorlds
	if !game.Spec().PerfectInformation {
		lead, n = o.Depth-1, residualDeals
	}
	r := residual{
		model: model, prior: make([]float64, game.Spec().Actions), value: make([]float64, n), difference: make([]float64, n),
		worlds: newWorlds(game, model, lead, n/candidates),
	}
	r.worlds.beyond = residualSteps
	s, rng, chance := game.NewState(), &engine.RNG{}, &engine.RNG{}
	visits := 0
	play := engine.Play{State: s, Chance: chance, Choose: func(_ int, legal []int) int {
		visits++
		return r.choose(s, legal, rng)
	}}
	done := func() bool { return visits >= residualVisits || r.values.squares.N >= residualPositions }
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
	return Noise{r.values.root(), r.differences.root()}
}

// residual looks at positions.
type residual struct {
	model               Model
	worlds              *worlds   // as deep as the search, and beyond
	value, difference   []float64 // errors by world
	values, differences errorSquares
	prior               []float64
}

// errorSquares gathers squares of errors over positions.
type errorSquares struct {
	squares stat.Moments
	judged  float64 // sum of the shares of the positions that the model judged
}

// choose plays as the model does, and looks at some of the positions.
func (r *residual) choose(s engine.State, legal []int, rng *engine.RNG) int {
	if len(legal) == 1 {
		return legal[0]
	}
	r.model.Set(0, s, legal)
	r.model.Predict(1)
	action := r.model.Act(0, rng)
	if rng.IntN(residualEvery) == 0 {
		r.model.LogPrior(0, legal, 1, r.prior)
		r.look(s, action, legal[r.second(legal, action, rng)])
	}
	return action
}

// second draws the index of another legal action as the prior has it.
func (r *residual) second(legal []int, action int, rng *engine.RNG) int {
	prior := r.prior[:len(legal)]
	prior[slices.Index(legal, action)] = math.Inf(-1)
	softmax(prior)
	return policy.Sample(prior, rng)
}

// look adds the errors of a position.
func (r *residual) look(s engine.State, actions ...int) {
	seed := engine.GameSeed(residualSeed, "residual worlds", uint64(r.values.squares.N))
	w := r.worlds
	w.begin(s, seed)
	for i, action := range actions {
		w.add(s, action, i)
		w.grow(i, len(r.value))
	}
	w.finish()
	a, b := &w.starts[0], &w.starts[1]
	for i := range r.value {
		r.value[i] = a.values[i] - a.later[i]
		r.difference[i] = r.value[i] - (b.values[i] - b.later[i])
	}
	first, second := a.share(), b.share()
	r.values.add(r.value, first)
	r.differences.add(r.difference, (first+second)/2)
}

// share returns how much of the value of a start is the model's.
func (s *start) share() float64 { return float64(s.judged) / float64(len(s.values)) }

// add estimates the square of the expectation without bias.
func (e *errorSquares) add(sample []float64, judged float64) {
	m := stat.Of(sample)
	sampling := m.Margin() / stat.Z95
	e.squares.Add(m.Mean*m.Mean - sampling*sampling)
	e.judged += judged
}

// root returns the root of the mean square, plus its standard error, of an error that is the model's alone.
func (e *errorSquares) root() float64 {
	if e.judged == 0 {
		return 0
	}
	square := e.squares.Mean + e.squares.Margin()/stat.Z95
	return math.Sqrt(max(0, square) * float64(e.squares.N) / e.judged)
}
