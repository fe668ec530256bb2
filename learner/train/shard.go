package train

import (
	"fmt"
	"sync/atomic"

	"croupier/learner/train/graph"
	"croupier/nn/kernel"
)

// A minibatch is cut into equal parts of at least partSamples samples, as many as below where there are not more
// workers: fewer for networks with memory, whose products have a row for each sequence only. Up to that number of
// workers, the weights do not depend on it.
//
// A shard is a part, or half of one in the last quarter of the minibatch: a worker that finds none left waits for
// the last one of another, so that one is small.
const (
	partSamples      = 128
	recurrentParts   = 8
	feedForwardParts = 16
)

// partsOf returns into how many parts a minibatch of that many samples is cut.
func partsOf(minibatch, workers int, memory bool) int {
	parts := feedForwardParts
	if memory {
		parts = recurrentParts
	}
	return max(1, min(max(parts, workers), minibatch/partSamples))
}

// shardsOf returns the number of shards of that many parts.
func shardsOf(parts int) int { return parts + parts/4 }

// ranges is how many ranges n weights are.
func ranges(n int) int { return (n + rangeSize - 1) / rangeSize }

// rangeSize is how many weights a worker takes at a time: with their gradients of all shards
// they fit into a level-2 cache.
const rangeSize = 1 << 10

// shard is some rows of a minibatch. Whichever worker is free computes it.
type shard struct {
	rows     []row
	gradient []float32
	stats    graph.Stats
	moved    float64 // see packing.moved
	err      error
}

// worker computes shards and evaluates on one core.
type worker struct {
	evaluation *Evaluation
	graph      gradienter
	batch      *graph.Batch // of the graph
	awake      atomic.Bool  // a goroutine looks for tasks for it
}

// share calls do for ranges that make up 0..n-1, on all workers at once. The ranges do not
// depend on the number of workers.
func (d *Descent) share(n int, do func(first, end int)) {
	d.each(ranges(n), func(_ *worker, i int) { do(i*rangeSize, min(n, (i+1)*rangeSize)) })
}

// gradient sets d.sum to the sum of the gradients over the rows' decisions. It returns the sums
// of their statistics and of how far the policy had moved (see packing.moved).
func (d *Descent) gradient(r *Rollout, rows []row, o *Objective) (stats graph.Stats, moved float64, err error) {
	w := &minibatch{d: d, r: r, o: o, shards: d.cut(rows), parts: len(d.firsts) - 1}
	d.shared.Pack(d.spread)
	if err := d.do(w); err != nil {
		return stats, 0, err
	}
	for _, s := range w.shards {
		if s.err != nil {
			return stats, 0, fmt.Errorf("gradient: %w", s.err)
		}
		stats.Add(s.stats)
		moved += s.moved
	}
	if sum := stats.Weight + stats.Loss + stats.Entropy + stats.KL; sum-sum != 0 {
		return stats, 0, fmt.Errorf("%w: loss %v, entropy %v, KL %v", ErrUnsound, stats.Loss, stats.Entropy, stats.KL)
	}
	return stats, moved, nil
}

// cut gives the rows of a minibatch to shards, the large ones first, and notes at which shard each part begins.
func (d *Descent) cut(rows []row) []shard {
	parts, used := min(d.parts, len(rows)), 0
	d.firsts = d.firsts[:0]
	add := func(rows []row) {
		d.shards[used].rows = rows
		used++
	}
	for i := range parts {
		d.firsts = append(d.firsts, used)
		part := rows[i*len(rows)/parts : (i+1)*len(rows)/parts]
		if half := len(part) / 2; half > 0 && i >= parts-parts/4 {
			add(part[:half])
			part = part[half:]
		}
		add(part)
	}
	d.firsts = append(d.firsts, used)
	return d.shards[:used]
}

// lookAhead is how many rows before one is filled its first decision is asked for. The rows of a shard lie
// anywhere in a rollout that is larger than the caches near a core.
const lookAhead = 8

// compute computes a shard on a worker.
func (d *Descent) compute(w *worker, s *shard, r *Rollout, o *Objective) {
	w.batch.Resize(len(s.rows))
	for b, row := range s.rows {
		if coming := b + lookAhead; coming < len(s.rows) {
			i := s.rows[coming].first
			kernel.Prefetch(r.Observation(i))
			start, end := r.LegalRange(i)
			kernel.Prefetch(r.Legal[start:end])
		}
		d.packing.fill(w.batch, b, row, r, o.Write)
	}
	s.moved = d.packing.moved(s.rows, r)
	s.stats, s.err = w.graph.Gradient(o.Loss, s.gradient)
}
