package learner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/messages"
	"croupier/nn"
)

// PPOConfig holds the hyperparameters specific to PPO. Values with a start and an end move
// linearly with the progress of the run, unless RegularisationPower says otherwise.
type PPOConfig struct {
	Samples   int `yaml:"samples"`   // gathered for one iteration
	Epochs    int `yaml:"epochs"`    // passes over them
	Minibatch int `yaml:"minibatch"` // samples in one update, at most

	// ClipStart and ClipEnd are how far the probability ratio may leave 1 before its gradient is
	// cut off.
	ClipStart        float64 `yaml:"clip_start"`
	ClipEnd          float64 `yaml:"clip_end"`
	ValueCoefficient float64 `yaml:"value_coefficient"` // weight of the value loss
	EntropyStart     float64 `yaml:"entropy_start"`     // weight of the entropy bonus
	EntropyEnd       float64 `yaml:"entropy_end"`
	BarrierStart     float64 `yaml:"barrier_start"` // weight of the barrier before probability 0
	BarrierEnd       float64 `yaml:"barrier_end"`
	// RegularisationPower is the power of what is left of the run with which entropy bonus and barrier fall; 1: linearly.
	RegularisationPower float64 `yaml:"regularisation_power"`

	Magnet            string  `yaml:"magnet"`             // none or average
	MagnetCoefficient float64 `yaml:"magnet_coefficient"` // weight of KL(policy ‖ magnet)
	// MagnetRate is how far the average magnet moves in the first iteration, 0..1, and later in proportion to the
	// learning rate.
	MagnetRate float64 `yaml:"magnet_rate"`

	Teacher            string  `yaml:"teacher"`             // a bot of the game that the policy begins by imitating; "": none
	TeacherCoefficient float64 `yaml:"teacher_coefficient"` // weight of the cross-entropy to it at the start
	TeacherUntil       float64 `yaml:"teacher_until"`       // share of the run at which that weight has fallen to 0
	TeacherShare       float64 `yaml:"teacher_share"`       // of the games, drawn at random, that it is asked about

	GAELambda        float64 `yaml:"gae_lambda"`        // 1: use the game's result, 0: the next value
	ChanceCorrection bool    `yaml:"chance_correction"` // takes the luck of chance events out of the advantages

	KLStop float64 `yaml:"kl_stop"` // nats by which an iteration may move the policy before it stops; 0: no limit
	MaxLag uint64  `yaml:"max_lag"` // most versions by which a game's policy may lag behind
}

func (c *PPOConfig) reset() {
	*c = PPOConfig{
		Samples:   16384, // about one new version a second on two cores
		Epochs:    4,     // within 4 to 8 of Rudolph et al. 2026
		Minibatch: 2048,  // their largest; small networks need large matrices

		ClipStart:        0.2,  // Schulman et al. 2017
		ClipEnd:          0.1,  // smaller towards the end, as is usual
		ValueCoefficient: 0.5,  // as in CleanRL
		EntropyStart:     0.01, // enough where dice explore; poker needs a magnet (docs/algorithms/ppo.md)
		EntropyEnd:       0,
		BarrierStart:     0, // off
		BarrierEnd:       0,

		RegularisationPower: 1,

		Magnet:            MagnetNone,
		MagnetCoefficient: 0.5,  // used when a magnet is chosen; measured on Kuhn poker
		MagnetRate:        0.05, // the average reaches back some 20 iterations at first

		Teacher:            "",
		TeacherCoefficient: 1, // as in Schmitt et al. 2018
		TeacherUntil:       0.5,
		TeacherShare:       1,

		GAELambda: 0.95, // Schulman et al. 2016

		KLStop: 0.03, // about twice what a good update moves
		MaxLag: 16,   // a few seconds; the ratio corrects the rest
	}
}

func (c *PPOConfig) check(s *settings) {
	s.whole("samples", c.Samples, 1, 1<<24)
	s.whole("epochs", c.Epochs, 1, 1000)
	s.whole("minibatch", c.Minibatch, 1, 1<<20)
	s.positive("clip_start", c.ClipStart)
	s.positive("clip_end", c.ClipEnd)
	s.notNegative("value_coefficient", c.ValueCoefficient)
	s.notNegative("entropy_start", c.EntropyStart)
	s.notNegative("entropy_end", c.EntropyEnd)
	s.notNegative("barrier_start", c.BarrierStart)
	s.notNegative("barrier_end", c.BarrierEnd)
	s.positive("regularisation_power", c.RegularisationPower)
	s.check(c.Magnet == MagnetNone || c.Magnet == MagnetAverage, "magnet", c.Magnet, "none or average")
	s.notNegative("magnet_coefficient", c.MagnetCoefficient)
	s.share("magnet_rate", c.MagnetRate)
	s.notNegative("teacher_coefficient", c.TeacherCoefficient)
	s.share("teacher_until", c.TeacherUntil)
	s.share("teacher_share", c.TeacherShare)
	s.share("gae_lambda", c.GAELambda)
	s.notNegative("kl_stop", c.KLStop)
}

// Kinds of magnet: the policy towards which the magnet term pulls.
const (
	MagnetNone    = "none"
	MagnetAverage = "average" // the network with an exponential average of past weights
)

func (c *PPOConfig) algorithm() Algorithm {
	return Algorithm{
		Name:       "ppo",
		Outputs:    nn.PolicyOutputs,
		Series:     ppoSeries,
		samples:    c.Samples,
		maxLag:     c.MaxLag,
		second:     "magnet",
		check:      c.check,
		newTrainer: func(s setup) (trainer, error) { return newPPO(*c, s) },
	}
}

var ppoSeries = []messages.Series{
	{
		Name: "entropy", Title: "Entropy", Unit: "nats", Metric: "entropy_nats",
		Help: "Entropy of the policy over legal actions, mean.", Section: messages.SeriesOfLearning, Zero: true,
	},
	{
		Name: "kl", Title: "KL divergence", Unit: "nats", Metric: "kl_nats",
		Help: "KL between the behaviour policy and the policy, mean estimate.", Section: messages.SeriesOfLearning,
	},
	{
		Name: "value_loss", Title: "Value loss", Unit: "squared return", Metric: "value_loss",
		Help: "Half the squared error of the value, mean.", Section: messages.SeriesOfLearning, Zero: true, Smaller: true,
	},
	explainedVariance,
	{
		Name: "policy_loss", Title: "Policy loss", Unit: "loss", Metric: "policy_loss",
		Help: "Clipped surrogate, negated, mean.", Section: messages.SeriesOfLearning,
	},
	{
		Name: "clip_fraction", Title: "Clip fraction", Unit: "share of samples", Metric: "clip_ratio",
		Help:    "Share of samples whose probability ratio is outside the clip range.",
		Section: messages.SeriesOfLearning, Zero: true,
	},
	{
		Name: "teacher_loss", Title: "Distance from the teacher", Unit: "nats", Metric: "teacher_loss_nats",
		Help:    "Cross-entropy between the teacher's choices and the policy, mean; 0 once the teacher has no weight.",
		Section: messages.SeriesOfLearning, Zero: true, Smaller: true,
	},
}

// ppo is proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347) on the games
// of a rollout; see docs/algorithms/ppo.md. Its loss is [graph.PPO].
type ppo struct {
	*descent
	settings PPOConfig
	magnet   []float32           // exponential average of the network's weights over the iterations
	teachers []func() engine.Bot // by stage of the curriculum; none without a teacher
	taught   atomic.Bool         // the teachers have weight
}

func newPPO(c PPOConfig, s setup) (*ppo, error) {
	d, err := newDescent(s, c.Minibatch)
	if err != nil {
		return nil, err
	}
	t := &ppo{descent: d, settings: c, magnet: slices.Clone(s.network.Weights)}
	if t.teachers, err = c.teachers(s); err != nil {
		return nil, err
	}
	t.taught.Store(true)
	return t, nil
}

func (t *ppo) newRecorder() *recorder {
	r := t.descent.newRecorder()
	if t.settings.ChanceCorrection {
		for _, g := range t.games {
			r.chanceRecorders = append(r.chanceRecorders, newChanceRecorder(g))
		}
	}
	for _, newBot := range t.teachers {
		r.teachers = append(r.teachers, newTeacher(newBot(), t.settings.TeacherShare))
	}
	r.taught = t.taught.Load
	return r
}

// exploration is left to the policy's own distribution.
func (t *ppo) exploration(float64) float64 { return 0 }

func (t *ppo) snapshot() (*snapshot, error) { return t.snapshotWith(t.magnet) }

func (t *ppo) restore(s *snapshot) error {
	copy(t.magnet, s.Second)
	return t.descent.restore(s)
}

func (t *ppo) adopt(n *nn.Network, smaller bool) {
	t.descent.adopt(n, smaller)
	copy(t.magnet, n.Weights)
}

// learn runs one iteration: the epochs over a rollout.
func (t *ppo) learn(ctx context.Context, r *rollout, progress float64) (report, error) {
	rep := report{learningRate: t.learningRate(progress)}
	t.taught.Store(t.settings.weight(progress) > 0)

	// Compute values, and the policy that this iteration starts from, with the current
	// weights: the games may have been played with older ones.
	t.prepare(r)
	defer t.settle()
	if err := t.evaluateMagnet(r); err != nil {
		return rep, err
	}
	r.moved = resize(r.moved, r.len())
	t.evaluate(t.network, r, takePolicy)
	t.evaluateOutcomes(r)
	estimate, parts := r.estimator(r.values, t.config.Gamma, t.settings.GAELambda), t.cuts(r)
	t.spread(len(parts)-1, func(i int) { estimate(parts[i], parts[i+1]) })
	r.normalise()
	explained := 0.0
	explain := t.later(func() { explained = r.explainedVariance(t.config.Gamma) })

	var stats graph.Stats
	err := t.attempt(r, func() (err error) {
		stats, err = t.update(ctx, r, progress, &rep)
		explain.wait()
		return err
	})
	if err == nil {
		blend(t.magnet, t.network.Weights, t.magnetRate(rep.learningRate))
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
	if len(t.teachers) > 0 {
		rep.readings = append(rep.readings, reading{"teacher_loss", stats.TeacherLoss / max(stats.Taught, 1)})
	}
	return rep, err
}

// update runs the epochs of minibatches. It returns the statistics of the last epoch.
func (t *ppo) update(ctx context.Context, r *rollout, progress float64, rep *report) (stats graph.Stats, err error) {
	c := &t.settings
	loss := graph.PPO{
		ClipRange:          float32(linear(c.ClipStart, c.ClipEnd, progress)),
		ValueCoefficient:   float32(c.ValueCoefficient),
		EntropyCoefficient: float32(c.regularisation(c.EntropyStart, c.EntropyEnd, progress)),
		BarrierCoefficient: float32(c.regularisation(c.BarrierStart, c.BarrierEnd, progress)),
	}
	write := writePolicy
	if c.Magnet != MagnetNone {
		loss.MagnetCoefficient = float32(c.MagnetCoefficient)
		write = writePolicyAndMagnet
	}
	if len(r.teacherTargets) > 0 {
		loss.TeacherCoefficient = float32(c.weight(progress))
	}
	goOn := func(stats graph.Stats, moved float64) bool {
		// The estimate includes the distance between the behaviour policy and the policy
		// before the iteration, which is lag and not this iteration's doing.
		rep.klStopped = c.KLStop > 0 && (stats.KL-moved)/stats.Weight > c.KLStop
		return !rep.klStopped
	}
	return t.passes(ctx, c.Epochs, r, objective{loss, write, goOn}, rep)
}

// regularisation returns the weight of the entropy bonus or of the barrier.
func (c *PPOConfig) regularisation(start, end, progress float64) float64 {
	return linear(end, start, math.Pow(1-progress, c.RegularisationPower))
}

// magnetRate returns how far the average magnet follows a policy that has moved at a learning rate. It slows down with
// the policy: one that follows a slower policy as fast as before is soon where the policy is, and holds it no more.
func (t *ppo) magnetRate(learningRate float64) float64 {
	return min(1, t.settings.MagnetRate*learningRate/t.config.LearningRateStart)
}

// evaluateMagnet computes the reference.
func (t *ppo) evaluateMagnet(r *rollout) error {
	if t.settings.Magnet == MagnetNone {
		return nil
	}
	n, err := nn.NewNetwork(t.network.Layout, slices.Clone(t.magnet))
	if err != nil {
		return fmt.Errorf("magnet: %w", err)
	}
	t.evaluate(n, r, takeAll)
	return nil
}

// takePolicy keeps the value of a decision, and how far the policy has moved from the
// behaviour policy by the probability of the action taken.
func takePolicy(e *evaluation, r *rollout, i, row int) {
	r.values[i] = e.Value(row)
	logRatio := float64(e.LogProbs(row)[r.actions[i]] - r.logProbs[i])
	r.moved[i] = float32(math.Expm1(logRatio) - logRatio)
}

// writePolicyAndMagnet is the writer for PPO's loss with a magnet.
func writePolicyAndMagnet(r *rollout, batch *graph.Batch, at, i int) {
	writePolicy(r, batch, at, i)
	start, end := r.legalRange(i)
	for k := start; k < end; k++ {
		batch.Reference[at*r.spec.Actions+r.legal[k]] = r.reference[k]
	}
}

// writePolicy is the writer for PPO's loss without a magnet.
func writePolicy(r *rollout, batch *graph.Batch, at, i int) {
	r.writeAction(batch, at, i)
	if len(r.teacherTargets) > 0 {
		start, end := r.legalRange(i)
		for k := start; k < end; k++ {
			batch.Teacher[at*r.spec.Actions+r.legal[k]] = r.teacherTargets[k]
		}
	}
	batch.LogProbs[at] = r.logProbs[i]
	batch.Advantages[at] = r.advantages[i]
}
