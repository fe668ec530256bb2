package learner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// gradienter computes the gradient of the loss; see [graph.Graph].
type gradienter interface {
	Gradient(parameters []float32, b *graph.Batch, loss graph.Loss, gradient []float32) (graph.Stats, error)
	Close() error
}

// descent is what the algorithms share: it cuts a rollout into minibatches, computes their
// gradients on all cores, and moves the weights, which become the network if they are
// sound.
type descent struct {
	config  Config
	games   []engine.Game
	network *nn.Network // published: its weights are those before the iteration
	weights []float32   // being changed
	adam    *adam
	backup  *adam
	rng     engine.RNG
	caution caution

	steps   int // decisions in a row of a batch
	workers []*worker
	packing packing
	order   []int
}

// worker computes its share of an iteration on one core.
type worker struct {
	evaluation *evaluation
	graph      gradienter
	batch      *graph.Batch
	gradient   []float32
	stats      graph.Stats
	err        error
}

// newDescent returns a descent for minibatches of at most the given number of decisions.
func newDescent(s setup, minibatch int) (*descent, error) {
	layout := s.network.Layout
	d := &descent{
		config:  s.config,
		games:   s.games,
		network: s.network,
		weights: slices.Clone(s.network.Weights),
		adam:    newAdam(layout.Size, s.config),
		backup:  newAdam(layout.Size, s.config),
		caution: caution{scale: 1},
		steps:   1,
	}
	d.rng.Seed(s.seed, engine.ActionStream)
	if layout.StateSize > 0 {
		d.steps = s.config.SequenceLength
	}
	rows := max(1, minibatch/(s.workers*d.steps))
	for range s.workers {
		g, err := graph.New(layout, rows, d.steps)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("training graph: %w", err), d.close())
		}
		d.workers = append(d.workers, &worker{
			evaluation: newEvaluation(s.network, d.steps),
			graph:      g,
			batch:      graph.NewBatch(layout, rows, d.steps),
			gradient:   make([]float32, layout.Size),
		})
	}
	return d, nil
}

// memory reports whether the network sees a seat's past decisions through its own state.
func (d *descent) memory() bool { return d.network.Layout.StateSize > 0 }

func (d *descent) published() *nn.Network { return d.network }

func (d *descent) close() error {
	var errs []error
	for _, w := range d.workers {
		errs = append(errs, w.graph.Close())
	}
	return errors.Join(errs...)
}

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
	d.adam = newAdam(n.Layout.Size, d.config)
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

// pass makes one update with each minibatch of the rollout, in a new random order. Before
// each update it asks goOn whether to continue, giving it the minibatch's statistics and
// rows. It returns the sum of the statistics and whether it finished.
func (d *descent) pass(ctx context.Context, r *rollout, loss graph.Loss, write writer,
	goOn func(stats graph.Stats, rows []row) bool, rep *report,
) (sum graph.Stats, finished bool, err error) {
	began := time.Now()
	defer func() { rep.updateTime += time.Since(began) }()
	d.shuffle(r)
	for _, rows := range split(d.packing.rows, len(d.workers)*d.workers[0].batch.Rows) {
		if ctx.Err() != nil {
			return sum, false, nil
		}
		stats, err := d.gradient(r, rows, loss, write)
		if err != nil {
			return sum, false, err
		}
		sum.Add(stats)
		if !goOn(stats, rows) {
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
	gradient := d.workers[0].gradient
	length := norm(gradient) / weight
	if length-length != 0 {
		return fmt.Errorf("%w: gradient norm %v", errUnsound, length)
	}
	d.adam.update(d.weights, gradient, clipScale(length, d.config.GradientNorm)/weight, rep.learningRate)
	rep.updates++
	rep.caution = d.caution.scale
	rep.gradientNorm += (length - rep.gradientNorm) / float64(rep.updates)
	return nil
}

// evaluate runs the rollout through the network, a part of it on each worker, and passes
// the results to take.
func (d *descent) evaluate(n *nn.Network, r *rollout, take taker) {
	first := 0
	d.parallel(func(i int, w *worker) func() {
		w.evaluation.SetNetwork(n)
		begin, end := first, first
		for end < len(r.sequences) && r.sequences[end].first*len(d.workers) < (i+1)*r.len() {
			end++
		}
		first = end
		return func() { w.evaluation.run(r, begin, end, take) }
	})
}

// shuffle packs the rollout's chunks into rows in a new random order.
func (d *descent) shuffle(r *rollout) {
	d.order = resize(d.order, len(r.chunks))
	for i := range d.order {
		d.order[i] = i
	}
	shuffle(d.order, &d.rng)
	d.packing.pack(r.chunks, d.order, d.steps, &d.rng)
}

// gradient computes the sum of the gradients over the rows' decisions, leaving it in the
// first worker's gradient, and returns the sums of their statistics.
func (d *descent) gradient(r *rollout, rows []row, loss graph.Loss, write writer) (stats graph.Stats, err error) {
	d.parallel(func(i int, w *worker) func() {
		return func() {
			clear(w.gradient)
			w.stats, w.err = graph.Stats{}, nil
			w.batch.Clear()
			for k := i; k < len(rows); k += len(d.workers) {
				d.packing.fill(w.batch, k/len(d.workers), rows[k], r, write)
			}
			if i < len(rows) {
				w.stats, w.err = w.graph.Gradient(d.weights, w.batch, loss, w.gradient)
			}
		}
	})
	for i, w := range d.workers {
		if w.err != nil {
			return stats, fmt.Errorf("gradient: %w", w.err)
		}
		stats.Add(w.stats)
		if i > 0 {
			kernel.Add(d.workers[0].gradient, w.gradient)
		}
	}
	if sum := stats.Loss + stats.Entropy + stats.KL; sum-sum != 0 {
		return stats, fmt.Errorf("%w: loss %v, entropy %v, KL %v", errUnsound, stats.Loss, stats.Entropy, stats.KL)
	}
	return stats, nil
}

// parallel calls plan for each worker in turn and runs the functions it returns on all
// workers at once.
func (d *descent) parallel(plan func(i int, w *worker) func()) {
	var group sync.WaitGroup
	for i, w := range d.workers {
		group.Go(plan(i, w))
	}
	group.Wait()
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
