package solve

import (
	"context"
	"fmt"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
	"croupier/solver"
)

// Match is what a player of Pig wins against the optimum: the probabilities of winning when
// it goes first and second.
type Match struct{ First, Second float64 }

// Mean is the probability of winning, averaged over the seats.
func (m Match) Mean() float64 { return (m.First + m.Second) / 2 }

// Against computes what a policy wins against the optimum, from what it does in every position
// of the game. The policy must not have a memory, and tell its probabilities if it draws at
// random, see [Reader.ReadAlone]. Left out are turns so rare that they change nothing before the
// ninth decimal.
func (o *Optimum) Against(ctx context.Context, g engine.Game, newPolicy func() policy.Policy) (m Match, err error) {
	duel := &duel{Optimum: o, reader: solver.NewReader(newPolicy), state: g.NewState().(*pig.State), values: o.newTurn()}
	for seat, won := range []*float64{&m.First, &m.Second} {
		duel.seat = seat
		if *won, err = duel.solve(ctx); err != nil {
			return m, err
		}
	}
	return m, nil
}

// duel computes the probabilities with which a policy in a seat wins against the optimum.
type duel struct {
	*Optimum
	reader *solver.Reader
	state  *pig.State
	seat   int
	values []float64 // scratch of the optimum's turn
	// policy and optimum hold, by the policy's score × target + the optimum's, the
	// probabilities that the policy wins when it, or the optimum, begins a turn.
	policy, optimum []float64
	reach           []float64 // scratch
}

// solve returns the probability that the policy wins the game. As in [solve], scores never
// fall. The two beginnings of a turn with the same scores depend on each other linearly.
func (d *duel) solve(ctx context.Context) (float64, error) {
	n := d.target
	d.policy, d.optimum = make([]float64, n*n), make([]float64, n*n)
	for sum := 2 * (n - 1); sum >= 0; sum-- {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for own := max(0, sum-n+1); own <= min(sum, n-1); own++ {
			if err := d.pair(own, sum-own); err != nil {
				return 0, err
			}
		}
	}
	if d.seat == 0 {
		return d.policy[0], nil
	}
	return d.optimum[0], nil
}

// pair sets the probabilities at the beginnings of turns with the policy's and the optimum's
// scores. A turn leads to known values, or with some probability to the other seat's turn with
// the same scores.
func (d *duel) pair(own, other int) error {
	n := d.target
	known, passes, err := d.turn(
		func(total int) (float64, error) { return d.rollOfPolicy(own, other, total) },
		func(total int) float64 {
			if own+total >= n {
				return 1
			}
			return d.optimum[(own+total)*n+other]
		})
	if err != nil {
		return err
	}
	d.Optimum.turn(other, own, 0, d.values)
	answered, returns, err := d.turn(
		func(total int) (float64, error) { return d.rollOfOptimum(own, other, total), nil },
		func(total int) float64 {
			if other+total >= n {
				return 0
			}
			return d.policy[own*n+other+total]
		})
	if err != nil {
		return err
	}
	at := own*n + other
	d.policy[at] = (known + passes*answered) / (1 - passes*returns)
	d.optimum[at] = answered + returns*d.policy[at]
	return nil
}

// rareTurn is the probability below which a way of a turn is left out.
const rareTurn = 1e-15

// turn follows a turn forwards, total by total. It returns the sum of what holding some points
// is worth times its probability, and the probability that the turn ends with nothing.
func (d *duel) turn(
	rolls func(total int) (float64, error), held func(total int) float64,
) (worth, nothing float64, err error) {
	reach := append(d.reach[:0], 1) // by total
	for total := 0; total < len(reach); total++ {
		p := reach[total]
		if p < rareTurn {
			continue
		}
		roll, err := rolls(total)
		if err != nil {
			return 0, 0, err
		}
		if total == 0 {
			nothing += p * (1 - roll)
		} else {
			worth += p * (1 - roll) * held(total)
		}
		each := p * roll / faces
		nothing += each
		for len(reach) <= total+faces {
			reach = append(reach, 0)
		}
		for face := 2; face <= faces; face++ {
			reach[total+face] += each
		}
	}
	d.reach = reach
	return worth, nothing, nil
}

var pigActions = []int{pig.Roll, pig.Hold}

// rollOfPolicy is the probability that the policy rolls.
func (d *duel) rollOfPolicy(own, other, total int) (float64, error) {
	var scores [2]int
	scores[d.seat], scores[1-d.seat] = own, other
	d.state.SetPosition(scores, total, d.seat)
	var p [2]float64
	if err := d.reader.ReadAlone(d.state, pigActions, p[:]); err != nil {
		return 0, fmt.Errorf("solver: pig: at %d against %d with a turn of %d: %w", own, other, total, err)
	}
	return p[pig.Roll], nil
}

// rollOfOptimum is 1 where the optimum rolls, which has the other score; values belong to its
// turn.
func (d *duel) rollOfOptimum(own, other, total int) float64 {
	if other+total < d.target && d.roll(other, own, d.values[total:]) > d.hold(other, own, total) {
		return 1
	}
	return 0
}
