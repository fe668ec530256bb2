package nn

import (
	"croupier/engine"
	"croupier/nn/kernel"
)

// Evaluator runs batches of observations through a network. It belongs to one goroutine and
// does not allocate during play. For each row of a batch the caller writes the observation,
// the legal actions and (with LSTM layers) the slot, then calls Forward, then reads the
// rows' results. What is set for a row stays set until it is set again. It panics on a row
// or slot that does not exist.
type Evaluator struct {
	network *Network

	observations kernel.Rows
	legal        []int // maxBatch × Actions
	legalCount   []int
	slot         []int
	states       kernel.Rows // slots × StateSize

	plan     plan
	outputs  kernel.Rows // of the heads: logits or action values, and the value
	logProbs kernel.Rows

	probabilities []float32 // by action, of the row that Sample draws from
	chances       []float64 // by legal action, of the row that Choose draws from
	exploration   float64   // of a network of action values
}

// NewEvaluator returns an evaluator for up to maxBatch ≥ 1 rows a call and the given number
// of recurrent states, all zero. Initially row i uses slot i.
func (n *Network) NewEvaluator(maxBatch, slots int) *Evaluator {
	spec := n.Layout.Spec
	e := &Evaluator{
		network:      n,
		observations: kernel.MakeRows(maxBatch, spec.ObservationSize),
		legal:        make([]int, maxBatch*spec.Actions),
		legalCount:   make([]int, maxBatch),
		slot:         make([]int, maxBatch),
		states:       kernel.MakeRows(slots, n.Layout.StateSize),
		outputs:      kernel.MakeRows(maxBatch, spec.Actions+1),
		logProbs:     kernel.MakeRows(maxBatch, spec.Actions),

		probabilities: make([]float32, spec.Actions),
		chances:       make([]float64, spec.Actions),
	}
	for i := range e.slot {
		e.slot[i] = i
	}
	e.plan = newPlan(e, maxBatch)
	return e
}

// SetNetwork changes the weights and keeps the recurrent states. It panics if the layouts
// differ (see [Layout.Same]).
func (e *Evaluator) SetNetwork(n *Network) {
	if !e.network.Layout.Same(n.Layout) {
		panic("nn: SetNetwork with a network of another layout")
	}
	e.network = n
}

// SetExploration sets the probability, 0..1, with which a network of action values draws a
// legal action uniformly instead of playing the best one. It is initially 0 and has no
// effect on a policy, which explores by its own distribution.
func (e *Evaluator) SetExploration(probability float64) { e.exploration = probability }

// Observation returns the row's observation, Spec.ObservationSize values, for the caller to
// fill.
func (e *Evaluator) Observation(row int) []float32 {
	return e.observations.Row(row, e.observations.Stride)
}

// Observe fills the row's observation with what the network sees of a state from a seat.
func (e *Evaluator) Observe(row int, s engine.State, seat int) {
	e.network.Observe(s, seat, e.Observation(row))
}

// SetLegal copies the row's legal actions, of which there must be at least one.
func (e *Evaluator) SetLegal(row int, legal []int) {
	actions := e.network.Layout.Spec.Actions
	e.legalCount[row] = copy(e.legal[row*actions:][:actions], legal)
}

// SetSlot sets the recurrent state that the row reads and advances. Two rows of one Forward
// must not share a slot.
func (e *Evaluator) SetSlot(row, slot int) { e.slot[row] = slot }

// ResetSlot zeroes the recurrent state, as at the beginning of a game.
func (e *Evaluator) ResetSlot(slot int) { clear(e.State(slot)) }

// State returns the slot's recurrent state, [h1 c1 h2 c2 …] with Layout.StateSize values.
// It is not a copy.
func (e *Evaluator) State(slot int) []float32 { return e.states.Row(slot, e.states.Stride) }

// SetState copies a state, Layout.StateSize values, into the slot.
func (e *Evaluator) SetState(slot int, state []float32) { copy(e.State(slot), state) }

// Forward evaluates the first rows, at most maxBatch, and advances their recurrent states.
func (e *Evaluator) Forward(rows int) {
	for _, s := range e.plan.copies {
		for i := range rows {
			copy(s.dst.Row(i, s.from.Size), e.Observation(i)[s.from.Offset:])
		}
	}
	for i, step := range e.plan.steps {
		step(e.network.packed[i], rows)
	}
	if !e.network.Layout.Description.ActionValues() {
		kernel.MaskedLogSoftmax(e.logProbs, e.outputs, rows, e.logProbs.Stride, e.legalOf)
		return
	}
	for i := range rows {
		e.valueActions(i)
	}
}

// LogProbs returns the row's log-probabilities, in nats, over all Spec.Actions actions: finite and at most 0 for
// legal actions, -Inf for the others. A network of action values without exploration gives
// -Inf to every action but the one it plays. They are valid until the next Forward.
func (e *Evaluator) LogProbs(row int) []float32 {
	return e.logProbs.Row(row, e.logProbs.Stride)
}

// Value returns the row's value to the observing seat, in units of Spec.MaxReturn; for a
// network of action values it is the greatest of them. It is not finite if an activation
// overflows, which takes weights that training should never publish.
func (e *Evaluator) Value(row int) float32 { return *e.value(row) }

// heads returns the outputs of the policy heads.
func (e *Evaluator) heads(row int) []float32 {
	return e.outputs.Row(row, e.network.Layout.Spec.Actions)
}

func (e *Evaluator) value(row int) *float32 {
	return &e.outputs.Data[row*e.outputs.Stride+e.network.Layout.Spec.Actions]
}

// Sample draws a legal action of the row with the probabilities of LogProbs and returns it with its log-probability, in
// nats.
func (e *Evaluator) Sample(row int, rng *engine.RNG) (action int, logProb float32) {
	logProbs := e.LogProbs(row)
	kernel.Exps(e.probabilities, logProbs)
	x := rng.Float64()
	for _, a := range e.legalOf(row) {
		p := float64(e.probabilities[a])
		if p == 0 {
			continue
		}
		action = a
		if x < p {
			break
		}
		x -= p
	}
	return action, logProbs[action]
}

func (e *Evaluator) legalOf(row int) []int {
	return e.legal[row*e.network.Layout.Spec.Actions:][:e.legalCount[row]]
}
