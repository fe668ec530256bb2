// Package reinforce is a learning algorithm for croupier in a module of its own: REINFORCE with a baseline (Williams
// 1992, "Simple statistical gradient-following algorithms for connectionist reinforcement learning", section 5). Each
// iteration is one step along the mean gradient of its games, and the value is the baseline.
package reinforce

import (
	"context"
	"math"

	"croupier/learner/train"
	"croupier/learner/train/graph"
	"croupier/nn"
)

// Settings are the algorithm's, the section learner.reinforce of a run's settings.
type Settings struct {
	Samples  int     `yaml:"samples"`  // gathered for one iteration
	Baseline float64 `yaml:"baseline"` // weight of the loss of the baseline
}

// Algorithm returns the usual settings, for croupier.Algorithm.
func Algorithm() train.Settings { return &Settings{Samples: 512, Baseline: 0.5} }

// Algorithm implements [train.Settings].
func (c *Settings) Algorithm() train.Algorithm {
	return train.Algorithm{
		Name:    "reinforce",
		Outputs: nn.PolicyOutputs,
		Series: []train.Series{
			{
				Name: "surprise", Title: "Surprise", Unit: "nats", Metric: "surprise_nats", Zero: true,
				Help: "Negative log-probability of the actions taken, mean.", Section: train.SeriesOfLearning,
			},
			train.ExplainedVariance,
		},
		Samples:    c.Samples,
		MaxLag:     1, // the method is on-policy; one version is made while games are being played
		Check:      c.check,
		NewTrainer: func(s train.Setup) (train.Trainer, error) { return newTrainer(*c, s) },
	}
}

func (c *Settings) check(s *train.Checks) {
	s.Whole("samples", c.Samples, 1, 1<<24)
	s.NotNegative("baseline", c.Baseline)
}

// trainer is the algorithm at work.
type trainer struct {
	*train.Descent
	settings Settings
}

func newTrainer(c Settings, s train.Setup) (*trainer, error) {
	d, err := train.NewDescent(s, 2*c.Samples) // games stay whole, so the last one may exceed Samples
	if err != nil {
		return nil, err
	}
	return &trainer{d, c}, nil
}

// Exploration is left to the policy's own distribution.
func (t *trainer) Exploration(float64) float64 { return 0 }

// Snapshot implements [train.Trainer]. There is no second list of weights.
func (t *trainer) Snapshot() (*train.State, error) { return t.SnapshotWith(nil) }

// Learn implements [train.Trainer].
func (t *trainer) Learn(ctx context.Context, r *train.Rollout, progress float64) (train.Report, error) {
	rep := train.Report{LearningRate: t.LearningRate(progress)}
	t.Prepare(r)
	t.Evaluate(t.Network, r, train.TakeValue)
	t.Estimate(r, 1) // with λ = 1 the advantage is the whole return less the baseline
	explained := r.ExplainedVariance(t.Config.Gamma)
	var stats graph.Stats
	err := t.Attempt(r, func() (err error) {
		o := train.Objective{Loss: loss{t.settings.Baseline}, Write: write}
		stats, err = t.Passes(ctx, 1, r, o, &rep)
		return err
	})
	rep.Readings = []train.Reading{
		{Series: "surprise", Value: stats.Entropy / stats.Weight},
		{Series: "explained_variance", Value: explained},
	}
	return rep, err
}

// write writes what the loss needs of decision i.
func write(r *train.Rollout, batch *graph.Batch, at, i int) {
	r.WriteAction(batch, at, i)
	batch.Advantages[at] = r.Advantages[i]
}

// loss is −A·log π(a) + baseline·½(v − target)². Its entropy is estimated from the actions taken.
type loss struct{ baseline float64 }

// Compute implements [graph.Loss].
func (l loss) Compute(t *graph.Terms, outputs []float32) {
	t.LogSoftmax(outputs)
	for i, weight := range t.Batch.Weight {
		_, value, logProbs, gradient := t.Decision(i, outputs)
		t.Values[i] = value
		if weight == 0 {
			continue
		}
		w, action := float64(weight), t.Batch.Actions[i]
		advantage, miss := float64(t.Batch.Advantages[i]), float64(value-t.Batch.Targets[i])
		for _, a := range t.Batch.Legal(i) {
			gradient[a] = float32(w * advantage * math.Exp(float64(logProbs[a])))
		}
		gradient[action] -= float32(w * advantage)
		gradient[t.Actions] = float32(w * l.baseline * miss)
		t.Stats.Weight += w
		t.Stats.Entropy -= w * float64(logProbs[action])
		t.Stats.Loss += w * (l.baseline*miss*miss/2 - advantage*float64(logProbs[action]))
	}
}
