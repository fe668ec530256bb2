package learner

import (
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/engine"
	"croupier/league"
	"croupier/learner/train"
	"croupier/learner/train/graph"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/roles"
	"croupier/nn"
	"croupier/nn/kernel"
	"croupier/player"
	"croupier/policy"
)

// This file is a complete third algorithm, to show what one takes: settings, curves, loss
// and iteration in one file. In the program, the line that names it would be a field of
// [Sections]; here the tests pass it as [Options.Algorithm].

var _ train.Settings = (*reinforceConfig)(nil) // it could be such a field

// reinforceConfig holds the settings specific to REINFORCE.
type reinforceConfig struct {
	Samples  int     `yaml:"samples"`  // gathered for one iteration
	Baseline float64 `yaml:"baseline"` // weight of the loss of the baseline
}

func (c *reinforceConfig) check(s *train.Checks) {
	s.Whole("samples", c.Samples, 1, 1<<24)
	s.NotNegative("baseline", c.Baseline)
}

func (c *reinforceConfig) Algorithm() train.Algorithm {
	return train.Algorithm{
		Name:       "reinforce",
		Outputs:    nn.PolicyOutputs,
		Series:     reinforceSeries,
		Samples:    c.Samples,
		MaxLag:     1, // the method is on-policy; one version is made while games are being played
		Check:      c.check,
		NewTrainer: func(s train.Setup) (train.Trainer, error) { return newReinforce(*c, s) },
	}
}

var reinforceSeries = []messages.Series{
	{
		Name: "surprise", Title: "Surprise", Unit: "nats", Metric: "surprise_nats",
		Help: "Negative log-probability of the actions taken, mean.", Section: messages.SeriesOfLearning, Zero: true,
	},
	train.ExplainedVariance,
}

// reinforce is REINFORCE with a baseline (Williams 1992, "Simple statistical
// gradient-following algorithms for connectionist reinforcement learning", section 5): each
// iteration is one step along its games' mean gradient, and the value is the baseline.
type reinforce struct {
	*train.Descent
	settings reinforceConfig
	passes   int
	goOn     func() // called before each update
}

func newReinforce(c reinforceConfig, s train.Setup) (*reinforce, error) {
	d, err := train.NewDescent(s, 2*c.Samples) // games stay whole, so the last one may exceed Samples
	if err != nil {
		return nil, err
	}
	return &reinforce{d, c, 1, func() {}}, nil
}

func (t *reinforce) Exploration(float64) float64 { return 0 }

func (t *reinforce) Snapshot() (*train.State, error) { return t.SnapshotWith(nil) }

func (t *reinforce) Learn(ctx context.Context, r *train.Rollout, progress float64) (train.Report, error) {
	rep := train.Report{LearningRate: t.LearningRate(progress)}
	t.Prepare(r)
	t.Evaluate(t.Network, r, train.TakeValue)
	t.Estimate(r, 1) // the advantage is the whole return less the baseline
	explained := r.ExplainedVariance(t.Config.Gamma)
	var stats graph.Stats
	err := t.Attempt(r, func() (err error) {
		o := train.Objective{Loss: reinforceLoss{float32(t.settings.Baseline)}, Write: writeReinforce}
		o.Continue = func(graph.Stats, float64) bool {
			t.goOn()
			return true
		}
		stats, err = t.Passes(ctx, t.passes, r, o, &rep)
		return err
	})
	rep.Readings = []train.Reading{
		{Series: "surprise", Value: stats.Entropy / stats.Weight}, {Series: "explained_variance", Value: explained},
	}
	return rep, err
}

func writeReinforce(r *train.Rollout, batch *graph.Batch, at, i int) {
	r.WriteAction(batch, at, i)
	batch.Advantages[at] = r.Advantages[i]
}

// reinforceLoss is −A·log π(a) + baseline·½(v − target)². Its entropy is estimated from the
// actions taken.
type reinforceLoss struct{ baseline float32 }

func (l reinforceLoss) Compute(t *graph.Terms, outputs []float32) {
	t.LogSoftmax(outputs)
	for i, w := range t.Batch.Weight {
		_, value, logProbs, gradient := t.Decision(i, outputs)
		t.Values[i] = value
		if w == 0 {
			continue
		}
		action, advantage, err := t.Batch.Actions[i], t.Batch.Advantages[i], value-t.Batch.Targets[i]
		for _, a := range t.Batch.Legal(i) {
			gradient[a] = w * advantage * kernel.Exp(logProbs[a])
		}
		gradient[action] -= w * advantage
		gradient[t.Actions] = w * l.baseline * err
		t.Stats.Weight += float64(w)
		t.Stats.Entropy -= float64(w * logProbs[action])
		t.Stats.Loss += float64(w * (l.baseline*err*err/2 - advantage*logProbs[action]))
	}
}

// reinforceOptions returns options of a learner that learns a short game of Pig by
// REINFORCE.
func reinforceOptions(t *testing.T) Options {
	o := testOptions(t)
	o.Game = testGame(t, "pig", "target: 15")
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{16}})
	o.Config.LearningRateStart = 1e-2
	a := (&reinforceConfig{Samples: 512, Baseline: 0.5}).Algorithm()
	o.Algorithm = &a
	return o
}

// TestThirdAlgorithmInACluster trains, rates and resumes with a real actor and a real
// league in one process. It does not depend on speed: it waits for what must happen.
func TestThirdAlgorithmInACluster(t *testing.T) {
	o := reinforceOptions(t)
	startRoles(t, o)
	l, stop := start(t, o)
	const updates = 300
	await(t, "the updates", func() bool { return l.now().Updates >= updates })
	await(t, "a rated version", func() bool {
		ladder, err := league.ReadLadder(o.Dir)
		return err == nil && slices.ContainsFunc(ladder.Agents, func(a messages.LadderAgent) bool {
			return strings.Contains(a.Name, "main@") && a.Games > 0
		})
	})
	requireSeen(t, o)
	require.NoError(t, stop())
	wins := winsAgainstRandom(t, o.Game, l.trainer.Published())
	t.Logf("wins %.3f of the games against random play", wins)
	require.Greater(t, wins, 0.65)

	first, err := l.trainer.Snapshot()
	require.NoError(t, err)
	before := l.now()
	o.Resume = true
	o = withRegistry(o)
	l, err = New(o)
	require.NoError(t, err)
	second, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.Equal(t, first, second, "weights, moments, steps and random stream are bit for bit the same")
	l, stop = start(t, withRegistry(o))
	await(t, "updates after resuming", func() bool { return l.now().Updates > before.Updates })
	require.NoError(t, stop())

	o.Algorithm = nil
	_, err = New(withRegistry(o))
	require.ErrorContains(t, err, "checkpoints in", "PPO's checkpoints hold another list of weights")
}

// requireSeen checks that metrics and curves have what the algorithm declared, and nothing
// else.
func requireSeen(t *testing.T, o Options) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range learnersPoints(t, o).Points {
		seen[p.Series] = true
	}
	require.True(t, seen["surprise"] && seen["explained_variance"] && seen["gradient_norm"], "%v", seen)
	require.False(t, seen["kl"] || seen["q_loss"], "%v", seen)
	families, err := o.Registerer.(*prometheus.Registry).Gather()
	require.NoError(t, err)
	gauges := map[string]float64{}
	for _, f := range families {
		gauges[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
		if f.GetName() == "croupier_learner_surprise_nats" {
			require.Equal(t, "Negative log-probability of the actions taken, mean (REINFORCE).", f.GetHelp())
		}
	}
	require.Positive(t, gauges["croupier_learner_surprise_nats"])
	require.NotZero(t, gauges["croupier_learner_explained_variance_ratio"])
	require.True(t, math.IsNaN(gauges["croupier_learner_entropy_nats"]), "PPO's gauge")

	for _, s := range Series(*o.Algorithm) {
		if s.Name == train.ExplainedVariance.Name {
			require.Equal(t, []string{"ppo", "dqn", "reinforce"}, s.Algorithms)
		}
	}
}

// learnersPoints waits for the learner's first points; the league has curves too.
func learnersPoints(t *testing.T, o Options) *messages.Points {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, err := o.Bus.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	points := &messages.Points{}
	for points.Source != messages.LearnerRole {
		m, open := <-read
		require.True(t, open)
		if m != nil { // nil follows those that were there at the call
			require.NoError(t, messages.Decode(m.Data(), points))
		}
	}
	return points
}

// startRoles runs an actor and a league of the run until the test ends.
func startRoles(t *testing.T, o Options) {
	a, err := actor.New(actor.Options{
		Common: roles.Common{
			Bus: o.Bus, Game: o.Game, Run: o.Run, RunSeed: o.RunSeed, Dir: o.Dir,
			Registerer: prometheus.NewRegistry(), Log: o.Log,
		},
		Resolver: resolver{o}, Config: actor.DefaultConfig(), ID: "actor-1",
		Agents: []actor.Agent{{Name: o.Agent, Share: 1}}, Workers: 1,
	})
	require.NoError(t, err)
	c := league.DefaultConfig()
	c.FreezeUpdates, c.ReferenceSets, c.GateSets, c.FinalSets = 100, 20, 20, 20
	g, err := league.New(league.Options{
		Common: roles.Common{
			Bus: o.Bus, Game: o.Game, Run: o.Run, Dir: o.Dir, Registerer: prometheus.NewRegistry(), Log: o.Log,
		},
		Config: c, References: []string{policy.RandomName}, Kind: func(string) string { return "network" },
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var group errgroup.Group
	group.Go(func() error { return a.Run(ctx) })
	group.Go(func() error { return g.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		require.NoError(t, group.Wait())
	})
}

// resolver finds the players of a run: its frozen versions and the random player.
type resolver struct{ o Options }

func (r resolver) Player(ctx context.Context, name string) (*player.Player, error) {
	temperature, version, err := policy.CutTemperature(name)
	if err != nil {
		return nil, err
	}
	p := &player.Player{Name: name, Temperature: temperature}
	agent, number, frozen := messages.ParseMemberName(version)
	if !frozen {
		p.NewPolicy = func() policy.Policy { return policy.Random{} }
		return p, nil
	}
	entry, err := r.o.Bus.State().Get(ctx, messages.MemberKey(agent, number))
	if err != nil {
		return nil, err
	}
	member := &messages.Member{}
	if err := messages.Decode(entry.Value, member); err != nil {
		return nil, err
	}
	data, err := r.o.Bus.GetObject(ctx, member.Object)
	if err != nil {
		return nil, err
	}
	p.SHA256 = member.Sha256
	p.Network, err = r.Network(data, member.Sha256)
	return p, err
}

func (r resolver) Network(data, sum []byte) (*nn.Network, error) {
	if got := sha256.Sum256(data); string(got[:]) != string(sum) {
		return nil, bus.ErrNotFound
	}
	file, _, err := nn.Decode(data, func(string, []byte) (engine.Game, error) { return r.o.Game, nil })
	if err != nil {
		return nil, err
	}
	return file.Network, nil
}

// await returns once the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "never seen: %s", what)
	}
}

// TestThirdAlgorithmsSettingsAreChecked: they are checked together with the others.
func TestThirdAlgorithmsSettingsAreChecked(t *testing.T) {
	o := reinforceOptions(t)
	a := (&reinforceConfig{Samples: 0, Baseline: -1}).Algorithm()
	o.Algorithm = &a
	_, err := New(o)
	require.EqualError(t, err,
		"learner: reinforce.samples: 0 is not in 1..16777216; reinforce.baseline: -1 is not 0 or a positive number")

	o = reinforceOptions(t)
	o.Layout = testLayout(t, o.Game, nn.Description{Dueling: true})
	_, err = New(withRegistry(o))
	require.EqualError(t, err, "learner: network.dueling: reinforce trains a policy, not action values")
}
