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

// trainer is PPO (Schulman et al. 2017, arXiv 1707.06347) on the games of a
// rollout; see docs/algorithms/ppo.md. It belongs to one goroutine.
type trainer struct {
	config  Config
	network *nn.Network // the weights before the iteration: those that were published
	weights []float32   // the weights that are being changed
	magnet  []float32   // exponential average of the network's weights over the iterations
	adam    *adam
	rng     engine.RNG

	steps   int // decisions in a row of a batch
	workers []*worker
	packing packing
	order   []int
	backup  *adam
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

// report is what an iteration was like.
type report struct {
	schedule
	stats             graph.Stats // sums over the last epoch
	updates           int
	explainedVariance float64
	gradientNorm      float64       // mean over the updates, before clipping
	updateTime        time.Duration // of all updates
	klStopped         bool
}

// errUnsound is wrapped by the error of an iteration that was rolled back.
var errUnsound = errors.New("unsound update")

func newTrainer(c Config, n *nn.Network, seed uint64, workers int) (*trainer, error) {
	t := &trainer{
		config:  c,
		network: n,
		weights: slices.Clone(n.Weights),
		magnet:  slices.Clone(n.Weights),
		adam:    newAdam(n.Layout.Size, c),
		backup:  newAdam(n.Layout.Size, c),
		steps:   1,
	}
	t.rng.Seed(seed, engine.ActionStream)
	if n.Layout.StateSize > 0 {
		t.steps = c.SequenceLength
	}
	rows := max(1, c.PPO.Minibatch/(workers*t.steps))
	for range workers {
		g, err := graph.New(n.Layout, rows, t.steps)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("training graph: %w", err), t.close())
		}
		t.workers = append(t.workers, &worker{
			evaluation: newEvaluation(n, t.steps),
			graph:      g,
			batch:      graph.NewBatch(n.Layout, rows, t.steps),
			gradient:   make([]float32, n.Layout.Size),
		})
	}
	return t, nil
}

// snapshot returns the trainer's state, in the memory of the trainer.
func (t *trainer) snapshot() (*snapshot, error) {
	rng, err := t.rng.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("random stream: %w", err)
	}
	return &snapshot{
		Weights: t.network.Weights, Magnet: t.magnet,
		M: t.adam.m, V: t.adam.v, Steps: t.adam.step,
		RNG: rng,
	}, nil
}

// restore goes back to a snapshot, whose weights the trainer was made with.
func (t *trainer) restore(s *snapshot) error {
	copy(t.magnet, s.Magnet)
	copy(t.adam.m, s.M)
	copy(t.adam.v, s.V)
	t.adam.step = s.Steps
	if err := t.rng.UnmarshalBinary(s.RNG); err != nil {
		return fmt.Errorf("random stream: %w", err)
	}
	return nil
}

func (t *trainer) close() error {
	var errs []error
	for _, w := range t.workers {
		errs = append(errs, w.graph.Close())
	}
	return errors.Join(errs...)
}

// iterate improves the policy on a rollout. Afterwards network holds the new
// weights, which are sound. An error that wraps errUnsound means that they were not
// and that all is as before. When ctx ends the iteration does so after the
// minibatch at hand.
func (t *trainer) iterate(ctx context.Context, r *rollout, s schedule) (report, error) {
	rep := report{schedule: s}

	// Values, and the policy from which this iteration departs, with the weights of
	// now: the games may have been played with older ones.
	r.prepare(t.steps, t.network.Layout.StateSize)
	if err := t.evaluateMagnet(r); err != nil {
		return rep, err
	}
	t.evaluate(t.network, r, t.config.PPO.Magnet == MagnetPrevious)
	r.estimate(t.config)
	rep.explainedVariance = r.explainedVariance(t.config.Gamma)

	t.backup.copyFrom(t.adam)
	err := t.update(ctx, r, &rep)
	if err == nil {
		err = t.accept(r)
	}
	if err != nil {
		copy(t.weights, t.network.Weights)
		t.adam.copyFrom(t.backup)
	}
	return rep, err
}

// update runs the epochs of minibatches.
func (t *trainer) update(ctx context.Context, r *rollout, rep *report) error {
	loss := graph.Loss{
		ClipRange:          float32(rep.clip),
		ValueClip:          float32(t.config.PPO.ValueClip),
		ValueCoefficient:   float32(t.config.PPO.ValueCoefficient),
		EntropyCoefficient: float32(rep.entropy),
	}
	if t.config.PPO.Magnet != MagnetNone {
		loss.MagnetCoefficient = float32(t.config.PPO.MagnetCoefficient)
	}
	began := time.Now()
	for range t.config.PPO.Epochs {
		rep.stats = graph.Stats{}
		t.shuffle(r)
		for _, rows := range split(t.packing.rows, len(t.workers)*t.workers[0].batch.Rows) {
			if ctx.Err() != nil {
				return nil
			}
			stats, moved, err := t.gradient(r, rows, loss)
			if err != nil {
				return err
			}
			rep.stats.Add(stats)
			// The estimate has the distance between behaviour and the policy before the
			// iteration in it, which is lag and not this iteration's doing.
			if stop := t.config.PPO.KLStop; stop > 0 && (stats.KL-moved)/stats.Weight > stop {
				rep.klStopped = true
				return nil
			}
			if err := t.step(stats.Weight, rep); err != nil {
				return err
			}
			rep.updateTime = time.Since(began)
		}
	}
	return nil
}

// step clips the gradient, a sum over decisions of the given weight, and moves
// the weights against it.
func (t *trainer) step(weight float64, rep *report) error {
	gradient := t.workers[0].gradient
	length := norm(gradient) / weight
	if length-length != 0 {
		return fmt.Errorf("%w: gradient norm %v", errUnsound, length)
	}
	t.adam.update(t.weights, gradient, clipScale(length, t.config.GradientNorm)/weight, rep.learningRate)
	rep.updates++
	rep.gradientNorm += (length - rep.gradientNorm) / float64(rep.updates)
	return nil
}

// evaluateMagnet computes the reference of magnets that are not the policy itself.
func (t *trainer) evaluateMagnet(r *rollout) error {
	switch t.config.PPO.Magnet {
	case MagnetUniform:
		r.uniform()
	case MagnetAverage:
		n, err := nn.NewNetwork(t.network.Layout, slices.Clone(t.magnet))
		if err != nil {
			return fmt.Errorf("magnet: %w", err)
		}
		t.evaluate(n, r, true)
	}
	return nil
}

// evaluate runs the rollout through the network, a part of it on each worker.
func (t *trainer) evaluate(n *nn.Network, r *rollout, reference bool) {
	first := 0
	t.parallel(func(i int, w *worker) func() {
		w.evaluation.SetNetwork(n)
		begin, end := first, first
		for end < len(r.sequences) && r.sequences[end].first*len(t.workers) < (i+1)*r.len() {
			end++
		}
		first = end
		return func() { w.evaluation.run(r, begin, end, reference) }
	})
}

// shuffle packs the rollout's chunks into rows in a new random order.
func (t *trainer) shuffle(r *rollout) {
	t.order = resize(t.order, len(r.chunks))
	for i := range t.order {
		t.order[i] = i
	}
	shuffle(t.order, &t.rng)
	t.packing.pack(r.chunks, t.order, t.steps, &t.rng)
}

// gradient computes the sum of the gradients of the rows' decisions, in the first
// worker's gradient, and the sums of their statistics; moved is how much of the KL
// estimate was there before the iteration.
func (t *trainer) gradient(r *rollout, rows []row, loss graph.Loss) (stats graph.Stats, moved float64, err error) {
	t.parallel(func(i int, w *worker) func() {
		return func() {
			clear(w.gradient)
			w.stats, w.err = graph.Stats{}, nil
			w.batch.Clear()
			for k := i; k < len(rows); k += len(t.workers) {
				t.packing.fill(w.batch, k/len(t.workers), rows[k], r)
			}
			if i < len(rows) {
				w.stats, w.err = w.graph.Gradient(t.weights, w.batch, loss, w.gradient)
			}
		}
	})
	for i, w := range t.workers {
		if w.err != nil {
			return stats, 0, fmt.Errorf("gradient: %w", w.err)
		}
		stats.Add(w.stats)
		if i > 0 {
			kernel.Add(t.workers[0].gradient, w.gradient)
		}
	}
	for _, row := range rows {
		moved += t.packing.moved(row, r)
	}
	if loss := stats.Loss + stats.Entropy + stats.KL; loss-loss != 0 {
		return stats, 0, fmt.Errorf("%w: loss %v, entropy %v, KL %v", errUnsound, stats.Loss, stats.Entropy, stats.KL)
	}
	return stats, moved, nil
}

// probeSequences is how many sequences new weights are tried on. Weights that overflow
// show it in any game.
const probeSequences = 16

// accept makes the changed weights the network, if they are finite and give finite
// probabilities and values on games of the rollout. (The values and probabilities
// of those games are overwritten.)
func (t *trainer) accept(r *rollout) error {
	n, err := nn.NewNetwork(t.network.Layout, slices.Clone(t.weights))
	if err != nil {
		return fmt.Errorf("%w: %w", errUnsound, err)
	}
	sample := min(len(r.sequences), probeSequences)
	probe := t.workers[0].evaluation
	probe.SetNetwork(n)
	probe.run(r, 0, sample, true)
	last := r.sequences[sample-1]
	decisions := last.first + last.length
	_, legal := r.legalRange(decisions - 1)
	if !finite(r.values[:decisions]) || !finite(r.reference[:legal]) {
		return fmt.Errorf("%w: values or probabilities are not finite", errUnsound)
	}
	t.network = n
	rate := float32(t.config.PPO.MagnetRate)
	for i, w := range n.Weights {
		t.magnet[i] += rate * (w - t.magnet[i])
	}
	return nil
}

// parallel calls plan for each worker in turn, and then runs what it returned on
// all workers at once.
func (t *trainer) parallel(plan func(i int, w *worker) func()) {
	var group sync.WaitGroup
	for i, w := range t.workers {
		group.Go(plan(i, w))
	}
	group.Wait()
}

// split divides the rows into as few parts of at most size rows as possible, of
// nearly the same number of rows, so that no update rests on a small rest.
func split(rows []row, size int) [][]row {
	parts := (len(rows) + size - 1) / size
	out := make([][]row, parts)
	for i := range out {
		out[i] = rows[i*len(rows)/parts : (i+1)*len(rows)/parts]
	}
	return out
}
