package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// gradienter computes the gradient of the loss; see [graph.Graph].
type gradienter interface {
	Gradient(loss graph.Loss, gradient []float32) (graph.Stats, error)
}

// descent is what the algorithms share: it cuts a rollout into minibatches, computes their
// gradients on all cores, and moves the weights, which become the network if they are
// sound.
type descent struct {
	config  Config
	games   []engine.Game
	network *nn.Network // published: its weights are those before the iteration
	weights []float32   // being changed: the list of those that the graphs share
	shared  *graph.Weights
	adam    *adam
	backup  *adam
	rng     engine.RNG
	caution caution

	worked atomic.Uint64 // see trainer.progress

	steps int // decisions in a row of a batch
	rows  int // of a minibatch, at most
	workerPool
	parts   int // of a minibatch
	shards  []shard
	sum     []float32 // gradient of a minibatch
	squares []float64 // sum of its squares, by range

	packing, next packing         // of this pass and of the one after it
	dealt         *backgroundTask // packs the first pass over the rollout that was prepared last; nil once that has been waited for
	order         []int
}

// objective is what a pass makes smaller.
type objective struct {
	loss  graph.Loss
	write writer
	// goOn is asked before each update whether to continue. It gets the minibatch's statistics
	// and the sum of rollout.moved over it; nil means always.
	goOn func(stats graph.Stats, moved float64) bool
}

// newDescent returns a descent for minibatches of at most the given number of decisions.
func newDescent(s setup, minibatch int) (*descent, error) {
	layout := s.network.Layout
	d := &descent{
		config:     s.config,
		games:      s.games,
		network:    s.network,
		adam:       newAdam(layout.Size),
		backup:     newAdam(layout.Size),
		sum:        make([]float32, layout.Size),
		squares:    make([]float64, (layout.Size+rangeSize-1)/rangeSize),
		caution:    caution{scale: 1},
		steps:      1,
		workerPool: newWorkerPool(),
	}
	precision := s.config.precision()
	if precision == kernel.BF16 && !kernel.HasBF16() {
		return nil, errors.New("precision: bf16 needs a processor with AVX512-BF16, which this machine lacks: set learner.precision to fp32")
	}
	d.shared = graph.NewWeights(layout, precision)
	d.weights = d.shared.Flat
	copy(d.weights, s.network.Weights)
	d.rng.Seed(s.seed, engine.ActionStream)
	if layout.StateSize > 0 {
		d.steps = s.config.SequenceLength
	}
	d.rows = max(1, minibatch/d.steps)
	d.parts = min(d.rows, partsOf(minibatch, s.workers, d.memory()))
	for range shardsOf(d.parts) {
		d.shards = append(d.shards, shard{gradient: make([]float32, layout.Size)})
	}
	rows := (d.rows + d.parts - 1) / d.parts
	for range s.workers {
		g, err := graph.New(d.shared, rows, d.steps)
		if err != nil {
			return nil, err
		}
		d.workers = append(d.workers, &worker{
			evaluation: newEvaluation(s.network, d.steps),
			graph:      g,
			batch:      g.Batch,
		})
	}
	return d, nil
}

// memory reports whether the network sees a seat's past decisions through its own state.
func (d *descent) memory() bool { return d.network.Layout.StateSize > 0 }

// newRecorder returns a recorder of rows for the network.
func (d *descent) newRecorder() *recorder { return newRecorder(d.config, d.games, d.memory()) }

func (d *descent) published() *nn.Network { return d.network }

func (d *descent) progress() uint64 { return d.worked.Load() }

// snapshotWith returns the state; second is the algorithm's second list of weights, nil if
// it has none.
func (d *descent) snapshotWith(second []float32) (*snapshot, error) {
	rng, err := d.rng.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("random stream: %w", err)
	}
	return &snapshot{
		Weights: d.network.Weights, Second: second,
		M: d.adam.m, V: d.adam.v, Steps: d.adam.step,
		RNG: rng,
	}, nil
}

// restore returns to a snapshot, except for its second list of weights.
func (d *descent) restore(s *snapshot) error {
	copy(d.adam.m, s.M)
	copy(d.adam.v, s.V)
	d.adam.step = s.Steps
	if err := d.rng.UnmarshalBinary(s.RNG); err != nil {
		return fmt.Errorf("random stream: %w", err)
	}
	return nil
}

// attempt runs update, which changes the weights, and makes them the network if they are
// sound; otherwise it restores everything and takes smaller steps from then on. They are
// tried on decisions of r.
func (d *descent) attempt(r *rollout, update func() error) error {
	d.backup.copyFrom(d.adam)
	err := update()
	if err == nil {
		err = d.accept(r)
	}
	if err != nil {
		copy(d.weights, d.network.Weights)
		d.adam.copyFrom(d.backup)
	}
	d.caution.heed(err)
	return err
}

// adopt forgets what led to the present network: also the moments of the optimiser.
func (d *descent) adopt(n *nn.Network, smaller bool) {
	d.network = n
	copy(d.weights, n.Weights)
	d.adam = newAdam(n.Layout.Size)
	if smaller {
		d.caution.lower()
		return
	}
	d.caution = caution{scale: 1}
}

// learningRate returns the step size at the given part of the run, 0..1.
func (d *descent) learningRate(progress float64) float64 {
	return d.config.learningRate(progress) * d.caution.scale
}

// prepare prepares a rollout for evaluation, and has its first pass packed by the time that passes are made over it. If
// none are, there must be a settle before anything else happens to the rollout, other than another prepare, or to the
// random numbers.
func (d *descent) prepare(r *rollout) {
	d.settle()
	r.prepare(d.steps, d.network.Layout.StateSize)
	d.dealt = d.later(func() { d.shuffle(r, &d.packing) })
}

// settle returns when the first pass over the rollout that was prepared last is packed.
func (d *descent) settle() {
	if d.dealt != nil {
		d.dealt.wait()
		d.dealt = nil
	}
}

// passes makes n passes over the rollout that was prepared last, each with one update for each minibatch in a new
// random order; workers with nothing to do in one pack the next. They end early when the objective says so, or with
// ctx. It returns the sum of the statistics of the last pass that had a minibatch.
func (d *descent) passes(ctx context.Context, n int, r *rollout, o objective, rep *report) (stats graph.Stats, err error) {
	began := time.Now()
	defer func() { rep.updateTime += time.Since(began) }()
	d.settle()
	for left := n - 1; ; left-- {
		rng := d.rng
		var dealt *backgroundTask
		if left > 0 {
			dealt = d.later(func() { d.shuffle(r, &d.next) })
		}
		sum, finished, err := d.pass(ctx, r, &o, rep)
		if dealt != nil {
			dealt.wait()
		}
		if sum.Weight > 0 { // else ctx has ended between two passes
			stats = sum
		}
		if left == 0 || !finished || err != nil {
			d.rng = rng // as if no pass had been packed in advance
			return stats, err
		}
		d.packing, d.next = d.next, d.packing
	}
}

// pass makes one update with each minibatch of the packing. It returns the sum of the statistics and whether it
// finished.
func (d *descent) pass(ctx context.Context, r *rollout, o *objective, rep *report) (sum graph.Stats, finished bool, err error) {
	for _, rows := range split(d.packing.rows, d.rows) {
		if ctx.Err() != nil {
			return sum, false, nil
		}
		stats, moved, err := d.gradient(r, rows, o)
		if err != nil {
			return sum, false, err
		}
		d.worked.Add(1)
		sum.Add(stats)
		if o.goOn != nil && !o.goOn(stats, moved) {
			return sum, false, nil
		}
		if err := d.step(stats.Weight, rep); err != nil {
			return sum, false, err
		}
	}
	return sum, true, nil
}

// step clips the gradient, a sum over decisions of the given total weight, and moves the
// weights against it.
func (d *descent) step(weight float64, rep *report) error {
	squares := 0.0
	for _, s := range d.squares {
		squares += s
	}
	length := math.Sqrt(squares) / weight
	if length-length != 0 {
		return fmt.Errorf("%w: gradient norm %v", errUnsound, length)
	}
	scale := clipScale(length, d.config.GradientNorm) / weight
	d.adam.update(d.weights, d.sum, scale, rep.learningRate, d.share)
	rep.updates++
	rep.caution = d.caution.scale
	rep.gradientNorm += (length - rep.gradientNorm) / float64(rep.updates)
	return nil
}

// evaluate runs the rollout through the network, on all workers at once, and passes the
// results to take.
func (d *descent) evaluate(n *nn.Network, r *rollout, take taker) {
	d.evaluateParts(n, r, d.cuts(r), take)
}

// cuts cuts the rollout's sequences into parts for all workers (see [rollout.parts]).
func (d *descent) cuts(r *rollout) []int {
	parts := len(d.workers)
	if parts > 1 {
		parts *= 2
	}
	return r.parts(len(r.sequences), r.len(), parts)
}

// evaluateParts is evaluate for parts of the rollout, given where each begins, and the end.
func (d *descent) evaluateParts(n *nn.Network, r *rollout, parts []int, take taker) {
	d.each(len(parts)-1, func(w *worker, i int) {
		w.evaluation.SetNetwork(n)
		w.evaluation.run(r, parts[i], parts[i+1], take)
		d.worked.Add(1)
	})
}

// shuffle packs the rollout's chunks into rows in a new random order.
func (d *descent) shuffle(r *rollout, p *packing) {
	d.order = resize(d.order, len(r.chunks))
	for i := range d.order {
		d.order[i] = i
	}
	shuffle(d.order, &d.rng)
	p.pack(r.chunks, d.order, d.steps, &d.rng)
}

// split divides the rows into as few parts of at most size rows as possible, with nearly
// equal numbers of rows, so that no update rests on a small remainder.
func split(rows []row, size int) [][]row {
	parts := (len(rows) + size - 1) / size
	out := make([][]row, parts)
	for i := range out {
		out[i] = rows[i*len(rows)/parts : (i+1)*len(rows)/parts]
	}
	return out
}
