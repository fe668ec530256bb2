package learner

import (
	"context"
	"fmt"
	"math"

	"croupier/engine"
	"croupier/nn"
)

// Updates makes the same PPO update again and again, to measure how fast it is: the
// learner's own epoch over one minibatch of invented decisions, from the packing of
// sequences to the step of the optimiser. It belongs to one goroutine.
type Updates struct {
	trainer *ppo
	rollout *rollout
}

// NewUpdates makes a minibatch of the given number of sequences, each of the given
// number of decisions, and the given number of workers, among which the sequences
// must divide evenly. The weights hardly move, so that every update is like the first.
func NewUpdates(l *nn.Layout, sequences, steps, workers int) (*Updates, error) {
	if sequences < 1 || steps < 1 || workers < 1 || sequences%workers != 0 {
		return nil, fmt.Errorf("updates: %d sequences of %d decisions for %d workers", sequences, steps, workers)
	}
	n, err := nn.NewNetwork(l, l.Init(1))
	if err != nil {
		return nil, fmt.Errorf("updates: %w", err)
	}
	c := DefaultConfig()
	c.PPO.Epochs, c.PPO.Minibatch, c.SequenceLength = 1, sequences*steps, steps
	c.LearningRateStart, c.PPO.KLStop = 1e-6, 0
	t, err := newPPO(c, n, 1, workers)
	if err != nil {
		return nil, fmt.Errorf("updates: %w", err)
	}
	r := inventedRollout(l.Spec, sequences, steps)
	r.prepare(t.steps, l.StateSize)
	t.evaluate(n, r, takePolicy)
	r.estimate(c)
	return &Updates{t, r}, nil
}

// Run makes one update.
func (u *Updates) Run(ctx context.Context) error {
	_, err := u.trainer.update(ctx, u.rollout, 0, &report{learningRate: u.trainer.config.learningRate(0)})
	return err
}

// Close releases the workers.
func (u *Updates) Close() error { return u.trainer.close() }

// inventedRollout has random observations, actions and results; all actions are legal.
func inventedRollout(spec *engine.Spec, sequences, steps int) *rollout {
	r, rng := newRollout(spec), engine.NewRNG(1, engine.ActionStream)
	legal := make([]int, spec.Actions)
	for a := range legal {
		legal[a] = a
	}
	d := decisions{spec: spec}
	for range sequences {
		d.clear()
		for range steps {
			for range spec.ObservationSize {
				d.observations = append(d.observations, float32(2*rng.Float64()-1))
			}
			d.legal = append(d.legal, legal...)
			d.legalEnd = append(d.legalEnd, len(d.legal))
			d.actions = append(d.actions, int32(rng.IntN(spec.Actions)))
			d.logProbs = append(d.logProbs, float32(-math.Log(float64(spec.Actions))))
			d.rewards = append(d.rewards, 0)
		}
		r.addSequence(&d, float32(2*rng.IntN(2)-1), 1, 1)
	}
	return r
}
