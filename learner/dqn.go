package learner

import (
	"context"
	"math"
	"slices"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/nn"
)

// dqn learns action values (Mnih et al. 2015) with double n-step targets, dueling heads
// and a replay buffer of histories, drawn by priority; see docs/algorithms/dqn.md.
type dqn struct {
	*descent
	target *nn.Network // of earlier weights
	replay *replay

	replayers []*replayer // one for each worker
	parts     []*rollout  // what each of them replayed
	rollout   *rollout    // all of it
	drawn     []draw
	predicted []float32 // by decision of the rollout: the value of the action taken
	newest    uint64    // version of the weights that played the newest game
}

// draw is a game that was drawn for an iteration.
type draw struct {
	slot   int
	weight float32
}

func newDQN(c Config, games []engine.Game, n *nn.Network, seed uint64, workers int) (*dqn, error) {
	d, err := newDescent(c, n, seed, workers, c.DQN.Minibatch)
	if err != nil {
		return nil, err
	}
	t := &dqn{
		descent: d,
		target:  n,
		replay:  newReplay(c.DQN.ReplayDecisions, c.DQN.ReplayMegabytes<<20),
		rollout: newRollout(n.Layout.Spec),
	}
	for range workers {
		t.replayers = append(t.replayers, newReplayer(c, games))
		t.parts = append(t.parts, newRollout(n.Layout.Spec))
	}
	return t, nil
}

func (t *dqn) exploration(progress float64) float64 { return t.config.DQN.exploration(progress) }

// snapshot leaves out the replay buffer: seconds of play fill it again, and until then
// every decision is trained on as often as ever.
func (t *dqn) snapshot() (*snapshot, error) { return t.snapshotWith(t.target.Weights) }

func (t *dqn) restore(s *snapshot) (err error) {
	if t.target, err = nn.NewNetwork(t.network.Layout, slices.Clone(s.Second)); err != nil {
		return err
	}
	return t.descent.restore(s)
}

func (t *dqn) iterate(ctx context.Context, in intake, progress float64) (report, error) {
	rep := report{learningRate: t.config.learningRate(progress)}
	for _, g := range in.(*arrivals).games {
		t.replay.insert(g)
		t.newest = max(t.newest, g.version)
	}
	c := &t.config.DQN
	t.draw(c.ReplayRatio*float64(in.volume().decisions), linear(c.CorrectionStart, c.CorrectionEnd, progress))
	r := t.rollout
	r.prepare(t.steps, t.network.Layout.StateSize)
	// The target network's action values as the reference first, then the online
	// network's choice among them.
	t.evaluate(t.target, r, takeAll)
	t.predicted = resize(t.predicted, r.len())
	t.evaluate(t.network, r, t.takeDouble)
	r.estimateActions(c.NStep, float32(t.config.Gamma))
	meanError := t.prioritise()
	meanQ, _ := moments(r.values)
	explained := r.explainedVariance(t.config.Gamma)

	var stats graph.Stats
	steps := t.adam.step
	err := t.attempt(r, func() (err error) {
		always := func(graph.Stats, []row) bool { return true }
		stats, _, err = t.pass(ctx, r, graph.TemporalDifference{}, (*rollout).writeAction, always, &rep)
		return err
	})
	if interval := uint64(c.TargetInterval); t.adam.step/interval != steps/interval {
		t.target = t.network
	}
	rep.readings = []reading{
		{"q_loss", stats.Loss / stats.Weight},
		{"td_error", meanError},
		{"mean_q", meanQ},
		{"explained_variance", explained},
		{"exploration", c.exploration(progress)},
		{"replay_games", float64(t.replay.games())},
		{"replay_age", r.size.lag(t.newest)},
	}
	return rep, err
}

// draw makes the rollout of games with at least the given number of decisions, drawn
// from the replay buffer. Their weights in the loss make up for the priorities to the
// given degree: (N·P)^-β (Schaul et al. 2016, section 3.4), which need no scale since an
// update divides by their sum.
func (t *dqn) draw(decisions, correction float64) {
	t.drawn = t.drawn[:0]
	for decisions > 0 {
		slot, excess := t.replay.draw(&t.rng)
		t.drawn = append(t.drawn, draw{slot, float32(math.Pow(excess, -correction))})
		decisions -= float64(t.replay.slots[slot].decisions)
	}
	t.parallel(func(i int, _ *worker) func() {
		return func() {
			first, end := i*len(t.drawn)/len(t.workers), (i+1)*len(t.drawn)/len(t.workers)
			t.parts[i].reset()
			for _, d := range t.drawn[first:end] {
				t.replayers[i].replay(&t.replay.slots[d.slot], d.weight, t.parts[i])
			}
		}
	})
	t.rollout.reset()
	for _, part := range t.parts {
		t.rollout.append(part)
	}
}

// takeDouble keeps, as the value of a decision, what the reference says of the action
// that the network would play (van Hasselt et al. 2016, arXiv 1509.06461), and what the
// network says of the action taken.
func (t *dqn) takeDouble(e *evaluation, r *rollout, i, row int) {
	q := e.ActionValues(row)
	start, end := r.legalRange(i)
	best := start
	for k := start; k < end; k++ {
		if q[r.legal[k]] > q[r.legal[best]] {
			best = k
		}
	}
	r.values[i] = r.reference[best]
	t.predicted[i] = q[r.actions[i]]
}

// estimateActions computes the n-step targets of the actions taken: the return G that the
// seat really had, in which what followed n own decisions later, if the game was not over
// by then, is replaced by its value:
//
//	y_t = G_t + γⁿ·(value_{t+n} − G_{t+n})
func (r *rollout) estimateActions(n int, gamma float32) {
	r.targets = resize(r.targets, r.len())
	ahead := float32(math.Pow(float64(gamma), float64(n)))
	for _, s := range r.sequences {
		targets, values := r.targets[s.first:s.first+s.length], r.values[s.first:]
		g := s.result
		for t := s.length - 1; t >= 0; t-- {
			g = r.rewards[s.first+t] + g
			targets[t] = g
			g *= gamma
		}
		for t := range s.length - min(n, s.length) {
			targets[t] += ahead * (values[t+n] - targets[t+n])
		}
	}
}

// Weights of a game's largest and mean error in its priority (Kapturowski et al. 2019,
// "Recurrent experience replay in distributed reinforcement learning", section 2.3), and
// what keeps a game without any error in play.
const (
	largestErrorShare = 0.9
	leastError        = 1e-3
)

// prioritise gives the drawn games the priorities of their errors and returns the mean
// size of the errors.
func (t *dqn) prioritise() float64 {
	r, total := t.rollout, 0.0
	sequences := r.sequences
	for _, d := range t.drawn {
		largest, sum, n := 0.0, 0.0, 0
		own := t.replay.slots[d.slot].sequences()
		for _, s := range sequences[:own] {
			for i := s.first; i < s.first+s.length; i++ {
				size := math.Abs(float64(r.targets[i] - t.predicted[i]))
				largest, sum = max(largest, size), sum+size
			}
			n += s.length
		}
		sequences = sequences[own:]
		total += sum
		size := largestErrorShare*largest + (1-largestErrorShare)*sum/float64(n)
		t.replay.prioritise(d.slot, math.Pow(size+leastError, t.config.DQN.PriorityExponent))
	}
	return total / float64(r.len())
}
