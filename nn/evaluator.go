package nn

import (
	"croupier/engine"
	"croupier/nn/kernel"
)

// Evaluator runs batches of observations through a network. It belongs to one
// goroutine, and playing with it does not allocate. For each row of a batch the
// caller writes the observation, the legal actions and (with LSTM layers) the
// slot, then calls Forward, then reads the results of the rows. What was set for a
// row stays set until it is set again. A row or slot that does not exist panics.
type Evaluator struct {
	network *Network

	observations kernel.Rows
	legal        []int // maxBatch × Actions
	legalCount   []int
	slot         []int
	states       kernel.Rows // slots × StateSize

	plan     plan
	logits   kernel.Rows
	logProbs kernel.Rows
	values   kernel.Rows

	probabilities []float32 // Actions, of the row that Sample draws from
	exploration   float64   // of a network of action values
}

// NewEvaluator makes an evaluator for up to maxBatch ≥ 1 rows a call and the given
// number of recurrent states, all zero. At the beginning row i has slot i.
func (n *Network) NewEvaluator(maxBatch, slots int) *Evaluator {
	spec := n.Layout.Spec
	e := &Evaluator{
		network:      n,
		observations: kernel.MakeRows(maxBatch, spec.ObservationSize),
		legal:        make([]int, maxBatch*spec.Actions),
		legalCount:   make([]int, maxBatch),
		slot:         make([]int, maxBatch),
		states:       kernel.MakeRows(slots, n.Layout.StateSize),
		logits:       kernel.MakeRows(maxBatch, spec.Actions),
		logProbs:     kernel.MakeRows(maxBatch, spec.Actions),
		values:       kernel.MakeRows(maxBatch, 1),

		probabilities: make([]float32, spec.Actions),
	}
	for i := range e.slot {
		e.slot[i] = i
	}
	e.plan = newPlan(e, maxBatch)
	return e
}

// SetNetwork changes the weights; recurrent states stay. It panics when the
// layout is not the same (see [Layout.Same]).
func (e *Evaluator) SetNetwork(n *Network) {
	if !e.network.Layout.Same(n.Layout) {
		panic("nn: SetNetwork with a network of another layout")
	}
	e.network = n
}

// SetExploration says with which probability, 0..1, play by action values draws any
// legal action alike instead of the one of the greatest value. At the beginning it is
// 0. A policy explores by its own distribution: it does nothing.
func (e *Evaluator) SetExploration(probability float64) { e.exploration = probability }

// Observation returns the row's observation, Spec.ObservationSize values, for
// the caller to write.
func (e *Evaluator) Observation(row int) []float32 {
	return e.observations.Row(row, e.observations.Stride)
}

// SetLegal copies the legal actions of the row, at least one.
func (e *Evaluator) SetLegal(row int, legal []int) {
	actions := e.network.Layout.Spec.Actions
	e.legalCount[row] = copy(e.legal[row*actions:][:actions], legal)
}

// SetSlot says which recurrent state the row reads and advances. Two rows of one
// Forward must not share a slot.
func (e *Evaluator) SetSlot(row, slot int) { e.slot[row] = slot }

// ResetSlot makes the recurrent state zero, as at the beginning of a game.
func (e *Evaluator) ResetSlot(slot int) { clear(e.State(slot)) }

// State returns the slot's recurrent state, [h1 c1 h2 c2 …] with Layout.StateSize
// values: not a copy.
func (e *Evaluator) State(slot int) []float32 { return e.states.Row(slot, e.states.Stride) }

// SetState copies a state, Layout.StateSize values, into the slot.
func (e *Evaluator) SetState(slot int, state []float32) { copy(e.State(slot), state) }

// Forward evaluates the first rows and advances their recurrent states.
func (e *Evaluator) Forward(rows int) {
	for _, s := range e.plan.copies {
		for i := range rows {
			copy(s.dst.Row(i, s.from.Size), e.Observation(i)[s.from.Offset:])
		}
	}
	for i, step := range e.plan.steps {
		step(e.network.packed[i], rows)
	}
	actionValues := e.network.Layout.Description.ActionValues()
	for i := range rows {
		if actionValues {
			e.valueActions(i)
		} else {
			kernel.MaskedLogSoftmax(e.LogProbs(i), e.logits.Row(i, e.logits.Stride), e.legalOf(i))
		}
	}
}

// LogProbs returns the log-probabilities of the row over all actions: finite and
// at most 0 for legal ones, -Inf for the others. A network of action values without
// exploration gives -Inf to all but the one that it plays. They hold until the next
// Forward.
func (e *Evaluator) LogProbs(row int) []float32 {
	return e.logProbs.Row(row, e.logProbs.Stride)
}

// Value returns the value of the row for the seat that observes, in units of
// Spec.MaxReturn; of a network of action values it is the greatest of them. It is not
// finite when an activation overflows, which takes weights that no training should
// publish.
func (e *Evaluator) Value(row int) float32 { return e.values.Data[row] }

// Sample draws a legal action of the row and returns it with its log-probability.
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
