package learner

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"croupier/engine"
)

// Shaping gives terms of the game's reward shaping (see [engine.Shaper]) weights in
// units of Spec.MaxReturn; a term without one does not count. None of the terms is the
// difference of a potential, so that a policy that is best with them need not be best
// in the game (Ng, Harada and Russell, "Policy invariance under reward
// transformations", ICML 1999).
type Shaping map[string]float64

// Check says which weights are no numbers or belong to no term of the game.
func (w Shaping) Check(game engine.Game) error {
	terms := termsOf(game)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if v := w[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("shaping: %s: %v is not a finite number", name, v)
		}
		if slices.ContainsFunc(terms, func(t engine.Shaping) bool { return t.Name == name }) {
			continue
		}
		if len(terms) == 0 {
			return fmt.Errorf("shaping: unknown term %q; %s has none", name, game.Spec().Name)
		}
		names := make([]string, len(terms))
		for i, t := range terms {
			names[i] = t.Name
		}
		return fmt.Errorf("shaping: unknown term %q; those of %s are %s", name, game.Spec().Name, strings.Join(names, ", "))
	}
	return nil
}

func termsOf(game engine.Game) []engine.Shaping {
	if s, ok := game.(engine.Shaper); ok {
		return s.Shapings()
	}
	return nil
}

// shaper finds the shaping rewards of one game's episodes. It belongs to one goroutine.
type shaper struct {
	game    engine.Shaper
	weights []float32 // by term
	events  []engine.Shaped
}

// newShaper returns nil where no term of the game has a weight.
func newShaper(w Shaping, game engine.Game) *shaper {
	terms := termsOf(game)
	weights := make([]float32, len(terms))
	any := false
	for i, t := range terms {
		weights[i] = float32(w[t.Name])
		any = any || weights[i] != 0
	}
	if !any {
		return nil
	}
	return &shaper{game: game.(engine.Shaper), weights: weights}
}

// reward adds what an action at a state is worth to the seats' rewards: to that of the
// newest decision of the seat concerned, which is the present one for the seat to move.
// A seat that has not decided anything yet gets nothing.
func (h *shaper) reward(s engine.State, action int, seats []decisions) {
	h.events = h.game.Shape(s, action, h.events[:0])
	for _, e := range h.events {
		if n := seats[e.Seat].len(); n > 0 {
			seats[e.Seat].rewards[n-1] += h.weights[e.Term]
		}
	}
}
