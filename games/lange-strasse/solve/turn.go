package solve

import (
	"fmt"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/policy"
)

// NewTurnOptimum returns a factory of players of the turn optimum, which are [policy.Valuer]:
// values are the exact expected points of the turn, and risks the chance of a strich.
func NewTurnOptimum(game engine.Game) (func() policy.Stochastic, error) {
	if _, ok := game.(*langestrasse.Game); !ok {
		return nil, fmt.Errorf("turn optimum: the game is %s, not lange-strasse", game.Spec().Name)
	}
	return turnPlayers(langestrasse.TurnOptimum()), nil
}

func turnPlayers(o *langestrasse.Optimum) func() policy.Stochastic {
	return func() policy.Stochastic { return &turnPlayer{o} }
}

type turnPlayer struct{ optimum *langestrasse.Optimum }

func (p *turnPlayer) Reset() {}

func (p *turnPlayer) Choose(state engine.State, _ []int, _ *engine.RNG) int {
	return int(p.optimum.Best(state.(*langestrasse.State).InTurn()).Action)
}

func (p *turnPlayer) Distribution(state engine.State, legal []int, dst []float64) {
	certain(p.Choose(state, legal, nil), legal, dst)
}

// certain writes the distribution of a choice that does not mix.
func certain(choice int, legal []int, dst []float64) {
	for i, action := range legal {
		dst[i] = 0
		if action == choice {
			dst[i] = 1
		}
	}
}

// Scale implements [policy.Valuer].
func (p *turnPlayer) Scale() policy.Scale {
	return policy.Scale{Unit: "points", Exact: true, Risk: "strich"}
}

// Values writes expected points of the whole turn.
func (p *turnPlayer) Values(state engine.State, _ []int, dst []policy.Value) {
	points, set, throw := state.(*langestrasse.State).InTurn()
	for i, m := range langestrasse.NewTurn().Moves(set, throw) {
		mean, strich := p.optimum.Value(points, m)
		dst[i] = within(mean, 0)
		dst[i].Risk = strich
	}
}

// Differences implements [policy.Differencer]: they are exact.
func (p *turnPlayer) Differences(state engine.State, legal []int, base int, dst []policy.Value) {
	values := make([]policy.Value, len(legal))
	p.Values(state, legal, values)
	for i := range values {
		dst[i] = within(values[base].Mean-values[i].Mean, 0)
	}
}
