package learner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"croupier/learner/graph"
	"croupier/nn"
)

// ppo is proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347) on the
// games of a rollout; see docs/algorithms/ppo.md.
type ppo struct {
	*descent
	magnet []float32 // exponential average of the network's weights over the iterations
}

func newPPO(c Config, n *nn.Network, seed uint64, workers int) (*ppo, error) {
	d, err := newDescent(c, n, seed, workers, c.PPO.Minibatch)
	if err != nil {
		return nil, err
	}
	return &ppo{d, slices.Clone(n.Weights)}, nil
}

// exploration is left to the policy's own distribution.
func (t *ppo) exploration(float64) float64 { return 0 }

func (t *ppo) snapshot() (*snapshot, error) { return t.snapshotWith(t.magnet) }

func (t *ppo) restore(s *snapshot) error {
	copy(t.magnet, s.Second)
	return t.descent.restore(s)
}

func (t *ppo) iterate(ctx context.Context, in intake, progress float64) (report, error) {
	r := in.(*recording).rollout
	rep := report{learningRate: t.config.learningRate(progress)}

	// Values, and the policy from which this iteration departs, with the weights of
	// now: the games may have been played with older ones.
	r.prepare(t.steps, t.network.Layout.StateSize)
	if err := t.evaluateMagnet(r); err != nil {
		return rep, err
	}
	take := taker(takePolicy)
	if t.config.PPO.Magnet == MagnetPrevious {
		take = takePolicyAndAll
	}
	t.evaluate(t.network, r, take)
	r.estimate(t.config)
	explained := r.explainedVariance(t.config.Gamma)

	var stats graph.Stats
	err := t.attempt(r, func() (err error) {
		stats, err = t.update(ctx, r, progress, &rep)
		return err
	})
	if err == nil {
		t.followNetwork()
	}
	w := stats.Weight
	rep.readings = []reading{
		{"entropy", stats.Entropy / w},
		{"kl", stats.KL / w},
		{"policy_loss", stats.PolicyLoss / w},
		{"value_loss", stats.ValueLoss / w},
		{"explained_variance", explained},
		{"clip_fraction", stats.Clipped / w},
	}
	return rep, err
}

// update runs the epochs of minibatches. It returns the statistics of the last one.
func (t *ppo) update(ctx context.Context, r *rollout, progress float64, rep *report) (stats graph.Stats, err error) {
	c := t.config.PPO
	loss := graph.PPO{
		ClipRange:          float32(linear(c.ClipStart, c.ClipEnd, progress)),
		ValueClip:          float32(c.ValueClip),
		ValueCoefficient:   float32(c.ValueCoefficient),
		EntropyCoefficient: float32(linear(c.EntropyStart, c.EntropyEnd, progress)),
	}
	if c.Magnet != MagnetNone {
		loss.MagnetCoefficient = float32(c.MagnetCoefficient)
	}
	goOn := func(stats graph.Stats, rows []row) bool {
		// The estimate has the distance between behaviour and the policy before the
		// iteration in it, which is lag and not this iteration's doing.
		rep.klStopped = c.KLStop > 0 && (stats.KL-t.packing.moved(rows, r))/stats.Weight > c.KLStop
		return !rep.klStopped
	}
	for range c.Epochs {
		finished := false
		if stats, finished, err = t.pass(ctx, r, loss, (*rollout).writePolicy, goOn, rep); err != nil || !finished {
			break
		}
	}
	return stats, err
}

// evaluateMagnet computes the reference of magnets that are not the policy itself.
func (t *ppo) evaluateMagnet(r *rollout) error {
	switch t.config.PPO.Magnet {
	case MagnetUniform:
		r.uniform()
	case MagnetAverage:
		n, err := nn.NewNetwork(t.network.Layout, slices.Clone(t.magnet))
		if err != nil {
			return fmt.Errorf("magnet: %w", err)
		}
		t.evaluate(n, r, takeAll)
	}
	return nil
}

// followNetwork moves the average of the weights towards the network's.
func (t *ppo) followNetwork() {
	rate := float32(t.config.PPO.MagnetRate)
	for i, w := range t.network.Weights {
		t.magnet[i] += rate * (w - t.magnet[i])
	}
}

// takePolicy keeps the value of a decision and how far the probability of the action
// has moved from that of the behaviour policy.
func takePolicy(e *evaluation, r *rollout, i, row int) {
	r.values[i] = e.Value(row)
	logRatio := float64(e.LogProbs(row)[r.actions[i]] - r.logProbs[i])
	r.moved[i] = float32(math.Expm1(logRatio) - logRatio)
}

func takePolicyAndAll(e *evaluation, r *rollout, i, row int) {
	takePolicy(e, r, i, row)
	takeAll(e, r, i, row)
}
