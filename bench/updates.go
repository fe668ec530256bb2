package bench

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

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
	shards        []updateShard
	decisions     int
}

// updater computes shards on one core.
type updater struct {
	graph *graph.Graph
	batch *graph.Batch
	err   error
}

// updateShard is a share of the minibatch's sequences, one per row, with its gradient.
type updateShard struct {
	invented *graph.Batch // decisions, as a rollout holds them
	gradient []float32
}

// updateShards is into how many shards an update is cut, as in the learner.
const updateShards = 8

// updateLoss has all the terms that the learner's defaults have.
var updateLoss = graph.PPO{ClipRange: 0.2, ValueCoefficient: 0.5, EntropyCoefficient: 0.01}

// newUpdates makes a minibatch with the given number of sequences of steps decisions each,
// which must divide evenly into shards, and the given number of workers.
func newUpdates(l *nn.Layout, list []Position, p kernel.Precision, sequences, steps, workers int) (*updates, error) {
	if sequences < 1 || steps < 1 || workers < 1 || sequences%updateShards != 0 {
		return nil, fmt.Errorf("updates: %d sequences of %d decisions for %d workers and %d shards",
			sequences, steps, workers, updateShards)
	}
	u := &updates{
		weights: l.Init(1), m: make([]float32, l.Size), v: make([]float32, l.Size), decisions: sequences * steps,
	}
	rows, rng := sequences/updateShards, engine.NewRNG(1, engine.ActionStream)
	for range updateShards {
		u.shards = append(u.shards, updateShard{inventedBatch(l, list, rows, steps, rng), make([]float32, l.Size)})
	}
	for range workers {
		g, err := graph.New(l, p, rows, steps)
		if err != nil {
			return nil, err
		}
		u.workers = append(u.workers, &updater{graph: g, batch: graph.NewBatch(l, rows, steps)})
	}
	return u, nil
}

// inventedBatch has positions of the list with random actions, advantages and results.
func inventedBatch(l *nn.Layout, list []Position, rows, steps int, rng *engine.RNG) *graph.Batch {
	b := graph.NewBatch(l, rows, steps)
	for i := range b.Actions {
		p := list[rng.IntN(len(list))]
		copy(b.Observations[i*l.Spec.ObservationSize:], p.Observation)
		b.SetLegal(i, p.Legal)
		b.Actions[i] = int32(p.Legal[rng.IntN(len(p.Legal))])
		b.LogProbs[i] = float32(-math.Log(float64(len(p.Legal))))
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
	var taken atomic.Int64
	for _, w := range u.workers {
		group.Go(func() { w.run(u.weights, u.shards, &taken) })
	}
	group.Wait()
	for _, w := range u.workers {
		if w.err != nil {
			return w.err
		}
	}
	sum := u.shards[0].gradient
	for _, s := range u.shards[1:] {
		kernel.Add(sum, s.gradient)
	}
	norm := math.Sqrt(kernel.SumSquares(sum)) / float64(u.decisions)
	scale := min(1, 0.5/norm) / float64(u.decisions)
	kernel.AdamStep(u.weights, sum, u.m, u.v, float32(scale), 0.9, 0.999, 1e-6, 1e-5)
	return nil
}

// run is a worker's part of one update: for each shard that nobody has taken, laying out the
// decisions and computing the gradient.
func (w *updater) run(weights []float32, shards []updateShard, taken *atomic.Int64) {
	w.err = w.graph.SetParameters(weights)
	for i := int(taken.Add(1)) - 1; i < len(shards) && w.err == nil; i = int(taken.Add(1)) - 1 {
		w.batch.Clear()
		copyBatch(w.batch, shards[i].invented)
		_, w.err = w.graph.Gradient(w.batch, updateLoss, shards[i].gradient)
	}
}

// copyBatch lays decisions out one by one, as the learner does.
func copyBatch(to, from *graph.Batch) {
	size := len(to.Observations) / len(to.Weight)
	for i := range to.Weight {
		copy(to.Observations[i*size:(i+1)*size], from.Observations[i*size:])
		to.SetLegal(i, from.Legal(i))
		to.Actions[i], to.LogProbs[i] = from.Actions[i], from.LogProbs[i]
		to.Advantages[i], to.Targets[i] = from.Advantages[i], from.Targets[i]
		to.Weight[i], to.Reset[i] = from.Weight[i], from.Reset[i]
	}
}
