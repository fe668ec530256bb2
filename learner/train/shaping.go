package train

import (
	"maps"
	"math"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// Shaping weights the terms of the game's reward shaping (see [engine.Shaper]) in units of
// Spec.MaxReturn; a term without a weight does not count. The terms are not differences of
// a potential, so the best policy with shaping need not be the best in the game (Ng, Harada
// and Russell, "Policy invariance under reward transformations", ICML 1999).
type Shaping map[string]float64

// Check reports weights that are not numbers or belong to no term of the game.
func (w Shaping) Check(game engine.Game) error {
	terms := termsOf(game)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if v := w[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return strict.Errorf("shaping."+name, "%v is not a finite number", v)
		}
		if slices.ContainsFunc(terms, func(t engine.Shaping) bool { return t.Name == name }) {
			continue
		}
		if len(terms) == 0 {
			return strict.Errorf("shaping."+name, "unknown term; %s has none", game.Spec().Name)
		}
		names := make([]string, len(terms))
		for i, t := range terms {
			names[i] = t.Name
		}
		return strict.Errorf("shaping."+name, "unknown term; those of %s are %s", game.Spec().Name, strings.Join(names, ", "))
	}
	return nil
}

func termsOf(game engine.Game) []engine.Shaping {
	if s, ok := game.(engine.Shaper); ok {
		return s.Shapings()
	}
	return nil
}

// shaper computes the shaping rewards in one game's episodes. It belongs to one goroutine.
type shaper struct {
	game    engine.Shaper
	weights []float32 // by term
	gamma   float32
	events  []engine.Shaped
}

// newShaper returns nil if no term of the game has a weight.
func newShaper(c Config, game engine.Game) *shaper {
	terms := termsOf(game)
	weights := make([]float32, len(terms))
	any := false
	for i, t := range terms {
		weights[i] = float32(c.Shaping[t.Name])
		any = any || weights[i] != 0
	}
	if !any {
		return nil
	}
	return &shaper{game: game.(engine.Shaper), weights: weights, gamma: float32(c.Gamma)}
}

// reward credits the shaping terms that an action at a state earns. Each follows the newest
// decision of the seat concerned, which for the seat to move is the current one.
func (h *shaper) reward(s engine.State, action int, seats []seatRows) {
	h.events = h.game.Shape(s, action, h.events[:0])
	for _, e := range h.events {
		seats[e.Seat].credit(h.weights[e.Term], h.gamma)
	}
}
