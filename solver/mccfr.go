package solver

import (
	"fmt"

	"croupier/engine"
	"croupier/policy"
)

// samplesBetweenLooks is to MCCFR what sweepsBetweenLooks is to CFR.
const samplesBetweenLooks = 10_000

// MCCFR is Monte Carlo counterfactual regret minimisation by external sampling (Lanctot, Waugh,
// Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games",
// NeurIPS 2009, section 3.2), for two-player zero-sum games that are too large for full sweeps:
// an iteration visits, for each seat in turn, all actions of that seat but only one sampled
// action of the other and one outcome of chance at each node. Tables grow with the information
// keys encountered.
//
// The same seed gives the same tables. An MCCFR belongs to one goroutine.
type MCCFR struct {
	game  engine.Game
	rng   *engine.RNG
	first map[string]int32 // by information key, where its actions begin
	// By action of an information set: cumulative regret and sum of strategies.
	regret, average []float64

	levels  []*level // by depth of own decisions
	key     []byte
	returns [2]float64
}

// level is scratch for a decision at one depth.
type level struct {
	state            engine.State // after the action in hand
	legal            []int
	strategy, values []float64
}

// NewMCCFR begins with empty tables. It is an error if the game is not for two seats; the
// caller must make sure that its returns sum to zero.
func NewMCCFR(g engine.Game, seed uint64) (*MCCFR, error) {
	if seats := g.Spec().Seats; seats != 2 {
		return nil, fmt.Errorf("solver: MCCFR is for two seats, %s has %d", g.Spec().Name, seats)
	}
	return &MCCFR{game: g, rng: engine.NewRNG(seed, engine.ChanceStream), first: map[string]int32{}}, nil
}

// Run does n iterations.
func (m *MCCFR) Run(n int) {
	root := m.game.NewState()
	for range n {
		for seat := range 2 {
			root.Reset()
			m.walk(root, seat, 0)
		}
	}
}

// walk returns a sample of the state's value to the seat and updates the regrets of the seat
// and the average of the other. It changes the state.
func (m *MCCFR) walk(s engine.State, seat, depth int) float64 {
	for {
		switch s.Player() {
		case engine.Terminal:
			s.Returns(m.returns[:])
			return m.returns[seat]
		case engine.Chance:
			engine.MustApply(s, s.SampleChance(m.rng))
		case seat:
			return m.branch(s, seat, depth)
		default:
			l := m.level(depth)
			first := m.decide(s, l)
			average := m.average[first : int(first)+len(l.legal)]
			for i, p := range l.strategy {
				average[i] += p
			}
			engine.MustApply(s, l.legal[policy.Sample(l.strategy, m.rng)])
		}
	}
}

// branch tries all actions of the seat.
func (m *MCCFR) branch(s engine.State, seat, depth int) float64 {
	l := m.level(depth)
	first := m.decide(s, l)
	mean := 0.0
	for i, action := range l.legal {
		l.state.CopyFrom(s)
		engine.MustApply(l.state, action)
		l.values[i] = m.walk(l.state, seat, depth+1)
		mean += l.strategy[i] * l.values[i]
	}
	for i, v := range l.values[:len(l.legal)] {
		m.regret[int(first)+i] += v - mean
	}
	return mean
}

// level returns the scratch of a depth.
func (m *MCCFR) level(depth int) *level {
	if depth == len(m.levels) {
		n := m.game.Spec().Actions
		m.levels = append(m.levels, &level{
			state: m.game.NewState(), strategy: make([]float64, n), values: make([]float64, n),
		})
	}
	return m.levels[depth]
}

// decide finds or adds the information set of the seat to move, and writes its legal
// actions and its present strategy to l.
func (m *MCCFR) decide(s engine.State, l *level) (first int32) {
	l.legal = s.LegalActions(l.legal[:0])
	n := len(l.legal)
	l.strategy = l.strategy[:n]
	m.key = s.InformationKey(s.Player(), m.key[:0])
	first, ok := m.first[string(m.key)]
	if !ok {
		first = int32(len(m.regret))
		m.first[string(m.key)] = first
		m.regret = append(m.regret, make([]float64, n)...)
		m.average = append(m.average, make([]float64, n)...)
	}
	for i, r := range m.regret[first : int(first)+n] {
		l.strategy[i] = max(0, r)
	}
	proportional(l.strategy, l.strategy)
	return first
}

// mean writes the average strategy at an information key.
func (m *MCCFR) mean(key []byte, dst []float64) {
	clear(dst)
	if first, ok := m.first[string(key)]; ok {
		copy(dst, m.average[first:])
	}
	proportional(dst, dst)
}

// On returns the method in the form that [Iteration.Approach] drives; t must be the tree of the
// game.
func (m *MCCFR) On(t *Tree) Iteration {
	return Iteration{Run: m.Run, Every: samplesBetweenLooks, Average: func() *Strategy {
		s := newStrategy(t)
		for seat := range t.sides {
			side := &t.sides[seat]
			for key, set := range side.sets {
				first, end := side.span(int(set))
				m.mean([]byte(key), s.probability[seat][first:end])
			}
		}
		return s
	}}
}
