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

	// Observations has, for each branch of the network, the columns that it reads, [Steps·Rows, columns].
	Observations [][]float32
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
	Weight  []float32 // [Steps·Rows], ≥ 0: how much the decision counts; 0 is padding
	// Reset, [Steps·Rows], is 1 where a sequence begins, else 0: the recurrent state is zero before
	// this step.
	Reset []float32
	// InitialState holds the parts of the recurrent states before step 0 in the order of
	// nn.Layout.States, each [Rows, size]. A row whose first step has Reset 1 ignores it.
	InitialState [][]float32

	columns    [][]nn.Span // of the observation, by branch
	actions    int         // of the game
	legal      []int       // [Steps·Rows, actions], those of a decision from the beginning of its row
	legalCount []int       // [Steps·Rows]
}

// SetObservation sets the observation of decision i.
func (b *Batch) SetObservation(i int, observation []float32) {
	for branch, columns := range b.columns {
		row := rowOf(b.Observations[branch], i, b.Rows*b.Steps)
		for _, s := range columns {
			row = row[copy(row, observation[s.Offset:][:s.Size]):]
		}
	}
}

// rowOf returns row i of a matrix of n rows.
func rowOf(matrix []float32, i, n int) []float32 {
	width := len(matrix) / n
	return matrix[i*width:][:width]
}

// SetLegal sets the legal actions of decision i, at least one.
func (b *Batch) SetLegal(i int, legal []int) {
	b.legalCount[i] = copy(b.legal[i*b.actions:][:b.actions], legal)
}

// Legal returns the legal actions of decision i in the order in which they were set.
func (b *Batch) Legal(i int) []int { return b.legal[i*b.actions:][:b.legalCount[i]] }

// newBatch returns a batch of padding for the network's layout.
func newBatch(l *nn.Layout, rows, steps int) *Batch {
	n := rows * steps
	b := &Batch{
		Rows:       rows,
		Steps:      steps,
		Actions:    make([]int32, n),
		LogProbs:   make([]float32, n),
		Reference:  make([]float32, n*l.Spec.Actions),
		Teacher:    make([]float32, n*l.Spec.Actions),
		Advantages: make([]float32, n),
		Targets:    make([]float32, n),
		Weight:     make([]float32, n),
		Reset:      make([]float32, n),
		actions:    l.Spec.Actions,
		legal:      make([]int, n*l.Spec.Actions),
		legalCount: make([]int, n),
	}
	for _, branch := range l.Layers.Branches {
		b.columns = append(b.columns, branch.Columns())
		b.Observations = append(b.Observations, make([]float32, n*branch.Inputs()))
	}
	for _, size := range l.States {
		b.InitialState = append(b.InitialState, make([]float32, rows*size))
	}
	for i := range n {
		b.Pad(i)
	}
	return b
}

// Resize gives the batch another number of rows, from 1 to that with which it was made. Every decision and
// every initial state must then be set, or be padding.
func (b *Batch) Resize(rows int) {
	scale := func(s *[]float32) { *s = (*s)[:len(*s)/b.Rows*rows] }
	b.eachArray(scale)
	for i := range b.InitialState {
		scale(&b.InitialState[i])
	}
	b.Actions = b.Actions[:rows*b.Steps]
	b.Rows = rows
}

// eachArray calls do for the arrays of numbers with a row for each decision.
func (b *Batch) eachArray(do func(*[]float32)) {
	for i := range b.Observations {
		do(&b.Observations[i])
	}
	for _, a := range [...]*[]float32{
		&b.LogProbs, &b.Reference, &b.Teacher, &b.Advantages, &b.Targets, &b.Weight, &b.Reset,
	} {
		do(a)
	}
}

// Pad makes decision i padding: all its numbers are 0, and its only legal action is 0.
func (b *Batch) Pad(i int) {
	b.eachArray(func(a *[]float32) { clear(rowOf(*a, i, b.Rows*b.Steps)) })
	b.Actions[i] = 0
	b.SetLegal(i, []int{0})
}

// checkActions reports a decision without a legal action, or one whose action is outside
// the action space or, unless it is padding, illegal.
func (b *Batch) checkActions() error {
	for i, a := range b.Actions {
		if a < 0 || int(a) >= b.actions {
			return fmt.Errorf("batch: action %d of step %d, row %d is outside 0..%d", a, i/b.Rows, i%b.Rows, b.actions-1)
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
