package bench

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// updates repeats the same PPO update: what every update of the learner costs, from
// decisions in columns to the optimiser's step. The weights hardly move, so every update is
// like the first.
type updates struct {
	weights, m, v []float32
	workers       []*updater
}

// updater has a share of the minibatch's sequences, one per row.
type updater struct {
	graph    *graph.Graph
	invented *graph.Batch // decisions, as a rollout holds them
	batch    *graph.Batch
	gradient []float32
	err      error
}

// updateLoss has all the terms that the learner's defaults have.
var updateLoss = graph.PPO{ClipRange: 0.2, ValueCoefficient: 0.5, EntropyCoefficient: 0.01}

// newUpdates makes a minibatch with the given number of sequences of steps decisions each,
// and the given number of workers, among which the sequences must divide evenly.
func newUpdates(l *nn.Layout, sequences, steps, workers int) (*updates, error) {
	if sequences < 1 || steps < 1 || workers < 1 || sequences%workers != 0 {
		return nil, fmt.Errorf("updates: %d sequences of %d decisions for %d workers", sequences, steps, workers)
	}
	u := &updates{weights: l.Init(1), m: make([]float32, l.Size), v: make([]float32, l.Size)}
	rows, rng := sequences/workers, engine.NewRNG(1, engine.ActionStream)
	for range workers {
		g, err := graph.New(l, rows, steps)
		if err != nil {
			return nil, errors.Join(err, u.close())
		}
		u.workers = append(u.workers, &updater{
			graph: g, invented: inventedBatch(l, rows, steps, rng),
			batch: graph.NewBatch(l, rows, steps), gradient: make([]float32, l.Size),
		})
	}
	return u, nil
}

// inventedBatch has random observations, actions, advantages and results; every action is
// legal.
func inventedBatch(l *nn.Layout, rows, steps int, rng *engine.RNG) *graph.Batch {
	b := graph.NewBatch(l, rows, steps)
	for i := range b.Observations {
		b.Observations[i] = float32(2*rng.Float64() - 1)
	}
	for i := range b.Actions {
		b.Actions[i] = int32(rng.IntN(l.Spec.Actions))
		b.LogProbs[i] = float32(-math.Log(float64(l.Spec.Actions)))
		b.Advantages[i], b.Targets[i] = float32(2*rng.Float64()-1), float32(2*rng.IntN(2)-1)
		b.Weight[i] = 1
	}
	for row := range rows {
		b.Reset[row] = 1
	}
	return b
}

// run makes one update.
func (u *updates) run() error {
	var group sync.WaitGroup
	for _, w := range u.workers {
		group.Go(w.run(u.weights))
	}
	group.Wait()
	first, decisions := u.workers[0], 0
	for i, w := range u.workers {
		if w.err != nil {
			return w.err
		}
		if i > 0 {
			kernel.Add(first.gradient, w.gradient)
		}
		decisions += len(w.batch.Weight)
	}
	norm := math.Sqrt(kernel.SumSquares(first.gradient)) / float64(decisions)
	scale := min(1, 0.5/norm) / float64(decisions)
	kernel.AdamStep(u.weights, first.gradient, u.m, u.v, float32(scale), 0.9, 0.999, 1e-6, 1e-5)
	return nil
}

// run returns a worker's part of one update: laying out the decisions and computing the
// gradient.
func (w *updater) run(weights []float32) func() {
	return func() {
		clear(w.gradient)
		w.batch.Clear()
		copyBatch(w.batch, w.invented)
		_, w.err = w.graph.Gradient(weights, w.batch, updateLoss, w.gradient)
	}
}

// copyBatch lays decisions out one by one, as the learner does.
func copyBatch(to, from *graph.Batch) {
	size, actions := len(to.Observations)/len(to.Weight), len(to.Legal)/len(to.Weight)
	for i := range to.Weight {
		copy(to.Observations[i*size:(i+1)*size], from.Observations[i*size:])
		copy(to.Legal[i*actions:(i+1)*actions], from.Legal[i*actions:])
		to.Actions[i], to.LogProbs[i] = from.Actions[i], from.LogProbs[i]
		to.Advantages[i], to.Targets[i] = from.Advantages[i], from.Targets[i]
		to.Weight[i], to.Reset[i] = from.Weight[i], from.Reset[i]
	}
}

func (u *updates) close() error {
	var errs []error
	for _, w := range u.workers {
		errs = append(errs, w.graph.Close())
	}
	return errors.Join(errs...)
}
