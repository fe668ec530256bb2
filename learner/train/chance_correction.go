package train

import (
	"croupier/engine"
)

// Chance correction takes the luck out of advantages: the difference between what a chance event
// brought and what it brings on average, both as the value function judges it,
//
//	luck = V(drawn) − Σ p(o) V(o),
//
// is subtracted from the rewards between a seat's samples. Its mean is 0 whatever V is, so advantages and
// value targets keep their means, and the better V is, the less they vary (Zinkevich et al. 2006,
// "Optimal unbiased estimators for evaluating agent performance"; Burch et al. 2018, AIVAT). The learner
// can do so because it replays whole games, hidden cards included.

// Of a chance node with more than maxOutcomes possible outcomes, sampledOutcomes that are drawn for it stand for all.
// The mean of luck stays 0, and an eighth of the variance is left in.
const (
	maxOutcomes     = 21 // of two dice
	sampledOutcomes = 8
)

// outcomeStream is the stream of a game's seed from which recorders draw; see [engine.ChanceStream].
const outcomeStream uint64 = 0x6c75636b // "luck"

// decided is the decider of an outcome after which the game is over.
const decided = engine.Terminal

// chanceEvent is what chance did in a kept game between one choice and the next: one chance node, or, as when a hand
// is dealt, several with nothing but forced decisions between them.
type chanceEvent struct {
	first, end int // the outcomes that stand for all
	drawn      int // that of what was drawn: one of these or a later one
}

// outcome is what an event may bring. The game's result counts where it is over, and else the
// value to the seat that chooses next, its decider.
type outcome struct {
	probability float32
	decider     int
	at          int // first of the results by seat, or row of the position
}

// term reports that an event came after a sample and before the same seat's next one.
type term struct {
	seat, sample, event int
	made                int32 // decisions of the seat from the sample on
}

// controlVariate holds the chance events of games, in columns: what is subtracted from rewards.
type controlVariate struct {
	spec      *engine.Spec
	events    []chanceEvent
	outcomes  []outcome
	results   []float32 // of outcomes that end the game, by seat, in units of Spec.MaxReturn
	positions []float32 // as the deciders see them, [·, ObservationSize]
	terms     []term

	values []float32 // by position; computed by the trainer
}

func (l *controlVariate) clear() {
	l.events, l.outcomes, l.terms = l.events[:0], l.outcomes[:0], l.terms[:0]
	l.results, l.positions = l.results[:0], l.positions[:0]
}

// add appends a position as a seat sees it and returns its row.
func (l *controlVariate) add(s engine.State, seat int) int {
	n := len(l.positions)
	l.positions = extend(l.positions, l.spec.ObservationSize)
	s.Observe(seat, l.positions[n:])
	return n / l.spec.ObservationSize
}

// addEvents appends the events of a game whose sequences come next, those of the given seats.
func (r *Rollout) addEvents(o *controlVariate, seats []seatRows) {
	l, base := &r.controlVariate, r.Len()
	events, outcomes := len(l.events), len(l.outcomes)
	results, positions := len(l.results), len(l.positions)/l.spec.ObservationSize
	for _, d := range o.events {
		l.events = append(l.events, chanceEvent{d.first + outcomes, d.end + outcomes, d.drawn + outcomes})
	}
	for _, c := range o.outcomes {
		if c.decider == decided {
			c.at += results
		} else {
			c.at += positions
		}
		l.outcomes = append(l.outcomes, c)
	}
	for seat := range seats {
		for _, s := range o.terms {
			if s.seat == seat {
				l.terms = append(l.terms, term{seat, s.sample + base, s.event + events, s.made})
			}
		}
		base += seats[seat].newest + 1
	}
	l.results = append(l.results, o.results...)
	l.positions = append(l.positions, o.positions...)
}

// chanceRecorder finds out what the chance nodes of games may bring. It belongs to one goroutine.
type chanceRecorder struct {
	controlVariate
	open    bool // the newest event continues to the game's next choice
	state   engine.State
	rng     engine.RNG // of what might have been drawn
	list    []engine.Outcome
	legal   []int
	returns []float64
}

// newChanceRecorder returns a chance recorder for the games with the given rules.
func newChanceRecorder(game engine.Game) *chanceRecorder {
	return &chanceRecorder{
		controlVariate: controlVariate{spec: game.Spec()},
		state:          game.NewState(), returns: make([]float64, game.Spec().Seats),
	}
}

// begin forgets the last game. The draws of one game follow from its seed alone, by a stream of their own.
func (v *chanceRecorder) begin(seed uint64) {
	v.clear()
	v.open = false
	v.rng.Seed(seed, outcomeStream)
}

// see adds an event that begins at a chance node, at which the given outcome was drawn, for the seats that have a
// sample already. A node that belongs to the last event adds nothing: what it brought shows at the next choice.
func (v *chanceRecorder) see(s engine.State, drawn int, seats []seatRows) {
	if v.open || !concerned(seats) {
		return
	}
	v.list = s.Outcomes(v.list[:0])
	if len(v.list) < 2 {
		return // nothing is drawn
	}
	d := chanceEvent{first: len(v.outcomes)}
	if len(v.list) <= maxOutcomes {
		for _, o := range v.list {
			more := v.bring(s, o.Index, float32(o.Probability))
			if o.Index == drawn {
				d.drawn, v.open = len(v.outcomes)-1, more
			}
		}
	} else {
		for range sampledOutcomes {
			v.bring(s, s.SampleChance(&v.rng), 1./sampledOutcomes)
		}
		v.open = true
	}
	d.end = len(v.outcomes)
	for seat := range seats {
		if r := &seats[seat]; r.newest != none {
			v.terms = append(v.terms, term{seat, r.newest, len(v.events), r.Spans[r.newest]})
		}
	}
	v.events = append(v.events, d)
}

// concerned reports that some seat has a sample.
func concerned(seats []seatRows) bool {
	for seat := range seats {
		if seats[seat].newest != none {
			return true
		}
	}
	return false
}

// choose ends an open event at a choice of the game, which is what was drawn.
func (v *chanceRecorder) choose(s engine.State, seat int) {
	if v.open {
		v.reached(outcome{probability: 1, decider: seat, at: v.add(s, seat)})
	}
}

// end ends an open event with the game, given its results by seat in units of Spec.MaxReturn.
func (v *chanceRecorder) end(results []float32) {
	if v.open {
		v.reached(outcome{probability: 1, decider: decided, at: len(v.results)})
		v.results = append(v.results, results...)
	}
}

// reached ends the open event with what it brought.
func (v *chanceRecorder) reached(o outcome) {
	d := &v.events[len(v.events)-1]
	d.drawn, v.open = len(v.outcomes), false
	v.outcomes = append(v.outcomes, o)
}

// bring adds an outcome of a chance node, played on to the next choice or the end of the game; more says that chance
// had to do with what came between. That is drawn again and no part of the game that is kept: so outcomes keep their
// means, and a network is asked only about positions of the kind it is trained on.
func (v *chanceRecorder) bring(s engine.State, o int, probability float32) (more bool) {
	v.state.CopyFrom(s)
	apply(v.state, o)
	for {
		switch seat := v.state.Player(); seat {
		case engine.Terminal:
			v.outcomes = append(v.outcomes, outcome{probability: probability, decider: decided, at: len(v.results)})
			v.state.Returns(v.returns)
			for _, r := range v.returns {
				v.results = append(v.results, float32(r/v.spec.MaxReturn))
			}
			return more
		case engine.Chance:
			apply(v.state, v.state.SampleChance(&v.rng))
			more = true
		default:
			v.legal = v.state.LegalActions(v.legal[:0])
			if len(v.legal) > 1 {
				v.outcomes = append(v.outcomes, outcome{probability: probability, decider: seat, at: v.add(v.state, seat)})
				return more
			}
			apply(v.state, v.legal[0])
		}
	}
}

// apply takes a step that the state allows.
func apply(s engine.State, step int) {
	if err := s.Apply(step); err != nil {
		panic("train: a possible step is refused: " + err.Error())
	}
}

// correct subtracts the luck of events from the rewards of the samples before them.
func (l *controlVariate) correct(rewards []float32, gamma float32) {
	for _, s := range l.terms {
		d := l.events[s.event]
		drawn := l.outcomes[d.drawn]
		luck := drawn.probability * l.worth(drawn, s, gamma) / drawn.probability // rounded as it always was
		for _, o := range l.outcomes[d.first:d.end] {
			luck -= o.probability * l.worth(o, s, gamma)
		}
		rewards[s.sample] -= luck
	}
}

// worth is what an outcome is worth to a seat at its sample. A decider's value is the loss of the others, who
// share it evenly: exactly so between two, and elsewhere an estimate as good as any that is the same for all
// draws of the node.
func (l *controlVariate) worth(c outcome, s term, gamma float32) float32 {
	switch {
	case c.decider == decided:
		return power(gamma, s.made-1) * l.results[c.at+s.seat]
	case c.decider == s.seat:
		return power(gamma, s.made) * l.values[c.at]
	default:
		return -power(gamma, s.made) * l.values[c.at] / float32(l.spec.Seats-1)
	}
}

// onlyAction is a legal action for positions of which only the value is asked.
var onlyAction = []int{0}

// evaluateOutcomes computes the values of the rollout's positions with the network, on all workers at once.
func (d *Descent) evaluateOutcomes(r *Rollout) {
	l := &r.controlVariate
	n := len(l.positions) / l.spec.ObservationSize
	l.values = resize(l.values, n)
	batches := (n + evaluationRows - 1) / evaluationRows
	d.each(batches, func(w *worker, i int) {
		w.evaluation.SetNetwork(d.Network)
		w.evaluation.evaluatePositions(l, i*evaluationRows, min(n, (i+1)*evaluationRows))
	})
}

// evaluatePositions computes the values of positions first..end-1, at most evaluationRows.
func (e *Evaluation) evaluatePositions(l *controlVariate, first, end int) {
	size, rows := l.spec.ObservationSize, end-first
	for row := range rows {
		copy(e.Observation(row), l.positions[(first+row)*size:][:size])
		e.SetLegal(row, onlyAction) // of a policy, values do not depend on it
	}
	e.Forward(rows)
	for row := range rows {
		l.values[first+row] = e.Value(row)
	}
}
