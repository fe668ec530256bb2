package solve

import (
	"context"

	"croupier/engine"
	"croupier/policy"
)

// Meter measures policies against the exact solution of a game. It serves one goroutine at a
// time.
type Meter struct {
	table       *HeadsUp
	equilibrium *Solution // nil before the first measurement
}

// NewMeter returns the meter of a game, which must be Banluck with one player. The first
// measurement solves the game.
func NewMeter(g engine.Game) (*Meter, error) {
	t, err := NewHeadsUp(g)
	if err != nil {
		return nil, err
	}
	return &Meter{table: t}, nil
}

// Measure returns what a policy loses to best responses, in units a hand and by the name of the
// series: "exploitability/player" and "exploitability/dealer" by seat, "exploitability" their
// mean. The policy must meet the conditions of [HeadsUp.SolutionOf]. If ctx ends while the game
// is being solved, Measure returns an error and the next measurement starts over.
func (m *Meter) Measure(ctx context.Context, newPolicy func() policy.Policy) (map[string]float64, error) {
	if m.equilibrium == nil {
		solved, err := m.table.Equilibrium(ctx, DefaultOptions())
		if err != nil {
			return nil, err
		}
		m.equilibrium = solved
	}
	s, err := m.table.SolutionOf(newPolicy)
	if err != nil {
		return nil, err
	}
	player, dealer := s.Losses(m.equilibrium.EV)
	return map[string]float64{
		"exploitability": s.Exploitability, "exploitability/player": player, "exploitability/dealer": dealer,
	}, nil
}
