package bench

import (
	"context"
	"fmt"
	"math"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// updates repeats the same PPO update on the learner's own [train.Descent]: from decisions in columns to the
// optimiser's step. The weights hardly move, so every update is like the first.
type updates struct {
	descent *train.Descent
	rollout *train.Rollout
	report  train.Report
}

// updateLoss has all the terms that the learner's defaults have.
var updateLoss = graph.PPO{ClipRange: 0.2, ValueCoefficient: 0.5, EntropyCoefficient: 0.01}

// newUpdates makes updates of one minibatch with the given number of sequences of steps decisions each.
func newUpdates(n Network, p kernel.Precision, sequences, steps, workers int) (*updates, error) {
	l, err := nn.NewLayout(n.Description, n.Spec)
	if err != nil {
		return nil, err
	}
	network, err := nn.NewNetwork(l, l.Init(1))
	if err != nil {
		return nil, err
	}
	c := train.DefaultConfig()
	c.Precision, c.SequenceLength = p.String(), steps
	d, err := train.NewDescent(train.Setup{Config: c, Network: network, Seed: 1, Workers: workers}, sequences*steps)
	if err != nil {
		return nil, fmt.Errorf("updates: %w", err)
	}
	u := &updates{descent: d, rollout: invent(n, sequences, steps), report: train.Report{LearningRate: 1e-6}}
	d.Prepare(u.rollout)
	return u, nil
}

// invent returns sequences of positions of the network with random actions, advantages and results.
func invent(n Network, sequences, steps int) *train.Rollout {
	r, rng := train.NewRollout(n.Spec), engine.NewRNG(1, engine.ActionStream)
	for i := range sequences {
		r.Sequences = append(r.Sequences, train.Sequence{First: i * steps, Length: steps, Weight: 1})
	}
	for range sequences * steps {
		p := n.Positions[rng.IntN(len(n.Positions))]
		r.Observations = append(r.Observations, p.Observation...)
		r.Legal = append(r.Legal, p.Legal...)
		r.LegalEnd = append(r.LegalEnd, len(r.Legal))
		r.Actions = append(r.Actions, int32(p.Legal[rng.IntN(len(p.Legal))]))
		r.LogProbs = append(r.LogProbs, float32(-math.Log(float64(len(p.Legal)))))
		r.Advantages = append(r.Advantages, float32(2*rng.Float64()-1))
		r.Targets = append(r.Targets, float32(2*rng.IntN(2)-1))
		r.Spans = append(r.Spans, 1)
	}
	return r
}

// run makes one update.
func (u *updates) run(ctx context.Context) error {
	_, err := u.descent.Passes(ctx, 1, u.rollout, train.Objective{Loss: updateLoss, Write: train.WritePolicy}, &u.report)
	return err
}
