package report

import (
	"context"
	"fmt"
	"math"

	banluck "croupier/games/banluck/solve"
	"croupier/internal/seed"
	"croupier/policy"
)

// Agent is what an agent in both seats is worth against itself, and what best responses gain.
type Agent struct {
	Name           string  `json:"agent"`
	EV             float64 `json:"ev"`
	StdDev         float64 `json:"stddev"`
	Exploitability float64 `json:"exploitability"` // mean of the losses
	PlayerLoss     float64 `json:"player_loss"`
	DealerLoss     float64 `json:"dealer_loss"`
}

// MeasureAgent measures the named agent exactly. Its policies must meet the conditions of
// [banluck.HeadsUp.SolutionOf].
func MeasureAgent(study *banluck.Study, name string, newPolicy func() policy.Policy) (*Agent, error) {
	s, err := study.HeadsUp.SolutionOf(newPolicy)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	a := &Agent{Name: name, EV: s.EV, StdDev: s.StdDev, Exploitability: s.Exploitability}
	a.PlayerLoss, a.DealerLoss = s.Losses(study.Equilibrium.EV)
	return a, nil
}

// Simulation is a solution played through the engine: the mean result of the hands with its 95
// % interval.
type Simulation struct {
	Solution string      `json:"solution"`
	EV       float64     `json:"ev"` // exact
	Seed     seed.Number `json:"seed"`
	Hands    int         `json:"hands"`
	Mean     float64     `json:"mean"`
	Low      float64     `json:"low"`
	High     float64     `json:"high"`
	StdDev   float64     `json:"stddev"`
}

// inside reports whether the interval contains the exact result.
func (s Simulation) inside() bool { return s.Low <= s.EV && s.EV <= s.High }

// closeness is how close the source of the game wants play and computation to be, in units: 0.1 % of a bet.
const closeness = 0.001

// margin is half the width of the interval.
func (s Simulation) margin() float64 { return (s.High - s.Low) / 2 }

// verdict says whether the hands show that play agrees with the computation to 0.1 % of a bet. Too few hands cannot.
func (s Simulation) verdict() string {
	switch {
	case s.margin() > closeness:
		return "too few hands to tell"
	case math.Abs(s.Mean-s.EV) > closeness:
		return "no"
	}
	return "yes"
}

// Sampling says how estimates are made.
type Sampling struct {
	Hands int                           // to play for each estimate
	Crowd int                           // most players of the report; 0: MostPlayers
	Seed  uint64                        // of the estimates; checks use Seed and Seed + 1
	Say   func(format string, a ...any) // reports progress
}

// Simulate plays every solution of a study through the engine, with two seeds.
func Simulate(ctx context.Context, study *banluck.Study, o Sampling) (list []Simulation, err error) {
	for seed := o.Seed; seed < o.Seed+2; seed++ {
		for i := range study.Baselines {
			b := &study.Baselines[i]
			reveal, surrender := onOff(b.Dealer.Reveal), always(b.Dealer.Surrender)
			o.Say("simulating the baseline with reveal %s and surrender %s, seed %d", reveal, surrender, seed)
			e, err := study.SimulateBaseline(ctx, i, o.Hands, seed)
			if err != nil {
				return nil, err
			}
			name := "baseline, reveal " + reveal + ", surrender " + surrender
			list = append(list, newSimulation(name, b.Solution, e, seed))
		}
		o.Say("simulating the equilibrium, seed %d", seed)
		e, err := study.SimulateEquilibrium(ctx, o.Hands, seed)
		if err != nil {
			return nil, err
		}
		list = append(list, newSimulation("equilibrium", study.Equilibrium, e, seed))
	}
	return list, nil
}

func newSimulation(name string, s *banluck.Solution, e banluck.Estimate, of uint64) Simulation {
	return Simulation{name, s.EV, seed.Number(of), e.Samples, e.Mean, e.Low, e.High, e.StdDev}
}
