package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"croupier/engine"
	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// gradienter computes the gradient of the loss; see [graph.Graph].
type gradienter interface {
	Gradient(loss graph.Loss, gradient []float32) (graph.Stats, error)
}

// Descent is what the algorithms share: it cuts a rollout into minibatches, computes their
// gradients on all cores, and moves the weights, which become the network if they are
// sound.
type Descent struct {
	Config  Config        // what the algorithms share
	Games   []engine.Game // of the curriculum, by stage number
	Network *nn.Network   // published: its weights are those before the iteration
	weights []float32     // being changed: the list of those that the graphs share
	shared  *graph.Weights
	adam    *adam
	backup  *adam
	rng     engine.RNG
	caution Caution
	// exchange connects the learners of a group; nil: there is one.
	exchange Exchange

	worked atomic.Uint64 // see [Trainer]

	steps int // decisions in a row of a batch
	rows  int // of a minibatch, at most
	workerPool
	parts   int // of a minibatch
	shards  []shard
	firsts  []int     // shards with which parts of the minibatch at hand begin, and their number
	sum     []float32 // gradient of a minibatch
	squares []float64 // sum of its squares, by range

	packing, next packing // of this pass and of the one after it
	// packs the first pass over the rollout that was prepared last; nil once that has been waited for
	dealt *backgroundTask
	order []int
}

// Objective is what a pass makes smaller.
type Objective struct {
	Loss  graph.Loss // of a minibatch
	Write Writer     // writes what the loss needs of each decision
	// Continue reports before each update whether to continue. It gets the minibatch's statistics and the sum, over its
	// decisions, of estimates of KL(policy that played ‖ policy before the iteration) in nats. nil: always.
	Continue func(stats graph.Stats, moved float64) bool
}

// NewDescent returns a descent for minibatches of at most the given number of decisions.
func NewDescent(s Setup, minibatch int) (*Descent, error) {
	layout := s.Network.Layout
	d := &Descent{
		Config:     s.Config,
		Games:      s.Games,
		Network:    s.Network,
		adam:       newAdam(layout.Size),
		backup:     newAdam(layout.Size),
		sum:        make([]float32, layout.Size),
		squares:    make([]float64, ranges(layout.Size)),
		caution:    Caution{Scale: 1},
		steps:      1,
		exchange:   s.Exchange,
		workerPool: newWorkerPool(),
	}
	precision := s.Config.precision()
	if precision == kernel.BF16 && !kernel.HasBF16() {
		return nil, errors.New("precision: bf16 needs a processor with AVX512-BF16, which this machine lacks: set learner.precision to fp32")
	}
	d.shared = graph.NewWeights(layout, precision)
	d.weights = d.shared.Flat
	copy(d.weights, s.Network.Weights)
	d.rng.Seed(s.Seed, engine.ActionStream)
	if layout.StateSize > 0 {
		d.steps = s.Config.SequenceLength
	}
	d.rows = max(1, minibatch/d.steps)
	d.parts = min(d.rows, partsOf(minibatch, cmp.Or(s.CutFor, s.Workers), d.memory()))
	for range shardsOf(d.parts) {
		d.shards = append(d.shards, shard{gradient: make([]float32, layout.Size)})
	}
	rows := (d.rows + d.parts - 1) / d.parts
	for range s.Workers {
		g, err := graph.New(d.shared, rows, d.steps)
		if err != nil {
			return nil, err
		}
		d.workers = append(d.workers, &worker{
			evaluation: newEvaluation(s.Network, d.steps),
			graph:      g,
			batch:      g.Batch,
		})
	}
	return d, nil
}

// memory reports whether the network sees a seat's past decisions through its own state.
func (d *Descent) memory() bool { return d.Network.Layout.StateSize > 0 }

// NewRecorder returns a recorder of rows for the network.
func (d *Descent) NewRecorder() *Recorder { return newRecorder(d.Config, d.Games, d.memory()) }

// Published implements [Trainer].
func (d *Descent) Published() *nn.Network { return d.Network }

// Progress implements [Trainer]. Minibatches and parts of evaluations count.
func (d *Descent) Progress() uint64 { return d.worked.Load() }

// SnapshotWith returns the state; second is the algorithm's second list of weights, nil if
// it has none.
func (d *Descent) SnapshotWith(second []float32) (*State, error) {
	rng, err := d.rng.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("random stream: %w", err)
	}
	return &State{
		Weights: d.Network.Weights, Second: second,
		M: d.adam.m, V: d.adam.v, Steps: d.adam.step,
		RNG: rng, Caution: d.caution,
	}, nil
}

// Restore returns to a state, except for its second list of weights.
func (d *Descent) Restore(s *State) error {
	copy(d.adam.m, s.M)
	copy(d.adam.v, s.V)
	d.adam.step = s.Steps
	if err := d.rng.UnmarshalBinary(s.RNG); err != nil {
		return fmt.Errorf("random stream: %w", err)
	}
	if s.Caution.Scale > 0 {
		d.caution = s.Caution
	}
	return nil
}

// Attempt runs update, which changes the weights, and makes them the network if they are
// sound; otherwise it restores everything and takes smaller steps from then on. They are
// tried on decisions of r.
func (d *Descent) Attempt(r *Rollout, update func() error) error {
	d.backup.copyFrom(d.adam)
	err := update()
	if err == nil {
		err = d.accept(r)
	}
	if err != nil {
		copy(d.weights, d.Network.Weights)
		d.adam.copyFrom(d.backup)
	}
	d.caution.heed(err)
	return err
}

// Adopt forgets what led to the present network: also the moments of the optimiser.
func (d *Descent) Adopt(n *nn.Network, smaller bool) {
	d.Network = n
	copy(d.weights, n.Weights)
	d.adam = newAdam(n.Layout.Size)
	if smaller {
		d.caution.lower()
		return
	}
	d.caution = Caution{Scale: 1}
}

// Continue implements [Trainer].
func (d *Descent) Continue(weights []float32, r *Rollout) error {
	if r == nil {
		n, err := nn.NewNetwork(d.Network.Layout, slices.Clone(weights))
		if err != nil {
			return err
		}
		d.Network = n
		copy(d.weights, weights)
		return nil
	}
	copy(d.weights, weights)
	err := d.accept(r)
	if err != nil {
		copy(d.weights, d.Network.Weights)
	}
	return err
}

// LearningRate returns Adam's step size at the given part of the run, 0..1, scaled by [Caution].
func (d *Descent) LearningRate(progress float64) float64 {
	return d.Config.LearningRate(progress) * d.caution.Scale
}

// Prepare prepares a rollout for evaluation, and has its first pass packed by the time that passes are made over it. If
// none are, [Descent.Settle] must be called before anything else happens to the rollout, other than another Prepare, or
// to the random numbers.
func (d *Descent) Prepare(r *Rollout) {
	d.Settle()
	r.prepare(d.steps, d.Network.Layout.StateSize)
	d.dealt = d.later(func() { d.shuffle(r, &d.packing) })
}

// Settle returns when the first pass over the rollout that was prepared last is packed.
func (d *Descent) Settle() {
	if d.dealt != nil {
		d.dealt.wait()
		d.dealt = nil
	}
}

// Passes makes n passes over the rollout that was prepared last, each with one update for each minibatch in a new
// random order; workers with nothing to do in one pack the next. They end early when the objective says so, or with
// ctx. It returns the sum of the statistics of the last pass that had a minibatch.
func (d *Descent) Passes(ctx context.Context, n int, r *Rollout, o Objective, rep *Report) (stats graph.Stats,
	err error) {
	began := time.Now()
	defer func() { rep.UpdateTime += time.Since(began) }()
	d.Settle()
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
func (d *Descent) pass(ctx context.Context, r *Rollout, o *Objective, rep *Report) (sum graph.Stats, finished bool,
	err error) {
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
		if o.Continue != nil && !o.Continue(stats, moved) {
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
func (d *Descent) step(weight float64, rep *Report) error {
	squares := 0.0
	for _, s := range d.squares {
		squares += s
	}
	length := math.Sqrt(squares) / weight
	if length-length != 0 {
		return fmt.Errorf("%w: gradient norm %v", ErrUnsound, length)
	}
	scale := clipScale(length, d.Config.GradientNorm) / weight
	d.adam.update(d.weights, d.sum, scale, rep.LearningRate, d.share)
	rep.Updates++
	rep.Caution = d.caution.Scale
	rep.GradientNorm += (length - rep.GradientNorm) / float64(rep.Updates)
	return nil
}

// Evaluate runs the rollout through the network, on all workers at once, and passes the
// results to take.
func (d *Descent) Evaluate(n *nn.Network, r *Rollout, take Taker) {
	d.evaluateParts(n, r, d.cuts(r), take)
}

// Estimate computes the advantages and targets of a rollout, in units of Spec.MaxReturn, from its values by generalized
// advantage estimation (Schulman et al. 2016, arXiv 1506.02438, equation 16) with λ = lambda, 0..1, and γ of the
// settings, on all workers at once.
func (d *Descent) Estimate(r *Rollout, lambda float64) {
	estimate, parts := r.estimator(r.Values, d.Config.Gamma, lambda), d.cuts(r)
	d.spread(len(parts)-1, func(i int) { estimate(parts[i], parts[i+1]) })
}

// cuts cuts the rollout's sequences into parts for all workers (see [Rollout.parts]).
func (d *Descent) cuts(r *Rollout) []int { return r.parts(len(r.Sequences), r.Len(), d.tasks()) }

// tasks is into how many tasks something is cut that all workers do.
func (d *Descent) tasks() int {
	if n := len(d.workers); n > 1 {
		return 2 * n
	}
	return 1
}

// evaluateParts is evaluate for parts of the rollout, given where each begins, and the end.
func (d *Descent) evaluateParts(n *nn.Network, r *Rollout, parts []int, take Taker) {
	d.each(len(parts)-1, func(w *worker, i int) {
		w.evaluation.SetNetwork(n)
		w.evaluation.run(r, parts[i], parts[i+1], take)
		d.worked.Add(1)
	})
}

// shuffle packs the rollout's chunks into rows in a new random order.
func (d *Descent) shuffle(r *Rollout, p *packing) {
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
