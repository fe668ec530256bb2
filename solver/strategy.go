package solver

import (
	"fmt"
	"math"

	"croupier/engine"
	"croupier/policy"
)

// sumTolerance is how far a distribution's sum may be from 1 (networks compute in
// float32); strategy tables are normalised exactly.
const sumTolerance = 1e-3

// Strategy is a behaviour strategy for every seat of a Tree, as tables. It is immutable, and
// goroutines may share it.
type Strategy struct {
	tree *Tree
	// probability is, by seat and sequence, the probability of the sequence's action at its
	// information set; the empty sequence has 1.
	probability [][]float64
}

// newStrategy returns a Strategy with probabilities still to be filled in.
func newStrategy(t *Tree) *Strategy {
	s := &Strategy{tree: t, probability: make([][]float64, len(t.sides))}
	for seat := range t.sides {
		s.probability[seat] = make([]float64, t.sides[seat].sequences())
		s.probability[seat][0] = 1
	}
	return s
}

// StrategyOf reads what a policy does at every information set of every seat, see [Reader]. For
// each set the policy is reset and sees the seat's own decisions from the beginning of the
// game, so that recurrent policies are tabulated as they play. Its errors are those of
// [Reader.Read].
func StrategyOf(t *Tree, newPolicy func() policy.Policy) (*Strategy, error) {
	r, strategy, state := NewReader(newPolicy), newStrategy(t), t.game.NewState()
	scratch := make([]float64, t.game.Spec().Actions)
	for seat := range t.sides {
		side := &t.sides[seat]
		for set, history := range side.history {
			r.Reset()
			state.Reset()
			engine.Foresee(state, len(history), func(i int) int { return history[i] })
			for _, step := range history {
				if state.Player() == seat {
					legal := state.LegalActions(nil)
					if err := r.Read(state, legal, scratch); err != nil {
						return nil, misread(t, seat, history, err)
					}
				}
				if err := state.Apply(step); err != nil {
					return nil, fmt.Errorf("solver: replaying %v: %w", history, err)
				}
			}
			first, end := side.span(set)
			if err := r.Read(state, side.action[first:end], strategy.probability[seat][first:end]); err != nil {
				return nil, misread(t, seat, history, err)
			}
		}
	}
	return strategy, nil
}

func misread(t *Tree, seat int, history []int, err error) error {
	return fmt.Errorf("solver: %s: policy of seat %d after %v: %w", t.game.Spec().Name, seat+1, history, err)
}

// Normalise scales a distribution to sum to 1. It is an error if p is not a distribution: an
// element is negative, or the sum is not about 1.
func Normalise(p []float64) error {
	sum := 0.0
	for _, v := range p {
		if !(v >= 0) {
			return fmt.Errorf("%v is not a distribution: an element is negative or not a number", p)
		}
		sum += v
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return fmt.Errorf("%v is not a distribution: the sum is %g", p, sum)
	}
	for i := range p {
		p[i] /= sum
	}
	return nil
}

// plan writes a seat's realisation plan to dst: by sequence, the product of the probabilities
// of all its actions so far.
func (t *Tree) plan(seat int, probability, dst []float64) {
	side := &t.sides[seat]
	dst[0] = 1
	for set, parent := range side.parent {
		first, end := side.span(set)
		for q := first; q < end; q++ {
			dst[q] = dst[parent] * probability[q]
		}
	}
}

// plans returns the realisation plans of all seats.
func (s *Strategy) plans() [][]float64 {
	plans := make([][]float64, len(s.probability))
	for seat, p := range s.probability {
		plans[seat] = make([]float64, len(p))
		s.tree.plan(seat, p, plans[seat])
	}
	return plans
}

// Values returns the expected return of each seat, in the game's unit.
func (s *Strategy) Values() []float64 {
	plans, values := s.plans(), make([]float64, len(s.probability))
	for seat, plan := range plans {
		for q, v := range s.tree.marginals(seat, plans) {
			values[seat] += plan[q] * v
		}
	}
	return values
}

// Policy returns the strategy as a policy that looks up its distributions.
func (s *Strategy) Policy() policy.Stochastic { return s.newTable() }

func (s *Strategy) newTable() *table {
	return &table{strategy: s, distribution: make([]float64, s.tree.game.Spec().Actions)}
}

type table struct {
	strategy     *Strategy
	key          []byte
	distribution []float64
}

func (p *table) Reset() {}

func (p *table) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	dst := p.distribution[:len(legal)]
	p.Distribution(s, legal, dst)
	return legal[policy.Sample(dst, rng)]
}

func (p *table) Distribution(s engine.State, _ []int, dst []float64) {
	seat, first, end := p.find(s)
	copy(dst, p.strategy.probability[seat][first:end])
}

// find returns the seat to move and the sequences of its information set.
func (p *table) find(s engine.State) (seat int, first, end int32) {
	seat = s.Player()
	side := &p.strategy.tree.sides[seat]
	p.key = s.InformationKey(seat, p.key[:0])
	set, ok := side.sets[string(p.key)]
	if !ok {
		panic(fmt.Sprintf("solver: a table of %s is asked about a state of another game: %s",
			p.strategy.tree.game.Spec().Name, s))
	}
	first, end = side.span(int(set))
	return seat, first, end
}
