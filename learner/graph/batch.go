package graph

import (
	"fmt"
	"slices"

	"croupier/nn"
)

// Batch is Rows×Steps decisions, time-major: decision (t, b), step t of sequence
// b, is row t·Rows+b of every array. A decision with weight 0 is padding: it adds
// nothing to the loss, the statistics or the gradient, but its numbers must be
// finite.
type Batch struct {
	Rows, Steps int

	Observations []float32 // [Steps·Rows, ObservationSize]
	Actions      []int32   // [Steps·Rows], the action taken; legal unless padding
	LogProbs     []float32 // [Steps·Rows], behaviour log-probability of the action taken
	// Reference holds the log-probabilities of the magnet (or previous) policy, [Steps·Rows,
	// Actions]. It is read only if PPO.MagnetCoefficient is not 0; those of legal actions must
	// then be finite.
	Reference []float32
	// Teacher holds the teacher's probabilities, [Steps·Rows, Actions], all 0 where it was not
	// asked. It is read only if PPO.TeacherCoefficient is not 0.
	Teacher    []float32
	Advantages []float32 // [Steps·Rows], as they enter the loss (normalised by the caller)
	// Targets, [Steps·Rows], holds the regression targets of the value, or with action values
	// of the value of the action taken, in units of Spec.MaxReturn.
	Targets []float32
	Values  []float32 // [Steps·Rows], value before the iteration; read only for value clipping
	Weight  []float32 // [Steps·Rows], ≥ 0: how much the decision counts; 0 is padding
	// Reset, [Steps·Rows], is 1 where a sequence begins: the recurrent state is zero before
	// this step.
	Reset []float32
	// InitialState holds the parts of the recurrent states before step 0 in the order of
	// nn.Layout.States, each [Rows, size]. A row whose first step has Reset 1 ignores it.
	InitialState [][]float32

	actions    int   // of the game
	legal      []int // [Steps·Rows, actions], those of a decision from the beginning of its row
	legalCount []int // [Steps·Rows]
}

// SetLegal sets the legal actions of decision i, at least one. Padding has action 0.
func (b *Batch) SetLegal(i int, legal []int) {
	b.legalCount[i] = copy(b.legal[i*b.actions:][:b.actions], legal)
}

// Legal returns the legal actions of decision i in the order in which they were set.
func (b *Batch) Legal(i int) []int { return b.legal[i*b.actions:][:b.legalCount[i]] }

// NewBatch returns a batch of padding for the network's layout.
func NewBatch(l *nn.Layout, rows, steps int) *Batch {
	n := rows * steps
	b := &Batch{
		Rows:         rows,
		Steps:        steps,
		Observations: make([]float32, n*l.Spec.ObservationSize),
		Actions:      make([]int32, n),
		LogProbs:     make([]float32, n),
		Reference:    make([]float32, n*l.Spec.Actions),
		Teacher:      make([]float32, n*l.Spec.Actions),
		Advantages:   make([]float32, n),
		Targets:      make([]float32, n),
		Values:       make([]float32, n),
		Weight:       make([]float32, n),
		Reset:        make([]float32, n),
		actions:      l.Spec.Actions,
		legal:        make([]int, n*l.Spec.Actions),
		legalCount:   make([]int, n),
	}
	for _, size := range l.States {
		b.InitialState = append(b.InitialState, make([]float32, rows*size))
	}
	b.Clear()
	return b
}

// Resize gives the batch another number of rows, at most the number with which it was made, and
// makes every decision padding.
func (b *Batch) Resize(rows int) {
	scale := func(s []float32) []float32 { return s[:len(s)/b.Rows*rows] }
	for _, a := range b.arrays() {
		*a = scale(*a)
	}
	b.Actions = b.Actions[:rows*b.Steps]
	for i := range b.InitialState {
		b.InitialState[i] = scale(b.InitialState[i])
	}
	b.Rows = rows
	b.Clear()
}

// arrays returns the arrays of which padding has only zeros.
func (b *Batch) arrays() [9]*[]float32 {
	return [...]*[]float32{
		&b.Observations, &b.LogProbs, &b.Reference, &b.Teacher, &b.Advantages, &b.Targets, &b.Values, &b.Weight, &b.Reset,
	}
}

// padding are the legal actions of padding.
var padding = []int{0}

// Clear makes every decision padding and every initial state zero.
func (b *Batch) Clear() {
	for _, a := range b.arrays() {
		clear(*a)
	}
	clear(b.Actions)
	for i := range b.Actions {
		b.SetLegal(i, padding)
	}
	for _, s := range b.InitialState {
		clear(s)
	}
}

// check reports what is wrong with the batch's sizes, actions and masks for a network with
// the given layout and at most rows×steps decisions.
func (b *Batch) check(l *nn.Layout, rows, steps int) error {
	if b.Rows < 1 || b.Rows > rows || b.Steps != steps {
		return fmt.Errorf("batch of %d×%d decisions, the graph takes 1 to %d×%d", b.Rows, b.Steps, rows, steps)
	}
	rows = b.Rows
	n := rows * steps
	for _, a := range []struct {
		name      string
		got, want int
	}{
		{"observations", len(b.Observations), n * l.Spec.ObservationSize},
		{"actions", len(b.Actions), n},
		{"log-probabilities", len(b.LogProbs), n},
		{"reference", len(b.Reference), n * l.Spec.Actions},
		{"teacher", len(b.Teacher), n * l.Spec.Actions},
		{"advantages", len(b.Advantages), n},
		{"targets", len(b.Targets), n},
		{"values", len(b.Values), n},
		{"weight", len(b.Weight), n},
		{"reset", len(b.Reset), n},
		{"initial states", len(b.InitialState), len(l.States)},
	} {
		if a.got != a.want {
			return fmt.Errorf("batch: %s has %d elements, want %d", a.name, a.got, a.want)
		}
	}
	for i, s := range b.InitialState {
		if want := rows * l.States[i]; len(s) != want {
			return fmt.Errorf("batch: initial state %d has %d elements, want %d", i, len(s), want)
		}
	}
	return b.checkActions(l.Spec.Actions)
}

// checkActions reports a decision without a legal action, or one whose action is outside
// the action space or, unless it is padding, illegal.
func (b *Batch) checkActions(actions int) error {
	for i, a := range b.Actions {
		if a < 0 || int(a) >= actions {
			return fmt.Errorf("batch: action %d of step %d, row %d is outside 0..%d", a, i/b.Rows, i%b.Rows, actions-1)
		}
		if b.Weight[i] != 0 && !slices.Contains(b.Legal(i), int(a)) {
			return fmt.Errorf("batch: action %d of step %d, row %d is not legal", a, i/b.Rows, i%b.Rows)
		}
		if len(b.Legal(i)) == 0 {
			return fmt.Errorf("batch: step %d, row %d has no legal action", i/b.Rows, i%b.Rows)
		}
	}
	return nil
}
