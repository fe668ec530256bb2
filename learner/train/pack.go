package train

import (
	"iter"
	"slices"

	"croupier/engine"
	"croupier/learner/train/graph"
)

// chunk is a run of consecutive decisions of one sequence that are trained on together:
// gradients flow through time within a chunk but not beyond it.
type chunk struct {
	first, length int
	state         int     // index of the recurrent state before the chunk; noState where it is zero
	weight        float32 // of its samples
}

// noState marks a chunk whose recurrent state is zero at its beginning.
const noState = -1

// cut appends the chunks of a sequence, all of the given size except the last. States are
// numbered from nextState on; it returns the next free number.
func cut(chunks []chunk, first, length, size, nextState int) ([]chunk, int) {
	for done := 0; done < length; done += size {
		state := noState
		if done > 0 {
			state = nextState
			nextState++
		}
		chunks = append(chunks, chunk{first: first + done, length: min(size, length-done), state: state})
	}
	return chunks, nextState
}

// packing lays chunks out in rows of a fixed number of steps. A row holds one or more
// chunks, one after the other from step 0 on, followed by padding. A chunk with a state
// begins at step 0, because that is where a row's state is set.
type packing struct {
	rows []row
	next []int   // chunk that follows in the same row
	open [][]int // rows with room, by number of free steps
}

// row is a list of chunks. It has a copy of its first, most often its only one, because chunks are in
// random order, and looking one up takes as long as much of what is done with it.
type row struct {
	chunk
	number, last int // of the first chunk and of the last
	used         int // steps
}

const none = -1

// pack places every chunk, none longer than steps, in rows whose order is random. The
// packing is best fit, decreasing (Johnson et al. 1974): chunks that need the beginning of
// a row come first, then the longest, each into the fullest row that has room. order is a random
// permutation of the chunks, which pack sorts unless each has a row of its own.
func (p *packing) pack(chunks []chunk, order []int, steps int, rng *engine.RNG) {
	p.rows, p.next = p.rows[:0], resize(p.next, len(chunks))
	if len(p.open) != steps+1 {
		p.open = make([][]int, steps+1)
	}
	for free := range p.open {
		p.open[free] = p.open[free][:0]
	}
	sorted := steps > 1
	if sorted {
		sortForPacking(order, chunks)
	}
	for _, c := range order {
		r := none
		if chunks[c].state == noState {
			r = p.fullest(chunks[c].length)
		}
		p.place(c, chunks[c], r)
	}
	if sorted {
		shuffle(p.rows, rng)
	}
}

// sortForPacking puts those that need the beginning of a row first, then the longest.
func sortForPacking(order []int, chunks []chunk) {
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := chunks[a].state == noState, chunks[b].state == noState; {
		case x == y:
			return chunks[b].length - chunks[a].length
		case y:
			return -1
		default:
			return 1
		}
	})
}

// fullest removes the fullest row with at least length free steps from the open rows and
// returns it, none if there is none.
func (p *packing) fullest(length int) int {
	for free := length; free < len(p.open); free++ {
		if n := len(p.open[free]); n > 0 {
			r := p.open[free][n-1]
			p.open[free] = p.open[free][:n-1]
			return r
		}
	}
	return none
}

// place appends a chunk, number c, to a row or to a new one.
func (p *packing) place(c int, ch chunk, r int) {
	if r == none {
		r = len(p.rows)
		p.rows = append(p.rows, row{chunk: ch, number: c, last: c})
	} else {
		p.next[p.rows[r].last] = c
		p.rows[r].last = c
	}
	p.rows[r].used += ch.length
	free := len(p.open) - 1 - p.rows[r].used
	if free > 0 {
		p.open[free] = append(p.open[free], r)
	}
}

// Writer writes everything that a loss needs of decision i, except its weight and whether its sequence begins, to
// position at of a batch.
type Writer func(r *Rollout, batch *graph.Batch, at, i int)

// fill writes one row of the packing to row b of a batch. Everything that write
// reads must have been computed.
func (p *packing) fill(batch *graph.Batch, b int, row row, r *Rollout, write Writer) {
	at := b // of the next step
	r.writeState(batch, b, row.state)
	for ch := range p.chunks(row, r.chunks) {
		for i := range ch.length {
			write(r, batch, at, ch.first+i)
			batch.Reset[at], batch.Weight[at] = 0, 0
			if i == 0 && ch.state == noState {
				batch.Reset[at] = 1
			}
			if r.Spans[ch.first+i] > 0 {
				batch.Weight[at] = ch.weight
			}
			at += batch.Rows
		}
	}
	for ; at < batch.Rows*batch.Steps; at += batch.Rows {
		batch.Pad(at)
	}
}

// chunks yields the chunks of a row, given all.
func (p *packing) chunks(row row, all []chunk) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		ch, c := row.chunk, row.number
		for yield(ch) && c != row.last {
			c = p.next[c]
			ch = all[c]
		}
	}
}

// moved sums the KL estimate between the behaviour policy and the policy before the
// iteration over the rows' decisions, if the rollout has one.
func (p *packing) moved(rows []row, r *Rollout) (sum float64) {
	if len(r.moved) == 0 {
		return 0
	}
	for _, row := range rows {
		for ch := range p.chunks(row, r.chunks) {
			for _, m := range r.moved[ch.first : ch.first+ch.length] {
				sum += float64(m)
			}
		}
	}
	return sum
}

// WriteAction is the writer for action values: observation, actions and target.
func (r *Rollout) WriteAction(batch *graph.Batch, at, i int) {
	batch.SetObservation(at, r.Observation(i))
	start, end := r.LegalRange(i)
	batch.SetLegal(at, r.Legal[start:end])
	batch.Actions[at] = r.Actions[i]
	batch.Targets[at] = r.Targets[i]
}

// writeState writes a recurrent state, [h1 c1 h2 c2 …], to row b of a batch, zeros for noState.
func (r *Rollout) writeState(batch *graph.Batch, b, state int) {
	size := 0
	for _, part := range batch.InitialState {
		size += len(part) / batch.Rows
	}
	first := 0 // of the part
	for _, part := range batch.InitialState {
		n := len(part) / batch.Rows
		to := part[b*n : (b+1)*n]
		if state == noState {
			clear(to)
		} else {
			copy(to, r.states[state*size+first:])
		}
		first += n
	}
}

// shuffle permutes in place (Fisher and Yates).
func shuffle[T any](s []T, rng *engine.RNG) {
	for i := len(s) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}
