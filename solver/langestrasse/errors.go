package langestrasse

import (
	"math"

	"croupier/engine"
	"croupier/engine/langestrasse"
)

// The error of a value is taken to be a Gaussian process over the standings in which a turn can
// end, with the mean 0. It has a level, by which all ends of a turn are off together, and a
// local part, which is another one for each end: two ends that are d points apart share
// exp(-d / errorLength) of it. The value of an action is an expectation over ends, so the
// variance of the error of a difference is that of a weighted sum of local parts; the level
// cancels. Both have standard deviations by the stage of the end. A strich counts as 0 points:
// that it ends the hope for a clean game was not found to add an error.

// errorLength is measured in points: ends less than 250 points apart differ in their errors by a
// fifth of the variance of ends 1000 points apart and more, ends 500 apart by half of it.
const errorLength = 500

// stages classify standings by the most points of a seat: below lateStage, below the target, at
// the target or above.
const (
	stages    = 3
	lateStage = 8000
)

func stage(s *langestrasse.Standing) int {
	switch most := max(s.Points[0], s.Points[1], s.Points[2]); {
	case most >= target:
		return 2
	case most >= lateStage:
		return 1
	}
	return 0
}

// valueErrors are root mean squares in units, by stage: of the whole error of a value, and of its
// local part.
type valueErrors struct{ whole, local [stages]float32 }

// StageError is the error of values at one stage of the game, root mean squares in units.
type StageError struct {
	Standings string  `json:"standings"`
	Error     float64 `json:"error"`
	Local     float64 `json:"local"` // the part of it by which the ends of a turn differ
}

// Errors returns how far the values of standings are from what play by these values wins.
func (v *Values) Errors() (all []StageError) {
	for i, standings := range [stages]string{"below 8,000 points", "8,000 or more", "10,000 or more"} {
		all = append(all, StageError{standings, float64(v.errors.whole[i]), float64(v.errors.local[i])})
	}
	return all
}

// spread is how a turn ends: the probability of each end, by its index in expectimax.ends, and of
// a strich.
type spread struct {
	ends   [ends]float32
	strich float32
}

// valueError returns the root mean square of the error of an action's value.
func (t *turnSolver) valueError(s *spread) float64 {
	errors, sum := &t.evaluator.values.errors, 0.0
	t.eachEnd(func(i, _ int, stage int8) { sum += float64(s.of(i) * errors.whole[stage]) })
	return sum
}

// differenceError returns the same for the difference between the values of two actions.
func (t *turnSolver) differenceError(a, b *spread) float64 {
	errors, last := &t.evaluator.values.errors, 0
	// carried is the sum of the local parts so far, each times what it shares with the present end.
	variance, carried := 0.0, 0.0
	t.eachEnd(func(i, points int, stage int8) {
		carried *= math.Exp(-float64(points-last) / errorLength)
		local := float64((a.of(i) - b.of(i)) * errors.local[stage])
		variance += local * (local + 2*carried)
		carried += local
		last = points
	})
	return math.Sqrt(max(variance, 0))
}

// of returns the probability of an end of turnSolver.pending.
func (s *spread) of(i int) float32 {
	if i == ends {
		return s.strich
	}
	return s.ends[i]
}

// eachEnd calls f with every end after which the game goes on: its index in pending, the points
// of the turn, ascending, and its stage.
func (t *turnSolver) eachEnd(f func(i, points int, stage int8)) {
	if p := &t.pending[ends]; p.row >= 0 {
		f(ends, 0, p.stage)
	}
	for i := range ends {
		if p := &t.pending[i]; p.row >= 0 {
			f(i, (t.expectimax.base+i)*Step, p.stage)
		}
	}
}

const (
	errorEnds  = 4 // ends of a turn that are compared
	errorGames = 4 // from each of them
)

// errorSums estimate valueErrors: the squares of the whole errors, and those of the local parts
// by least squares.
type errorSums struct{ whole, local [stages]engine.Sum }

func (s *errorSums) add(o *errorSums) {
	for i := range stages {
		s.whole[i].Add(o.whole[i])
		s.local[i].Add(o.local[i])
	}
}

// errors returns the estimates. A local part is no larger than the whole.
func (s *errorSums) errors() (e valueErrors) {
	root := func(s engine.Sum) float32 { return float32(math.Sqrt(max(s.Value, 0) / max(s.Weight, 1e-9))) }
	for i := range stages {
		e.whole[i] = root(s.whole[i])
		e.local[i] = min(root(s.local[i]), e.whole[i])
	}
	return e
}

// errors plays a game, and of each stage one of its turns several times, until it has different
// ends. It plays on from each with the same games. By the argument of [correct] a correction has
// the expectation of the error of the end's value.
func (p *selfPlay) errors(seed uint64) (sums errorSums, err error) {
	var begun [stages][]langestrasse.State
	p.state.Reset()
	_, err = p.goOn(seed, 0, func(s *langestrasse.State) {
		standing := s.Standing()
		i := stage(&standing)
		begun[i] = append(begun[i], *s)
	})
	if err != nil {
		return sums, err
	}
	rng := engine.NewRNG(seed, 0)
	for _, turns := range begun {
		if len(turns) == 0 {
			continue
		}
		turn := &turns[rng.IntN(len(turns))]
		drawn, err := p.drawEnds(turn, rng)
		if err != nil {
			return sums, err
		}
		if err := p.compareEnds(drawn, turn.Standing().Seat, rng.Uint64(), &sums); err != nil {
			return sums, err
		}
	}
	return sums, nil
}

// drawEnds returns different ends of the turn after which the game goes on.
func (p *selfPlay) drawEnds(turn *langestrasse.State, rng *engine.RNG) (drawn []langestrasse.State, err error) {
	seen := map[langestrasse.Standing]bool{}
	for range 4 * errorEnds {
		p.state.CopyFrom(turn)
		if err := p.turn(p.player, rng, nil); err != nil {
			return nil, err
		}
		if s := p.state.Standing(); p.state.Player() != engine.Terminal && !seen[s] {
			seen[s] = true
			drawn = append(drawn, *p.state)
		}
		if len(drawn) == errorEnds {
			break
		}
	}
	return drawn, nil
}

// compareEnds plays on from ends of a turn of the seat and adds what their values are off by.
func (p *selfPlay) compareEnds(drawn []langestrasse.State, seat int8, seed uint64, sums *errorSums) error {
	off := make([][seats][errorGames]float64, len(drawn))
	for i := range drawn {
		for game := range errorGames {
			p.state.CopyFrom(&drawn[i])
			records, err := p.goOn(engine.GameSeed(seed, "error", uint64(game)), 0, nil)
			if err != nil {
				return err
			}
			for s, m := range correct(records, 1)[0] {
				off[i][s][game] = float64(m)
			}
		}
	}
	for i := range drawn {
		a := drawn[i].Standing()
		for s := range seats {
			sums.whole[stage(&a)].Add(engine.Sum{Value: squareOfMean(off[i][s]), Weight: 1})
		}
		for j := range drawn[:i] {
			b := drawn[j].Standing()
			if stage(&a) != stage(&b) {
				continue
			}
			apart := math.Abs(float64(a.Points[seat] - b.Points[seat]))
			share := 2 * (1 - math.Exp(-apart/errorLength)) // of the local variance
			x := off[i][seat]
			for game, y := range off[j][seat] {
				x[game] -= y
			}
			sums.local[stage(&a)].Add(engine.Sum{Value: share * squareOfMean(x), Weight: share * share})
		}
	}
	return nil
}

// squareOfMean estimates the square of the expectation of independent samples without bias: the
// mean product of two of them.
func squareOfMean(x [errorGames]float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	return (sum*sum - squares) / (errorGames * (errorGames - 1))
}
