package learner

import (
	"slices"

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
//
// Choice correction takes what the agent itself chooses later, in whatever seat, for luck as well: the policy's
// probabilities are known as those of dice are. With values that are right, what is left of an advantage is
// Q(s, a) − V(s) (as with Expected SARSA: van Seijen et al. 2009; and AIVAT for the player whose strategy is known).

// Of a chance node with more than maxOutcomes possible outcomes, sampledOutcomes that are drawn anew stand for all: the
// mean of luck stays 0, and an eighth of the variance is left in.
const (
	maxOutcomes     = 21 // of two dice
	sampledOutcomes = 8
)

// divinerStream is the stream of a game's seed from which diviners draw; see [engine.ChanceStream].
const divinerStream uint64 = 0x6c75636b // "luck"

// decided is the decider of an outcome after which the game is over.
const decided = engine.Terminal

// drawing is what chance did in a kept game between one choice and the next: one chance node, or, as when a hand
// is dealt, several with nothing but forced decisions between them. Or it is a choice of the agent.
type drawing struct {
	first, end   int // the outcomes that stand for all
	drawn, until int // those of what was drawn: one of these or a later one; of an action, all that it may bring

	chooser int // seat whose choice it is; none: chance
	legal   int // where the legal actions of the choice begin in the legal column
}

// outcome is what a drawing may bring. The game's result counts where it is over, and else the
// value to the seat that chooses next, its decider.
type outcome struct {
	probability float32 // of a choice's outcome, once the action is taken
	action      int     // that brings it: of a choice, which of the legal ones
	decider     int
	at          int // first of the results by seat, or row of the position
}

// stake says that a drawing came after a sample and before the same seat's next one, or is the choice of that one.
type stake struct {
	seat, sample, drawing int
	made                  int32 // decisions of the seat from the sample on, with what it chooses in the drawing
	later                 bool  // another round of the game has begun in between
}

// luck holds the drawings of games, in columns.
type luck struct {
	view      // of the positions
	drawings  []drawing
	outcomes  []outcome
	results   []float32 // of outcomes that end the game, by seat, in units of Spec.MaxReturn
	positions []float32 // as the deciders see them, [·, view.size()]
	stakes    []stake

	values []float32 // by position; computed by the trainer
}

func (l *luck) clear() {
	l.drawings, l.outcomes, l.stakes = l.drawings[:0], l.outcomes[:0], l.stakes[:0]
	l.results, l.positions = l.results[:0], l.positions[:0]
}

// addLuck appends the drawings of a game whose sequences come next, those of the given seats.
func (r *rollout) addLuck(o *luck, seats []record) {
	l, base := &r.luck, r.len()
	drawings, outcomes := len(l.drawings), len(l.outcomes)
	results, positions := len(l.results), len(l.positions)/l.size()
	for _, d := range o.drawings {
		d.first, d.end, d.drawn, d.until = d.first+outcomes, d.end+outcomes, d.drawn+outcomes, d.until+outcomes
		d.legal += len(r.legal)
		for seat := range d.chooser { // those before it; of chance, none
			d.legal += seats[seat].legalKept()
		}
		l.drawings = append(l.drawings, d)
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
		for _, s := range o.stakes {
			if s.seat == seat {
				l.stakes = append(l.stakes, stake{seat, s.sample + base, s.drawing + drawings, s.made, s.later})
			}
		}
		base += seats[seat].newest + 1
	}
	l.results = append(l.results, o.results...)
	l.positions = append(l.positions, o.positions...)
}

// diviner finds out what the chance nodes and choices of games may bring. It belongs to one goroutine.
type diviner struct {
	luck
	choices bool   // choices of the agent are drawings, too
	open    bool   // the newest drawing goes on to the game's next choice
	own     []bool // seats of the game that the agent plays
	state   engine.State
	after   engine.State // an action
	rng     engine.RNG   // of what might have been drawn
	list    []engine.Outcome
	legal   []int
	returns []float64

	// known are the outcomes of the chance node that comes next, one for each, if the choice before it has them already.
	known struct{ first, end int }
}

// newDiviner returns a diviner for the games with the given rules; critic says that a critic judges them, choices that
// choices are corrected.
func newDiviner(game engine.Game, critic, choices bool) *diviner {
	return &diviner{
		luck: luck{view: view{game.Spec(), critic}}, choices: choices,
		state: game.NewState(), after: game.NewState(), returns: make([]float64, game.Spec().Seats),
	}
}

// begin forgets the last game. The draws of one game follow from its seed alone, by a stream of their own.
func (v *diviner) begin(seed uint64, own []bool) {
	v.clear()
	v.own = own
	v.open = false
	v.forget()
	v.rng.Seed(seed, divinerStream)
}

// forget says that no chance node's outcomes are known.
func (v *diviner) forget() { v.known.first, v.known.end = 0, 0 }

// see adds a drawing that begins at a chance node, at which the given outcome was drawn, for the seats that have a
// sample already. A node that belongs to the last drawing adds nothing: what it brought shows at the next choice.
func (v *diviner) see(s engine.State, drawn int, seats []record) {
	if v.open || !concerned(seats) {
		return
	}
	v.list = s.Outcomes(v.list[:0])
	if len(v.list) < 2 {
		return // nothing is drawn
	}
	d := drawing{first: len(v.outcomes), chooser: none}
	switch {
	case v.known.end > v.known.first:
		d.first = v.known.first
		d.drawn = d.first + slices.IndexFunc(v.list, func(o engine.Outcome) bool { return o.Index == drawn })
		d.end = v.known.end
	case len(v.list) <= maxOutcomes:
		for _, o := range v.list {
			more := v.bring(s, o.Index, float32(o.Probability))
			if o.Index == drawn {
				d.drawn, v.open = len(v.outcomes)-1, more
			}
		}
		d.end = len(v.outcomes)
	default:
		v.sample(s)
		d.end, v.open = len(v.outcomes), true
	}
	d.until = d.drawn + 1
	v.add(d, seats)
}

// concerned says that some seat has a sample.
func concerned(seats []record) bool {
	for seat := range seats {
		if seats[seat].newest != none {
			return true
		}
	}
	return false
}

// add adds a drawing, in which all seats have a stake that have a sample.
func (v *diviner) add(d drawing, seats []record) {
	for seat := range seats {
		if r := &seats[seat]; r.newest != none {
			made := r.spans[r.newest]
			if seat == d.chooser {
				made++
			}
			v.stakes = append(v.stakes, stake{seat, r.newest, len(v.drawings), made, r.isCut()})
		}
	}
	v.drawings = append(v.drawings, d)
}

// choose ends an open drawing at a choice of the game, which is what was drawn. It adds the choice itself, of a legal
// action, if choices are corrected and it is the agent's.
func (v *diviner) choose(s engine.State, seat, action int, legal []int, seats []record) {
	if v.open {
		v.reached(v.choice(s, seat, 1))
	}
	v.forget()
	if !v.choices || !v.own[seat] || !concerned(seats) {
		return
	}
	d := drawing{first: len(v.outcomes), chooser: seat, legal: len(seats[seat].legal)}
	for i, a := range legal {
		first := len(v.outcomes)
		all := v.follow(s, a)
		end := len(v.outcomes)
		for k := first; k < end; k++ {
			v.outcomes[k].action = i
		}
		if a != action {
			continue
		}
		if d.drawn, d.until = first, end; all {
			v.known.first, v.known.end = first, end
		}
	}
	d.end = len(v.outcomes)
	v.add(d, seats)
}

// follow adds what an action may bring; all says that these are the outcomes of the chance node after it, one for each.
func (v *diviner) follow(s engine.State, action int) (all bool) {
	v.after.CopyFrom(s)
	apply(v.after, action)
	if v.after.Player() != engine.Chance {
		v.state.CopyFrom(v.after)
		v.goOn(1)
		return false
	}
	v.list = v.after.Outcomes(v.list[:0])
	if len(v.list) > maxOutcomes {
		v.sample(v.after)
		return false
	}
	all = true
	for _, o := range v.list {
		more := v.bring(v.after, o.Index, float32(o.Probability))
		all = all && !more
	}
	return all
}

// sample adds some outcomes of a chance node that stand for all.
func (v *diviner) sample(s engine.State) {
	for range sampledOutcomes {
		v.bring(s, s.SampleChance(&v.rng), 1./sampledOutcomes)
	}
}

// end ends an open drawing with the game, given its results by seat in units of Spec.MaxReturn.
func (v *diviner) end(results []float32) {
	if v.open {
		v.reached(outcome{probability: 1, decider: decided, at: len(v.results)})
		v.results = append(v.results, results...)
	}
}

// reached ends the open drawing with what it brought.
func (v *diviner) reached(o outcome) {
	d := &v.drawings[len(v.drawings)-1]
	d.drawn, d.until, v.open = len(v.outcomes), len(v.outcomes)+1, false
	v.outcomes = append(v.outcomes, o)
}

// choice is the outcome that the game goes on to a choice of the given seat.
func (v *diviner) choice(s engine.State, seat int, probability float32) outcome {
	at := len(v.positions) / v.size()
	v.positions = v.observe(s, seat, v.own, v.positions)
	return outcome{probability: probability, decider: seat, at: at}
}

// bring adds an outcome of a chance node, played on to the next choice or the end of the game; more says that chance
// had to do with what came between. That is drawn anew and no part of the game that is kept: so outcomes keep their
// means, and a network is asked only about positions of the kind it is trained on.
func (v *diviner) bring(s engine.State, o int, probability float32) (more bool) {
	v.state.CopyFrom(s)
	apply(v.state, o)
	return v.goOn(probability)
}

// goOn does so from the diviner's own state.
func (v *diviner) goOn(probability float32) (more bool) {
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
				v.outcomes = append(v.outcomes, v.choice(v.state, seat, probability))
				return more
			}
			apply(v.state, v.legal[0])
		}
	}
}

// apply takes a step that the state allows.
func apply(s engine.State, step int) {
	if err := s.Apply(step); err != nil {
		panic("learner: a possible step is refused: " + err.Error())
	}
}

// correct subtracts the luck of drawings from the rewards of the samples before them, given the policy's probability of
// each element of the legal column, if choices are corrected. Where rounds are episodes, drawings of later rounds have
// nothing to do with a sample. A seat's own choice is a sample, whose advantage has weight λ in that of the one before.
func (l *luck) correct(rewards, policy []float32, gamma, lambda float32, rounds bool) {
	for _, s := range l.stakes {
		if rounds && s.later {
			continue
		}
		d := l.drawings[s.drawing]
		var luck, given float32
		for _, o := range l.outcomes[d.drawn:d.until] {
			luck += o.probability * l.worth(o, s, gamma)
			given += o.probability
		}
		luck /= given
		for _, o := range l.outcomes[d.first:d.end] {
			p := o.probability
			if d.chooser != none {
				p *= policy[d.legal+o.action]
			}
			luck -= p * l.worth(o, s, gamma)
		}
		if s.seat == d.chooser {
			luck *= lambda
		}
		rewards[s.sample] -= luck
	}
}

// worth is what an outcome is worth to a seat at its sample. A decider's value is the loss of the others, who
// share it evenly: exactly so between two, and elsewhere an estimate as good as any that is the same for all
// draws of the node.
func (l *luck) worth(c outcome, s stake, gamma float32) float32 {
	switch {
	case c.decider == decided:
		return power(gamma, s.made-1) * l.results[c.at+s.seat]
	case c.decider == s.seat:
		return power(gamma, s.made) * l.values[c.at]
	default:
		return -power(gamma, s.made) * l.values[c.at] / float32(l.spec.Seats-1)
	}
}

// foresee computes the values of the rollout's positions with the network, on all workers at once.
func (d *descent) foresee(r *rollout) {
	l := &r.luck
	n := len(l.positions) / l.size()
	l.values = resize(l.values, n)
	batches := (n + evaluationRows - 1) / evaluationRows
	d.each(batches, func(w *worker, i int) {
		w.evaluation.SetNetwork(d.network)
		w.evaluation.judge(l, i*evaluationRows, min(n, (i+1)*evaluationRows))
	})
}

// judge computes the values of positions first..end-1, at most evaluationRows.
func (e *evaluation) judge(l *luck, first, end int) {
	size, rows := l.size(), end-first
	for row := range rows {
		copy(e.Observation(row), l.positions[(first+row)*size:][:size])
		e.SetLegal(row, onlyAction) // of a policy, values do not depend on it
	}
	e.Forward(rows)
	for row := range rows {
		l.values[first+row] = e.Value(row)
	}
}
