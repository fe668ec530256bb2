package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"croupier/engine"
	"croupier/learner/train/graph"
	"croupier/messages"
	"croupier/nn"
)

// PPOConfig holds the hyperparameters specific to PPO. Values with a start and an end move
// linearly with the progress of the run, unless RegularisationPower says otherwise.
type PPOConfig struct {
	Samples   int `yaml:"samples"`   // samples gathered for one iteration
	Epochs    int `yaml:"epochs"`    // passes over the samples of an iteration
	Minibatch int `yaml:"minibatch"` // samples in one update, at most

	// ClipStart is how far the probability ratio may leave 1 before its gradient is cut off, at the start of the run.
	ClipStart        float64 `yaml:"clip_start"`
	ClipEnd          float64 `yaml:"clip_end"`          // how far the probability ratio may leave 1 at the end of the run
	ValueCoefficient float64 `yaml:"value_coefficient"` // weight of the value loss
	EntropyStart     float64 `yaml:"entropy_start"`     // weight of the entropy bonus at the start
	EntropyEnd       float64 `yaml:"entropy_end"`       // weight of the entropy bonus at the end
	BarrierStart     float64 `yaml:"barrier_start"`     // weight of the barrier before probability 0 at the start
	BarrierEnd       float64 `yaml:"barrier_end"`       // weight of the barrier before probability 0 at the end
	// RegularisationPower is the power of what is left of the run with which entropy bonus and barrier fall; 1: linearly.
	RegularisationPower float64 `yaml:"regularisation_power"`

	Magnet            string  `yaml:"magnet"`             // policy towards which a term of the loss pulls: none or average
	MagnetCoefficient float64 `yaml:"magnet_coefficient"` // weight of KL(policy ‖ magnet)
	// MagnetRate is how far the average magnet moves in the first iteration, 0..1, and later in proportion to the
	// learning rate.
	MagnetRate float64 `yaml:"magnet_rate"`

	// Teacher is a bot of the game that the policy begins by imitating; "": none.
	Teacher            string  `yaml:"teacher"`
	TeacherCoefficient float64 `yaml:"teacher_coefficient"` // weight of the cross-entropy to it at the start
	TeacherUntil       float64 `yaml:"teacher_until"`       // share of the run at which that weight has fallen to 0
	TeacherShare       float64 `yaml:"teacher_share"`       // share of the games, drawn at random, in which it is asked

	GAELambda        float64 `yaml:"gae_lambda"`        // λ of the advantages; 1: the game's result, 0: the next value
	ChanceCorrection bool    `yaml:"chance_correction"` // takes the luck of chance events out of the advantages

	KLStop float64 `yaml:"kl_stop"` // nats by which an iteration may move the policy before it stops; 0: no limit
	MaxLag uint64  `yaml:"max_lag"` // most versions by which a game's policy may lag behind
}

// defaultPPO returns the usual settings.
func defaultPPO() PPOConfig {
	return PPOConfig{
		Samples:   16384, // about one new version a second on two cores
		Epochs:    4,     // within 4 to 8 of Rudolph et al. 2026
		Minibatch: 2048,  // their largest; small networks need large matrices

		ClipStart:        0.2,  // Schulman et al. 2017
		ClipEnd:          0.1,  // smaller towards the end, as is usual
		ValueCoefficient: 0.5,  // as in CleanRL
		EntropyStart:     0.01, // enough where dice explore; poker needs a magnet (docs/explain/algorithms/ppo.md)
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

func (c *PPOConfig) check(s *Checks) {
	s.Whole("samples", c.Samples, 1, 1<<24)
	s.Whole("epochs", c.Epochs, 1, 1000)
	s.Whole("minibatch", c.Minibatch, 1, 1<<20)
	s.Positive("clip_start", c.ClipStart)
	s.Positive("clip_end", c.ClipEnd)
	s.NotNegative("value_coefficient", c.ValueCoefficient)
	s.NotNegative("entropy_start", c.EntropyStart)
	s.NotNegative("entropy_end", c.EntropyEnd)
	s.NotNegative("barrier_start", c.BarrierStart)
	s.NotNegative("barrier_end", c.BarrierEnd)
	s.Positive("regularisation_power", c.RegularisationPower)
	s.Check(c.Magnet == MagnetNone || c.Magnet == MagnetAverage, "magnet", c.Magnet, "none or average")
	s.NotNegative("magnet_coefficient", c.MagnetCoefficient)
	s.Share("magnet_rate", c.MagnetRate)
	s.NotNegative("teacher_coefficient", c.TeacherCoefficient)
	s.Share("teacher_until", c.TeacherUntil)
	s.Share("teacher_share", c.TeacherShare)
	s.Share("gae_lambda", c.GAELambda)
	s.NotNegative("kl_stop", c.KLStop)
}

// Kinds of magnet: the policy towards which the magnet term pulls.
const (
	MagnetNone    = "none"
	MagnetAverage = "average" // the network with an exponential average of past weights
)

// Algorithm implements [Settings].
func (c *PPOConfig) Algorithm() Algorithm {
	return Algorithm{
		Name:       "ppo",
		Outputs:    nn.PolicyOutputs,
		Series:     ppoSeries,
		Samples:    c.Samples,
		MaxLag:     c.MaxLag,
		Grouped:    true,
		Second:     "magnet",
		Check:      c.check,
		NewTrainer: func(s Setup) (Trainer, error) { return newPPO(*c, s) },
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
	ExplainedVariance,
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
// of a rollout; see docs/explain/algorithms/ppo.md. Its loss is [graph.PPO].
type ppo struct {
	*Descent
	settings PPOConfig
	magnet   []float32           // exponential average of the network's weights over the iterations
	teachers []func() engine.Bot // by stage of the curriculum; none without a teacher
	taught   atomic.Bool         // the teachers have weight
}

func newPPO(c PPOConfig, s Setup) (*ppo, error) {
	d, err := NewDescent(s, c.Minibatch)
	if err != nil {
		return nil, err
	}
	t := &ppo{Descent: d, settings: c, magnet: slices.Clone(s.Network.Weights)}
	if t.teachers, err = c.teachers(s); err != nil {
		return nil, err
	}
	t.taught.Store(true)
	return t, nil
}

func (t *ppo) NewRecorder() *Recorder {
	r := t.Descent.NewRecorder()
	if t.settings.ChanceCorrection {
		for _, g := range t.Games {
			r.chanceRecorders = append(r.chanceRecorders, newChanceRecorder(g))
		}
	}
	for _, newBot := range t.teachers {
		r.teachers = append(r.teachers, newTeacher(newBot(), t.settings.TeacherShare))
	}
	r.taught = t.taught.Load
	return r
}

// Exploration is left to the policy's own distribution.
func (t *ppo) Exploration(float64) float64 { return 0 }

func (t *ppo) Snapshot() (*State, error) { return t.SnapshotWith(t.magnet) }

func (t *ppo) Restore(s *State) error {
	copy(t.magnet, s.Second)
	return t.Descent.Restore(s)
}

func (t *ppo) Adopt(n *nn.Network, smaller bool) {
	t.Descent.Adopt(n, smaller)
	copy(t.magnet, n.Weights)
}

// Learn runs one iteration: the epochs over a rollout.
func (t *ppo) Learn(ctx context.Context, r *Rollout, progress float64) (Report, error) {
	rep := Report{LearningRate: t.LearningRate(progress)}
	t.taught.Store(t.settings.weight(progress) > 0)

	// Compute values, and the policy that this iteration starts from, with the current
	// weights: the games may have been played with older ones.
	t.Prepare(r)
	defer t.Settle()
	if err := t.evaluateMagnet(r); err != nil {
		return rep, err
	}
	r.moved = resize(r.moved, r.Len())
	if err := t.evaluateTogether(t.Network, r, takePolicy, valuesAndMoved); err != nil {
		return rep, err
	}
	t.evaluateOutcomes(r)
	t.Estimate(r, t.settings.GAELambda)
	r.Normalise()
	explained := 0.0
	explain := t.later(func() { explained = r.ExplainedVariance(t.Config.Gamma) })

	var stats graph.Stats
	err := t.Attempt(r, func() (err error) {
		stats, err = t.update(ctx, r, progress, &rep)
		explain.wait()
		return err
	})
	if err == nil {
		Blend(t.magnet, t.Network.Weights, t.magnetRate(rep.LearningRate))
	}
	w := stats.Weight
	rep.Readings = []Reading{
		{"entropy", stats.Entropy / w},
		{"kl", stats.KL / w},
		{"policy_loss", stats.PolicyLoss / w},
		{"value_loss", stats.ValueLoss / w},
		{"explained_variance", explained},
		{"clip_fraction", stats.Clipped / w},
	}
	if len(t.teachers) > 0 {
		rep.Readings = append(rep.Readings, Reading{"teacher_loss", stats.TeacherLoss / max(stats.Taught, 1)})
	}
	return rep, err
}

// update runs the epochs of minibatches. It returns the statistics of the last epoch.
func (t *ppo) update(ctx context.Context, r *Rollout, progress float64, rep *Report) (stats graph.Stats, err error) {
	c := &t.settings
	loss := graph.PPO{
		ClipRange:          float32(Linear(c.ClipStart, c.ClipEnd, progress)),
		ValueCoefficient:   float32(c.ValueCoefficient),
		EntropyCoefficient: float32(c.regularisation(c.EntropyStart, c.EntropyEnd, progress)),
		BarrierCoefficient: float32(c.regularisation(c.BarrierStart, c.BarrierEnd, progress)),
	}
	write := WritePolicy
	if c.Magnet != MagnetNone {
		loss.MagnetCoefficient = float32(c.MagnetCoefficient)
		write = writePolicyAndMagnet
	}
	if len(r.TeacherTargets) > 0 {
		loss.TeacherCoefficient = float32(c.weight(progress))
	}
	goOn := func(stats graph.Stats, moved float64) bool {
		// The estimate includes the distance between the behaviour policy and the policy
		// before the iteration, which is lag and not this iteration's doing.
		rep.KLStopped = c.KLStop > 0 && (stats.KL-moved)/stats.Weight > c.KLStop
		return !rep.KLStopped
	}
	return t.Passes(ctx, c.Epochs, r, Objective{loss, write, goOn}, rep)
}

// regularisation returns the weight of the entropy bonus or of the barrier.
func (c *PPOConfig) regularisation(start, end, progress float64) float64 {
	return Linear(end, start, math.Pow(1-progress, c.RegularisationPower))
}

// magnetRate returns how far the average magnet follows a policy that has moved at a learning rate. It slows down with
// the policy: one that follows a slower policy as fast as before is soon where the policy is, and holds it no more.
func (t *ppo) magnetRate(learningRate float64) float64 {
	return min(1, t.settings.MagnetRate*learningRate/t.Config.LearningRateStart)
}

// Blend moves an exponential average towards the weights, by the given part of the way.
func Blend(average, weights []float32, rate float64) {
	for i, w := range weights {
		average[i] += float32(rate) * (w - average[i])
	}
}

// evaluateMagnet computes the reference.
func (t *ppo) evaluateMagnet(r *Rollout) error {
	if t.settings.Magnet == MagnetNone {
		return nil
	}
	n, err := nn.NewNetwork(t.Network.Layout, slices.Clone(t.magnet))
	if err != nil {
		return fmt.Errorf("magnet: %w", err)
	}
	return t.evaluateTogether(n, r, takeAll, valuesAndReference)
}

// valuesAndMoved and valuesAndReference are the columns that takePolicy and takeAll write.
func valuesAndMoved(r *Rollout) ([][]float32, []float32) { return [][]float32{r.Values, r.moved}, nil }

func valuesAndReference(r *Rollout) ([][]float32, []float32) {
	return [][]float32{r.Values}, r.reference
}

// takePolicy keeps the value of a decision, and how far the policy has moved from the
// behaviour policy by the probability of the action taken.
func takePolicy(e *Evaluation, r *Rollout, i, row int) {
	TakeValue(e, r, i, row)
	logRatio := float64(e.LogProbs(row)[r.Actions[i]] - r.LogProbs[i])
	r.moved[i] = float32(math.Expm1(logRatio) - logRatio)
}

// writePolicyAndMagnet is the writer for PPO's loss with a magnet.
func writePolicyAndMagnet(r *Rollout, batch *graph.Batch, at, i int) {
	WritePolicy(r, batch, at, i)
	start, end := r.LegalRange(i)
	for k := start; k < end; k++ {
		batch.Reference[at*r.spec.Actions+r.Legal[k]] = r.reference[k]
	}
}

// WritePolicy is the writer for PPO's loss without a magnet.
func WritePolicy(r *Rollout, batch *graph.Batch, at, i int) {
	r.WriteAction(batch, at, i)
	if len(r.TeacherTargets) > 0 {
		start, end := r.LegalRange(i)
		for k := start; k < end; k++ {
			batch.Teacher[at*r.spec.Actions+r.Legal[k]] = r.TeacherTargets[k]
		}
	}
	batch.LogProbs[at] = r.LogProbs[i]
	batch.Advantages[at] = r.Advantages[i]
}
