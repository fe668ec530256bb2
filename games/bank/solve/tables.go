package solve

import (
	"context"
	"errors"

	"croupier/catalog"

	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

// Tables are the numbers of the optimum that agents play, flat, so that they are kept and read quickly.
type Tables struct {
	// Values are by seat, solved round, the last first, and difference: what the seat is sure to get.
	Values [2][]float64
	// Changes are the banks of plans, in the same order and then by role, stage and difference: how many there are, and
	// then each.
	Changes [2][]uint16
}

// SolveTables solves a game for two; without repoll that takes a second or two for ten rounds. It returns a factory of
// policies that play the optimum, which are policy.Valuers, and the tables of which [OptimalOf] makes such policies
// again.
func SolveTables(ctx context.Context, g engine.Game) (func() policy.Stochastic, *Tables, error) {
	o, err := Solve(ctx, g, agentSize, nil)
	if err != nil {
		return nil, nil, err
	}
	t := &Tables{}
	for seat, r := range o.races {
		for i := range solvedRounds(&o.rules) {
			now := r.rounds[len(r.rounds)-1-i]
			t.Values[seat] = append(t.Values[seat], now.value...)
			t.Changes[seat] = now.plan.flat(t.Changes[seat])
		}
	}
	return o.Policy, t, nil
}

// solvedRounds is how many rounds of a race are solved: with repoll all are alike.
func solvedRounds(rules *game.Rules) int {
	if rules.Repoll {
		return 1
	}
	return rules.Rounds
}

// OptimalOf returns a factory of policies that play the optimum, as SolveTables does. It is an error if the tables are
// of other rules.
func OptimalOf(g engine.Game, t *Tables) (func() policy.Stochastic, error) {
	o := &Optimum{rules: g.Rules().(game.Rules)}
	for seat := range o.races {
		r, err := raceOf(o.rules.Rounds, solvedRounds(&o.rules), t.Values[seat], t.Changes[seat])
		if err != nil {
			return nil, err
		}
		o.races[seat] = r
	}
	return o.Policy, nil
}

var errOtherRules = errors.New("solver: bank: the tables are of other rules")

// raceOf is newRace with the numbers of its rounds.
func raceOf(rounds, solved int, values []float64, changes []uint16) (*race, error) {
	const differences = 2*agentSize + 1
	if len(values) != solved*differences {
		return nil, errOtherRules
	}
	r := &race{curves: make([]*curve, rounds+1), rounds: make([]*round, rounds)}
	r.curves[rounds] = endCurve(agentSize)
	for n := rounds - 1; n >= 0; n-- {
		i := rounds - 1 - n
		if i >= solved { // all rounds are alike
			r.curves[n], r.rounds[n] = r.curves[n+1], r.rounds[n+1]
			continue
		}
		p, rest, err := planOf(agentSize, changes)
		if err != nil {
			return nil, err
		}
		changes = rest
		next, value := r.curves[n+1], values[i*differences:][:differences]
		r.curves[n] = newCurve(value)
		r.rounds[n] = &round{
			next: next, own: &alone{next: next, least: -agentSize},
			other: &alone{next: next.mirror(), upper: true, least: -agentSize}, plan: p, value: value,
		}
	}
	if len(changes) > 0 {
		return nil, errOtherRules
	}
	return r, nil
}

// flat appends the changes of a plan to dst, each list after its length.
func (p *plan) flat(dst []uint16) []uint16 {
	for _, byStage := range p.changes {
		for _, byDifference := range byStage {
			for _, changes := range byDifference {
				dst = append(append(dst, uint16(len(changes))), changes...)
			}
		}
	}
	return dst
}

// planOf is the reverse of flat. It returns what follows the plan.
func planOf(size int, from []uint16) (p *plan, rest []uint16, err error) {
	p = newPlan(size)
	for _, byStage := range p.changes {
		for _, byDifference := range byStage {
			for difference := range byDifference {
				if len(from) == 0 || int(from[0]) >= len(from) {
					return nil, nil, errOtherRules
				}
				n := int(from[0])
				byDifference[difference], from = from[1:1+n:1+n], from[1+n:]
			}
		}
	}
	return p, from, nil
}

// Exact is what the catalog has of BANK!: the optimum of the game for two.
var Exact = catalog.Exact{
	Solutions: []catalog.Solution{catalog.Tables(catalog.Optimal, SolveTables, OptimalOf).ForSeats(2)},
	Command:   command,
}
