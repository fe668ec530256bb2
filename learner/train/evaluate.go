package train

import "croupier/nn"

// evaluationRows is how many sequences are evaluated side by side.
const evaluationRows = 256

// minReference bounds the log-probabilities of the reference for actions that the policy has all but
// abandoned: a probability of 1e-10.
const minReference = -23.03

// prepare makes room for the results of evaluation and cuts the sequences into chunks of at
// most size decisions, each of which ends with a sample. With stateSize 0 (no recurrent
// layers) chunks have no state.
func (r *Rollout) prepare(size, stateSize int) {
	n := r.Len()
	r.Values = resize(r.Values, n)
	r.reference = resize(r.reference, len(r.Legal))
	r.chunks = r.chunks[:0]
	states := 0
	for i := range r.Sequences {
		s := &r.Sequences[i]
		s.state = states
		from := len(r.chunks)
		r.chunks, states = cut(r.chunks, s.First, s.Length, size, states)
		for i := range r.chunks[from:] {
			r.chunks[from+i].weight = s.Weight
		}
	}
	r.trim()
	if stateSize == 0 {
		for i := range r.chunks {
			r.chunks[i].state = noState
		}
	}
	r.states = resize(r.states, states*stateSize)
}

// trim takes the forced decisions after a chunk's last sample out of the chunks. Gradients do
// not flow from one chunk to the next, so nothing depends on them.
func (r *Rollout) trim() {
	kept := r.chunks[:0]
	for _, c := range r.chunks {
		for c.length > 0 && r.Spans[c.first+c.length-1] == 0 {
			c.length--
		}
		if c.length > 0 {
			kept = append(kept, c)
		}
	}
	r.chunks = kept
}

// parts cuts the first sequences, which have that many decisions, into n parts with about as many decisions each. It
// returns where each begins, and the end.
func (r *Rollout) parts(sequences, decisions, n int) []int {
	begins, next := make([]int, n+1), 0
	for i := range n {
		begins[i] = next
		for next < sequences && r.Sequences[next].First*n < (i+1)*decisions {
			next++
		}
	}
	begins[n] = next
	return begins
}

// Evaluation runs sequences through a network from their beginning. It belongs to
// one goroutine.
type Evaluation struct {
	*nn.Evaluator
	values    bool // the network gives action values, not a policy
	stateSize int
	chunk     int // decisions between two kept recurrent states
	lanes     []lane
}

// lane is a row of the batch: a sequence in progress and its recurrent slot.
type lane struct {
	sequence int
	step     int
	slot     int
}

func newEvaluation(n *nn.Network, chunk int) *Evaluation {
	slots := 0
	if n.Layout.StateSize > 0 {
		slots = evaluationRows
	}
	return &Evaluation{
		Evaluator: n.NewEvaluator(evaluationRows, slots),
		values:    n.Layout.Description.ActionValues(),
		stateSize: n.Layout.StateSize,
		chunk:     chunk,
	}
}

// Taker stores in a rollout what a row of a batch says about decision i.
type Taker func(e *Evaluation, r *Rollout, i, row int)

// TakeValue keeps the value of a decision.
func TakeValue(e *Evaluation, r *Rollout, i, row int) { r.Values[i] = e.Value(row) }

// run evaluates every decision of sequences first..end-1 and passes the results to take. It
// keeps the recurrent state before each chunk that does not begin its sequence.
func (e *Evaluation) run(r *Rollout, first, end int, take Taker) {
	e.lanes = e.lanes[:0]
	for len(e.lanes) < evaluationRows && first < end {
		e.lanes = append(e.lanes, lane{slot: len(e.lanes)})
		e.begin(len(e.lanes)-1, first)
		first++
	}
	for len(e.lanes) > 0 {
		for row := range e.lanes {
			e.load(r, row)
		}
		e.Forward(len(e.lanes))
		// Backwards, so that a lane moved into a gap has already been taken.
		for row := len(e.lanes) - 1; row >= 0; row-- {
			l := &e.lanes[row]
			take(e, r, r.Sequences[l.sequence].First+l.step, row)
			if l.step++; l.step < r.Sequences[l.sequence].Length {
				continue
			}
			if first < end {
				e.begin(row, first)
				first++
			} else {
				last := len(e.lanes) - 1
				e.lanes[row], e.lanes = e.lanes[last], e.lanes[:last]
			}
		}
	}
}

// begin starts a sequence in a lane.
func (e *Evaluation) begin(row, sequence int) {
	l := &e.lanes[row]
	l.sequence, l.step = sequence, 0
	if e.stateSize > 0 {
		e.ResetSlot(l.slot)
	}
}

// load writes the lane's next decision to its row and keeps the recurrent state where a
// chunk begins.
func (e *Evaluation) load(r *Rollout, row int) {
	l := e.lanes[row]
	s := r.Sequences[l.sequence]
	i := s.First + l.step
	copy(e.Observation(row), r.Observation(i))
	start, end := r.LegalRange(i)
	e.SetLegal(row, r.Legal[start:end])
	if e.stateSize == 0 {
		return
	}
	e.SetSlot(row, l.slot)
	if l.step > 0 && l.step%e.chunk == 0 {
		state := s.state + l.step/e.chunk - 1
		copy(r.states[state*e.stateSize:], e.State(l.slot))
	}
}

// takeAll keeps the value of a decision and, as the reference, the log-probabilities of its
// legal actions, or their values if the network gives action values.
func takeAll(e *Evaluation, r *Rollout, i, row int) {
	r.Values[i] = e.Value(row)
	start, end := r.LegalRange(i)
	if e.values {
		q := e.ActionValues(row)
		for k := start; k < end; k++ {
			r.reference[k] = q[r.Legal[k]]
		}
		return
	}
	logProbs := e.LogProbs(row)
	for k := start; k < end; k++ {
		r.reference[k] = max(logProbs[r.Legal[k]], minReference)
	}
}
