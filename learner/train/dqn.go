package train

import (
	"context"
	"math"
	"slices"

	"croupier/learner/train/graph"
	"croupier/messages"
	"croupier/nn"
)

// DQNConfig holds the hyperparameters specific to DQN. Values with a start and an end move
// linearly with the progress of the run.
type DQNConfig struct {
	Samples     int     `yaml:"samples"`      // new samples gathered for one iteration
	ReplayRatio float64 `yaml:"replay_ratio"` // samples drawn from the replay buffer for each new one
	Minibatch   int     `yaml:"minibatch"`    // samples in one update, at most

	ReplayDecisions int `yaml:"replay_decisions"` // samples that the replay buffer keeps
	ReplayMegabytes int `yaml:"replay_megabytes"` // memory that it may take

	NStep          int `yaml:"n_step"`          // the seat's samples before its target bootstraps from a value
	TargetInterval int `yaml:"target_interval"` // updates between copies to the target network

	PriorityExponent float64 `yaml:"priority_exponent"` // how strongly draws favour games with large errors; 0: not at all

	ExplorationStart    float64 `yaml:"exploration_start"`    // share of random decisions in training games at the start
	ExplorationEnd      float64 `yaml:"exploration_end"`      // share of random decisions in training games at the end
	ExplorationFraction float64 `yaml:"exploration_fraction"` // part of the run after which it has reached ExplorationEnd
}

// defaultDQN returns the usual settings.
func defaultDQN() DQNConfig {
	return DQNConfig{
		Samples:     4096, // a few new versions a second on two cores
		ReplayRatio: 4,    // as often as PPO sees a decision; Mnih et al. 2015 use 8
		Minibatch:   512,  // R2D2 and Ape-X: 64 and 512; small networks need large matrices

		ReplayDecisions: 1_000_000, // Mnih et al. 2015
		ReplayMegabytes: 512,

		NStep:          5,   // R2D2; Rainbow uses 3
		TargetInterval: 200, // 100,000 decisions; Mnih et al. 2015: 10,000 updates of 32

		PriorityExponent: 0.6, // Schaul et al. 2016, section 4

		ExplorationStart:    1,
		ExplorationEnd:      0.05,
		ExplorationFraction: 0.1, // Mnih et al. 2015 use 2 % of a much longer run
	}
}

func (c *DQNConfig) check(s *Checks) {
	s.Whole("samples", c.Samples, 1, 1<<24)
	s.Positive("replay_ratio", c.ReplayRatio)
	s.Whole("minibatch", c.Minibatch, 1, 1<<20)
	s.Whole("replay_decisions", c.ReplayDecisions, 1, 1<<40)
	s.Whole("replay_megabytes", c.ReplayMegabytes, 1, 1<<20)
	s.Whole("n_step", c.NStep, 1, 1<<20)
	s.Whole("target_interval", c.TargetInterval, 1, 1<<30)
	s.Share("priority_exponent", c.PriorityExponent)
	s.Share("exploration_start", c.ExplorationStart)
	s.Share("exploration_end", c.ExplorationEnd)
	s.Check(c.ExplorationFraction > 0 && c.ExplorationFraction <= 1,
		"exploration_fraction", c.ExplorationFraction, "above 0 and at most 1")
}

// How far weights in the loss correct for the priorities of draws, in the beginning and in the end: β (Schaul et al.
// 2016, section 4).
const (
	correctionStart = 0.4
	correctionEnd   = 1
)

// exploration returns ε at the given part of the run, 0..1.
func (c *DQNConfig) exploration(progress float64) float64 {
	return Linear(c.ExplorationStart, c.ExplorationEnd, min(progress/c.ExplorationFraction, 1))
}

// Algorithm implements [Settings].
func (c *DQNConfig) Algorithm() Algorithm {
	return Algorithm{
		Name:       "dqn",
		Outputs:    nn.ActionValueOutputs,
		Series:     dqnSeries,
		Samples:    c.Samples,
		MaxLag:     math.MaxUint64, // it learns from any policy: only the replay buffer bounds the age
		Second:     "target",
		Check:      c.check,
		NewTrainer: func(s Setup) (Trainer, error) { return newDQN(*c, s) },
	}
}

var dqnSeries = []messages.Series{
	ExplainedVariance,
	{
		Name: "td_error", Title: "TD error", Unit: "of the largest return", Metric: "td_error",
		Help:    "Mean absolute temporal-difference error, in units of the largest return.",
		Section: messages.SeriesOfLearning, Zero: true, Smaller: true,
	},
	{
		Name: "mean_q", Title: "Action value", Unit: "of the largest return", Metric: "mean_q",
		Help:    "Mean value of the best action according to the target network, in units of the largest return.",
		Section: messages.SeriesOfLearning,
	},
	{
		Name: "q_loss", Title: "Action value loss", Unit: "loss", Metric: "q_loss",
		Help: "Huber loss of the action values, mean.", Section: messages.SeriesOfLearning, Zero: true, Smaller: true,
	},
	{
		Name: "exploration", Title: "Exploration", Unit: "share of decisions", Metric: "exploration_ratio",
		Help:    "Share of the decisions in training games that are drawn uniformly from the legal actions.",
		Section: messages.SeriesOfLearning, Zero: true,
	},
	{
		Name: "replay_games", Title: "Replay buffer", Unit: "games", Metric: "replay_games",
		Help: "Games in the replay buffer.", Section: messages.SeriesOfThroughput, Zero: true,
	},
	{
		Name: "replay_age", Title: "Replay age", Unit: "versions", Metric: "replay_age_versions",
		Help:    "Mean number of versions by which the drawn games' weights are behind those of the newest game.",
		Section: messages.SeriesOfThroughput, Zero: true,
	},
}

// dqn learns action values (Mnih et al. 2015) with double n-step targets, dueling heads
// and a replay buffer of histories, drawn by priority; see docs/explain/algorithms/dqn.md.
type dqn struct {
	*Descent
	settings DQNConfig
	target   *nn.Network // of earlier weights
	replay   *replay

	replayers []*replayer // one for each worker
	parts     []*Rollout  // what each replayer has rebuilt
	rollout   *Rollout    // all parts
	drawn     []draw
	predicted []float32 // value of the action taken, by decision of the rollout
	newest    uint64    // version of the weights that played the newest game
}

// draw is a game drawn for an iteration.
type draw struct {
	slot   int
	weight float32
}

func newDQN(c DQNConfig, s Setup) (*dqn, error) {
	d, err := NewDescent(s, c.Minibatch)
	if err != nil {
		return nil, err
	}
	t := &dqn{
		Descent:  d,
		settings: c,
		target:   s.Network,
		replay:   newReplay(c.ReplayDecisions, c.ReplayMegabytes<<20),
		rollout:  NewRollout(s.Network.Layout.Spec),
	}
	for range s.Workers {
		t.replayers = append(t.replayers, newReplayer(s.Config, s.Games, d.memory()))
		t.parts = append(t.parts, NewRollout(s.Network.Layout.Spec))
	}
	return t, nil
}

// NewRecorder returns a recorder that counts decisions: the replay buffer has the games.
func (t *dqn) NewRecorder() *Recorder {
	r := t.Descent.NewRecorder()
	r.rows.counted = true
	return r
}

func (t *dqn) Exploration(progress float64) float64 { return t.settings.exploration(progress) }

// Snapshot leaves out the replay buffer: seconds of play refill it, and until then every
// decision is trained on as often as usual.
func (t *dqn) Snapshot() (*State, error) { return t.SnapshotWith(t.target.Weights) }

func (t *dqn) Restore(s *State) (err error) {
	if t.target, err = nn.NewNetwork(t.Network.Layout, slices.Clone(s.Second)); err != nil {
		return err
	}
	return t.Descent.Restore(s)
}

func (t *dqn) Adopt(n *nn.Network, smaller bool) {
	t.Descent.Adopt(n, smaller)
	t.target = n
	if !smaller {
		// What the buffer has was seen by weights that are gone, in the positions to which they led: an agent that
		// begins again would long learn from little else, and so come back to the weakness of others that it has
		// found already.
		t.replay = newReplay(t.settings.ReplayDecisions, t.settings.ReplayMegabytes<<20)
	}
}

// Learn runs one iteration: it adds the new games to the replay buffer and trains on a
// rollout drawn from it.
func (t *dqn) Learn(ctx context.Context, in *Rollout, progress float64) (Report, error) {
	rep := Report{LearningRate: t.LearningRate(progress)}
	for _, g := range in.games {
		t.replay.insert(g)
		t.newest = max(t.newest, g.version)
	}
	c := &t.settings
	t.draw(c.ReplayRatio*float64(in.Size.Samples), Linear(correctionStart, correctionEnd, progress))
	r := t.rollout
	t.Prepare(r)
	// First the target network's action values become the reference, then the online
	// network chooses among them.
	t.Evaluate(t.target, r, takeAll)
	t.predicted = resize(t.predicted, r.Len())
	t.Evaluate(t.Network, r, t.takeDouble)
	r.estimateActions(c.NStep, float32(t.Config.Gamma))
	meanError := t.prioritise()
	meanQ := r.moments(r.Values).Mean
	explained := r.ExplainedVariance(t.Config.Gamma)

	var stats graph.Stats
	steps := t.adam.step
	err := t.Attempt(r, func() (err error) {
		stats, err = t.Passes(ctx, 1, r, Objective{Loss: graph.TemporalDifference{}, Write: (*Rollout).WriteAction}, &rep)
		return err
	})
	if interval := uint64(c.TargetInterval); t.adam.step/interval != steps/interval {
		t.target = t.Network
	}
	rep.Readings = []Reading{
		{"q_loss", stats.Loss / stats.Weight},
		{"td_error", meanError},
		{"mean_q", meanQ},
		{"explained_variance", explained},
		{"exploration", c.exploration(progress)},
		{"replay_games", float64(t.replay.games())},
		{"replay_age", r.Size.Lag(t.newest)},
	}
	return rep, err
}

// draw fills the rollout with games drawn from the replay buffer, at least the given number
// of samples in all. Their weights in the loss correct for the priorities to the given
// degree: (N·P)^-β (Schaul et al. 2016, section 3.4). They need no scaling, since an update
// divides by their sum.
func (t *dqn) draw(samples, correction float64) {
	t.drawn = t.drawn[:0]
	for samples > 0 {
		slot, excess := t.replay.draw(&t.rng)
		t.drawn = append(t.drawn, draw{slot, float32(math.Pow(excess, -correction))})
		samples -= float64(t.replay.slots[slot].samples)
	}
	t.each(len(t.parts), func(_ *worker, i int) {
		first, end := i*len(t.drawn)/len(t.parts), (i+1)*len(t.drawn)/len(t.parts)
		t.parts[i].Reset()
		for _, d := range t.drawn[first:end] {
			t.replayers[i].replay(&t.replay.slots[d.slot], d.weight, t.parts[i])
		}
	})
	t.rollout.Reset()
	for _, part := range t.parts {
		t.rollout.append(part)
	}
}

// takeDouble keeps, as the value of a decision, the reference's value of the action that
// the network would play (van Hasselt et al. 2016, arXiv 1509.06461), and the network's own
// value of the action taken.
func (t *dqn) takeDouble(e *Evaluation, r *Rollout, i, row int) {
	q := e.ActionValues(row)
	start, end := r.LegalRange(i)
	best := start
	for k := start; k < end; k++ {
		if q[r.Legal[k]] > q[r.Legal[best]] {
			best = k
		}
	}
	r.Values[i] = r.reference[best]
	t.predicted[i] = q[r.Actions[i]]
}

// estimateActions computes the n-step targets of the actions taken. The target is the
// return G that the seat actually received, except that everything beyond n of its
// samples, if the game lasted that long, is replaced by the value of that later sample:
//
//	y_t = G_t + γᵈ·(value_{t+n} − G_{t+n})
//
// where d is the number of the seat's decisions between the two, the sum of n spans. Rows
// that are no samples get the target 0.
func (r *Rollout) estimateActions(n int, gamma float32) {
	r.Targets = resize(r.Targets, r.Len())
	clear(r.Targets)
	var samples []int
	var before []int32 // decisions before each sample
	for _, s := range r.Sequences {
		samples = r.samplesOf(s, samples[:0])
		g := s.Result
		for _, i := range slices.Backward(samples) {
			g = r.Rewards[i] + power(gamma, r.Spans[i]-1)*g
			r.Targets[i] = g
			g *= gamma
		}
		before = resize(before, len(samples))
		made := int32(0)
		for k, at := range samples {
			before[k], made = made, made+r.Spans[at]
		}
		for k, at := range samples { // the later targets are still whole returns
			if end := k + n; end < len(samples) {
				later := samples[end]
				r.Targets[at] += power(gamma, before[end]-before[k]) * (r.Values[later] - r.Targets[later])
			}
		}
	}
}

// Weights of a game's largest and mean error in its priority (Kapturowski et al. 2019,
// "Recurrent experience replay in distributed reinforcement learning", section 2.3), and
// the minimum error, which keeps games without any error in play.
const (
	largestErrorShare = 0.9
	leastError        = 1e-3
)

// prioritise sets the drawn games' priorities by their errors and returns the mean absolute
// error.
func (t *dqn) prioritise() float64 {
	r, total := t.rollout, 0.0
	sequences := r.Sequences
	var samples []int
	for _, d := range t.drawn {
		largest, sum, n := 0.0, 0.0, 0
		own := t.replay.slots[d.slot].sequences()
		for _, s := range sequences[:own] {
			samples = r.samplesOf(s, samples[:0])
			for _, i := range samples {
				size := math.Abs(float64(r.Targets[i] - t.predicted[i]))
				largest, sum = max(largest, size), sum+size
			}
			n += len(samples)
		}
		sequences = sequences[own:]
		total += sum
		size := largestErrorShare*largest + (1-largestErrorShare)*sum/float64(n)
		t.replay.prioritise(d.slot, math.Pow(size+leastError, t.settings.PriorityExponent))
	}
	return total / float64(r.Size.Samples)
}
