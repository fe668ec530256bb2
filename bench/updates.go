package bench

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"croupier/engine"
	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// updates repeats the same PPO update: what every update of the learner costs, from
// decisions in columns to the optimiser's step. The weights hardly move, so every update is
// like the first.
type updates struct {
	weights   *graph.Weights
	m, v      []float32
	workers   []*updater
	shards    []updateShard
	decisions int
}

// updater computes shards on one core.
type updater struct {
	graph *graph.Graph
	err   error
}

// updateShard is a share of the minibatch's sequences, one per row, with its gradient.
type updateShard struct {
	decisions []decision // by step and row
	gradient  []float32
}

// decision is what a rollout holds of one.
type decision struct {
	Position
	action                     int32
	logProb, advantage, target float32
}

// updateShards is into how many shards an update is cut: as large ones as most in the learner.
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
		weights: graph.NewWeights(l, p), m: make([]float32, l.Size), v: make([]float32, l.Size), decisions: sequences * steps,
	}
	copy(u.weights.Flat, l.Init(1))
	rows, rng := sequences/updateShards, engine.NewRNG(1, engine.ActionStream)
	for range updateShards {
		u.shards = append(u.shards, updateShard{invent(list, rows*steps, rng), make([]float32, l.Size)})
	}
	for range workers {
		g, err := graph.New(u.weights, rows, steps)
		if err != nil {
			return nil, err
		}
		u.workers = append(u.workers, &updater{graph: g})
	}
	return u, nil
}

// invent returns n positions of the list with random actions, advantages and results.
func invent(list []Position, n int, rng *engine.RNG) []decision {
	decisions := make([]decision, n)
	for i := range decisions {
		p := list[rng.IntN(len(list))]
		decisions[i] = decision{
			Position:  Position{Observation: slices.Clone(p.Observation), Legal: p.Legal},
			action:    int32(p.Legal[rng.IntN(len(p.Legal))]),
			logProb:   float32(-math.Log(float64(len(p.Legal)))),
			advantage: float32(2*rng.Float64() - 1), target: float32(2*rng.IntN(2) - 1),
		}
	}
	return decisions
}

// run makes one update.
func (u *updates) run() error {
	u.weights.Pack(func(n int, do func(i int)) {
		for i := range n {
			do(i)
		}
	})
	var group sync.WaitGroup
	var taken atomic.Int64
	for _, w := range u.workers {
		group.Go(func() { w.run(u.shards, &taken) })
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
	kernel.AdamStep(u.weights.Flat, sum, u.m, u.v, float32(scale), 0.9, 0.999, 1e-6, 1e-5)
	return nil
}

// run is a worker's part of one update: for each shard that nobody has taken, laying out the
// decisions and computing the gradient.
func (w *updater) run(shards []updateShard, taken *atomic.Int64) {
	for i := int(taken.Add(1)) - 1; i < len(shards) && w.err == nil; i = int(taken.Add(1)) - 1 {
		layOut(w.graph.Batch, shards[i].decisions)
		_, w.err = w.graph.Gradient(updateLoss, shards[i].gradient)
	}
}

// layOut lays decisions out one by one, as the learner does.
func layOut(b *graph.Batch, decisions []decision) {
	for i := range decisions {
		d := &decisions[i]
		b.SetObservation(i, d.Observation)
		b.SetLegal(i, d.Legal)
		b.Actions[i], b.LogProbs[i], b.Advantages[i], b.Targets[i], b.Weight[i] = d.action, d.logProb, d.advantage, d.target,
			1
	}
	for row := range b.Rows {
		b.Reset[row] = 1
	}
}
