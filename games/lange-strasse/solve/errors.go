package solve

import (
	"math"
	"slices"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
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

// stages classify standings by how far the most points of a seat are from the target, and by whether the
// winner's extra money for a fast end is at stake: the network smooths what it depends on.
const (
	early      = iota // below 6,000
	middle            // 6,000 or more
	middleFast        // the same in rounds 8 to 10
	late              // 8,000 or more
	lateFast          // the same in rounds 8 to 10
	secondLast        // the second seat's last turn, solved roughly
	secondFar         // the same after a turn of the first seat that made more than was within its reach
	stages
	// exact is the stage of an end whose value has no error.
	exact = -1
)

// stage classifies a standing with a value of the network.
func stage(s *langestrasse.Standing) int8 {
	most, fast := max(s.Points[0], s.Points[1], s.Points[2]), int8(0)
	if s.Round >= fastRounds-2 && s.Round <= fastRounds {
		fast = 1
	}
	switch {
	case s.Final():
		return secondFar
	case most >= 8000:
		return late + fast
	case most >= 6000:
		return middle + fast
	}
	return early
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
	for i, standings := range [stages]string{
		"below 6,000 points", "6,000 or more", "6,000 or more, rounds 8 to 10", "8,000 or more",
		"8,000 or more, rounds 8 to 10", "10,000 or more, the second seat's turn, solved roughly",
		"10,000 or more, the second seat's turn, by the network",
	} {
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

// eachEnd calls f with every end after which the game continues: its index in pending, the points
// of the turn, ascending, and its stage.
func (t *turnSolver) eachEnd(f func(i, points int, stage int8)) {
	if p := &t.pending[ends]; p.stage != exact {
		f(ends, 0, p.stage)
	}
	for i := range t.expectimax.last() {
		if p := &t.pending[i]; p.stage != exact {
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

// fewErrors is the number of squares, one for each seat and end, below which a stage has no estimate of
// its own.
const fewErrors = 30

// errors returns the estimates. A local part is no larger than the whole, and a stage that hardly came up
// has the largest errors of the others.
func (s *errorSums) errors() (e valueErrors) {
	root := func(s engine.Sum) float32 { return float32(math.Sqrt(max(s.Value, 0) / max(s.Weight, 1e-9))) }
	for i := range stages {
		e.whole[i] = root(s.whole[i])
		e.local[i] = min(root(s.local[i]), e.whole[i])
	}
	known := func(i int) bool { return s.whole[i].Weight >= fewErrors }
	var whole, local float32
	for i := range stages {
		if known(i) {
			whole, local = max(whole, e.whole[i]), max(local, e.local[i])
		}
	}
	if whole == 0 { // no stage has an estimate of its own
		whole, local = slices.Max(e.whole[:]), slices.Max(e.local[:])
	}
	for i := range stages {
		if !known(i) {
			e.whole[i], e.local[i] = whole, local
		}
	}
	return e
}

// errors plays a game, and of each stage one of its turns several times, until it has different
// ends. It plays on from each with the same games. By the argument of [correct] a correction has
// the expectation of the error of the end's value.
func (p *selfPlay) errors(seed uint64) (sums errorSums, err error) {
	var begun [stages][]langestrasse.State
	p.state.Reset()
	p.solved = true
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
		if err := p.compareEnds(drawn, turn.Standing(), rng.Uint64(), &sums); err != nil {
			return sums, err
		}
	}
	return sums, nil
}

// end is a standing in which a turn ended.
type end struct {
	state langestrasse.State
	stage int8
	// value is that of a stage in which the second seat has its last turn.
	value money
}

// drawEnds returns different ends of the turn whose values have errors.
func (p *selfPlay) drawEnds(turn *langestrasse.State, rng *engine.RNG) (drawn []end, err error) {
	seen := map[langestrasse.Standing]bool{}
	from := turn.Standing()
	for range 4 * errorEnds {
		p.state.CopyFrom(turn)
		if err := p.turn(p.player, rng, nil); err != nil {
			return nil, err
		}
		s := p.state.Standing()
		if p.state.Player() == engine.Terminal || seen[s] {
			continue
		}
		seen[s] = true
		if d, ok := p.newEnd(from, s); ok {
			drawn = append(drawn, d)
		}
		if len(drawn) == errorEnds {
			break
		}
	}
	return drawn, nil
}

// newEnd describes how the turn of a standing has ended, unless that has an exact value.
func (p *selfPlay) newEnd(from, s langestrasse.Standing) (d end, ok bool) {
	solver := p.player.solver
	solver.solve(from, 0)
	i := ends
	if gained := int(s.Points[from.Seat]-from.Points[from.Seat]) / Step; gained > 0 {
		if i = gained; i >= solver.expectimax.last() {
			return d, false
		}
	}
	d = end{state: *p.state, stage: solver.pending[i].stage}
	if d.stage == secondLast || d.stage == secondFar {
		c := solver.cell(i)
		d.value = c.of(from.Seat)
		paid, _ := from.EndTurn(int32(i%ends)*Step, i == ends)
		for seat, ct := range paid {
			d.value[seat] -= float32(ct) / unit
		}
	}
	return d, d.stage != exact
}

// off returns what the value of an end is off by, in several games that are played on from it.
func (p *selfPlay) off(d *end, seed uint64) (off [seats][errorGames]float64, err error) {
	for game := range errorGames {
		p.state.CopyFrom(&d.state)
		m, err := p.correction(d, engine.GameSeed(seed, "error", uint64(game)))
		if err != nil {
			return off, err
		}
		for seat := range m {
			off[seat][game] = float64(m[seat])
		}
	}
	return off, nil
}

// correction plays on from the end of a turn, the present state, and returns the correction of its
// value.
func (p *selfPlay) correction(d *end, seed uint64) (m money, err error) {
	if s := d.state.Standing(); s.Final() {
		if p.exact == nil {
			p.exact = newTurnSolver(p.values.values)
		}
		m = p.exact.solve(s, 0).values[0][0].of(s.Seat)
		for seat := range m {
			m[seat] -= d.value[seat]
		}
		return m, nil
	}
	records, err := p.goOn(seed, 0, nil)
	if err != nil {
		return m, err
	}
	return correct(records, 1)[0], nil
}

// compareEnds plays on from ends of a turn and adds what their values are off by.
func (p *selfPlay) compareEnds(drawn []end, from langestrasse.Standing, seed uint64, sums *errorSums) error {
	off := make([][seats][errorGames]float64, len(drawn))
	for i := range drawn {
		var err error
		if off[i], err = p.off(&drawn[i], seed); err != nil {
			return err
		}
	}
	seat := from.Seat
	for i := range drawn {
		a := &drawn[i]
		for s := range seats {
			sums.whole[a.stage].Add(engine.Sum{Value: squareOfMean(off[i][s]), Weight: 1})
		}
		for j := range drawn[:i] {
			b := &drawn[j]
			if a.stage != b.stage {
				continue
			}
			apart := math.Abs(float64(a.state.Standing().Points[seat] - b.state.Standing().Points[seat]))
			share := 2 * (1 - math.Exp(-apart/errorLength)) // of the local variance
			x := off[i][seat]
			for game, y := range off[j][seat] {
				x[game] -= y
			}
			sums.local[a.stage].Add(engine.Sum{Value: share * squareOfMean(x), Weight: share * share})
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
