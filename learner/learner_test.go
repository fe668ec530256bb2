package learner

import (
	"context"
	"math"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/bustest"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		serveKilled(dir, os.Getenv(killedBroker))
		return
	}
	goleak.VerifyTestMain(m, bustest.LeftByNATS())
}

func exploitability(t *testing.T, n *nn.Network) float64 {
	t.Helper()
	tree, err := solver.NewTree(kuhn.Game{}, solver.MaxNodes)
	require.NoError(t, err)
	s, err := solver.StrategyOf(tree, func() policy.Policy { return nn.NewPolicy(n, policy.Sampled) })
	require.NoError(t, err)
	return s.Exploitability()
}

func TestLearnsKuhnPoker(t *testing.T) {
	for name, d := range map[string]nn.Description{
		"feed-forward": {Dense: []int{32}},
		"recurrent":    {Dense: []int{16}, LSTM: []int{16}},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			o.Layout = testLayout(t, o.Game, d)
			o.Config.PPO.Samples, o.Config.PPO.Minibatch, o.Config.SequenceLength = 2048, 512, 8
			o.Config.LearningRateStart, o.Config.LearningRateEnd = 3e-3, 1e-4
			o.Config.PPO.EntropyStart, o.Config.PPO.EntropyEnd = 0, 0
			o.Config.PPO.Magnet, o.Config.PPO.MagnetCoefficient, o.Config.PPO.MagnetRate = train.MagnetAverage, 0.2, 0.05
			const versions = 100
			o.Config.Horizon = versions * 2048
			_, stop := start(t, o)
			a := newTestActor(t, o.Game, "actor-1")
			a.follow(t.Context(), o.Bus)
			before := exploitability(t, a.network)
			trainFor(t, o, a, versions)
			require.NoError(t, stop())
			after := exploitability(t, a.network)
			t.Logf("exploitability from %.4f to %.4f", before, after)
			require.Greater(t, before, 0.3)
			require.Less(t, after, 0.08)
		})
	}
}

func TestResumeGoesOn(t *testing.T) {
	o := testOptions(t)
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	p := trainFor(t, o, a, 3)
	require.NoError(t, stop())
	first, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.NotEqual(t, first.Weights, first.Second)

	_, err = New(withRegistry(o))
	require.ErrorContains(t, err, "resume", "a directory with checkpoints is not overwritten")

	o.Resume = true
	l, stop = start(t, withRegistry(o))
	second, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.Equal(t, first, second, "weights, moments, steps and random stream are bit for bit the same")
	a.follow(t.Context(), o.Bus)
	q := trainFor(t, o, a, 1)
	require.NoError(t, stop())
	require.Equal(t, p.Version+2, q.Version, "one for the start and one for the iteration")
	require.Greater(t, q.Updates, p.Updates)
	require.Greater(t, q.Samples, p.Samples)
	require.Greater(t, q.Seconds, p.Seconds)
}

// withRegistry gives a second learner of a test its own metrics.
func withRegistry(o Options) Options {
	o.Registerer = prometheus.NewRegistry()
	return o
}

// TestUnsoundWeightsAreNeverPublished has the second of three iterations undone.
func TestUnsoundWeightsAreNeverPublished(t *testing.T) {
	o := testOptions(t)
	l, err := New(o)
	require.NoError(t, err)
	u := &unsound{Trainer: l.trainer, healthy: 1}
	l.trainer = u
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	iterate := func() {
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(100)))
		require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
		l.ingestion.rollout.reset()
	}
	iterate()
	require.EqualValues(t, 2, a.follow(t.Context(), o.Bus).Version)
	iterate()
	require.EqualValues(t, 2, l.newest.Load(), "nothing is published")
	require.EqualValues(t, 1, testutil.ToFloat64(l.metrics.rollbacks))
	u.healthy = math.MaxInt
	iterate()
	require.EqualValues(t, 3, a.follow(t.Context(), o.Bus).Version, "training continues")
}

// interrupted returns a learner whose first iteration makes one update after the other until its third calls interrupt.
func interrupted(t *testing.T, o Options, interrupt func()) (l *Learner, updates *int) {
	t.Helper()
	l, err := New(o)
	require.NoError(t, err)
	updates = new(int)
	tr := l.trainer.(*reinforce)
	tr.passes, tr.goOn = 100, func() {
		if *updates++; *updates == 3 {
			interrupt()
		}
	}
	return l, updates
}

// TestEndOfARunInTheMiddleOfAnIteration: the current minibatch is the last, and what was
// learnt so far is published and saved.
func TestEndOfARunInTheMiddleOfAnIteration(t *testing.T) {
	o := reinforceOptions(t)
	ctx, cancel := context.WithCancel(t.Context())
	l, updates := interrupted(t, o, cancel)
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	a.send(t.Context(), o.Bus, a.batch(o.Algorithm.Samples))
	p := a.follow(t.Context(), o.Bus)
	require.NoError(t, <-done)
	require.Equal(t, 3, *updates)
	require.EqualValues(t, 3, p.Updates)
	s, err := l.checkpoints.load()
	require.NoError(t, err)
	require.EqualValues(t, 3, s.Updates)
	require.Equal(t, a.network.Weights, s.Weights)
}

// TestEndOfARunWhoseIngestionEndedFirst: ingestion has handed over a rollout and ended
// before it took the free one.
func TestEndOfARunWhoseIngestionEndedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := reinforceOptions(t)
		o.Config.Workers = 1 // several look for work for a while, which does not pass here
		ctx, cancel := context.WithCancel(t.Context())
		l, updates := interrupted(t, o, cancel)
		require.NoError(t, l.open(t.Context()))
		a := newTestActor(t, o.Game, "actor-1")
		a.follow(t.Context(), o.Bus)
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(o.Algorithm.Samples/2)))
		handed := l.ingestion.rollout
		go func() { l.ingestion.full <- handed }()
		require.NoError(t, l.Run(ctx))
		require.Equal(t, 3, *updates)
	})
}

// TestOnlyNewestWeightsAreKept checks the object store after many versions.
func TestOnlyNewestWeightsAreKept(t *testing.T) {
	o := testOptions(t)
	_, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	p := trainFor(t, o, a, liveObjects+3)
	require.NoError(t, stop())
	names, err := o.Bus.ListObjects(t.Context())
	require.NoError(t, err)
	require.Len(t, names, liveObjects)
	require.Contains(t, names, p.Object)
}

// TestWeightsAreKeptByPublications: versions that were never published do not count.
func TestWeightsAreKeptByPublications(t *testing.T) {
	o := testOptions(t)
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	require.NoError(t, l.settle(t.Context()))
	for version := range uint64(liveObjects + 2) {
		r := &release{network: l.trainer.Published(), counters: counters{Version: 10 + 5*version}}
		require.NoError(t, l.publisher.publish(t.Context(), r))
	}
	names, err := o.Bus.ListObjects(t.Context())
	require.NoError(t, err)
	require.Len(t, names, liveObjects)
}

// TestVersionsGoOnAboveThePointer: weights were published after the last checkpoint, and
// then the learner was killed.
func TestVersionsGoOnAboveThePointer(t *testing.T) {
	o := testOptions(t)
	o.Resume = true
	pointer, err := messages.Encode(&messages.Pointer{Schema: messages.SchemaVersion, Agent: "main", Version: 40,
		Object: "live/main/40-0011223344556677"})
	require.NoError(t, err)
	_, err = o.Bus.State().Put(t.Context(), messages.PointerKey("main"), pointer)
	require.NoError(t, err)
	_, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.agent.Version = 40
	require.EqualValues(t, 41, a.follow(t.Context(), o.Bus).Version)
	require.NoError(t, stop())
}

// TestTheRunIsSeen reads the curves and the heartbeat of a short run.
func TestTheRunIsSeen(t *testing.T) {
	o := testOptions(t)
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	deliver(t, o, l.ingestion, a.id, encode(t, a.batch(o.Config.PPO.Samples-1)))
	require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
	l.curve.publish(t.Context(), l, curveInterval) // too early
	l.curve.last = l.curve.last.Add(-2 * lastInterval)
	l.curve.finish(t.Context(), l) // a training that ends within an interval
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	beats := make(chan error, 1)
	go func() { beats <- l.heartbeat(ctx) }()
	require.Eventually(t, func() bool {
		_, err := o.Bus.Roles().Get(t.Context(), messages.RoleKey("learner", "main"))
		return err == nil
	}, time.Minute, time.Millisecond)
	stop()
	require.NoError(t, <-beats)

	points := learnersPoints(t, o)
	require.Equal(t, "learner", points.Source)
	require.Equal(t, l.now().Samples, points.Samples)
	var series []string
	for _, p := range points.Points {
		series = append(series, p.Series)
		require.False(t, math.IsNaN(p.Value), p.Series)
		if p.Series == "entropy" {
			require.InDelta(t, math.Ln2, p.Value, 0.05, "two actions, hardly trained")
		}
		if p.Series == "decisions_per_second" {
			require.Positive(t, p.Value)
		}
	}
	own := []string{
		"entropy", "kl", "policy_loss", "value_loss", "explained_variance", "clip_fraction", "learning_rate",
		"gradient_norm", "lag", "updates_per_second", "samples_per_second", "games_per_second",
		"decisions_per_second", "episode_length",
	}
	require.Equal(t, own, series[:len(own)])
	figures := series[len(own):]
	for i, f := range o.Game.Spec().Figures {
		require.Equal(t, messages.FigurePrefix+f.Name, figures[i])
	}
	require.Len(t, figures, len(o.Game.Spec().Figures))

	entry, err := o.Bus.Roles().Get(t.Context(), messages.RoleKey("learner", "main"))
	require.NoError(t, err)
	status := &messages.Status{}
	require.NoError(t, messages.Decode(entry.Value, status))
	require.EqualValues(t, 2, status.Values["version"])
	require.EqualValues(t, l.now().Games, status.Values["games"])
	require.EqualValues(t, a.games, status.Values["consumed"])
}

func TestMetricsAreWellFormed(t *testing.T) {
	registry := prometheus.NewRegistry()
	newMetrics(registry, Series(), kuhn.Game{}.Spec().Figures)
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestBadOptions(t *testing.T) {
	for want, spoil := range map[string]func(o *Options){
		"only ASCII letters": func(o *Options) { o.Run = "../run" },
		"epochs":             func(o *Options) { o.Config.PPO.Epochs = 0 },
		"checkpoints":        func(o *Options) { o.Dir = "/dev/null" },
	} {
		o := testOptions(t)
		spoil(&o)
		_, err := New(o)
		require.ErrorContains(t, err, want)
	}
}

// TestNewReleasesWhatItMade: after an error, however late, no learner is left and its
// metrics' names are free.
func TestNewReleasesWhatItMade(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	require.NoError(t, c.save(testSnapshot(c, 1)), "a checkpoint whose random stream cannot be restored")
	o.Resume = true
	l, err := New(o)
	require.ErrorContains(t, err, "learner: checkpoint: random stream")
	require.Nil(t, l)
	families, err := o.Registerer.(*prometheus.Registry).Gather()
	require.NoError(t, err)
	require.Empty(t, families)

	o.Dir, o.Resume = t.TempDir(), false
	_, err = New(o)
	require.NoError(t, err)
}

// TestReadingsAreDeclared: an algorithm's iterations report exactly the readings it
// declares, and an undeclared reading does not stop training.
func TestReadingsAreDeclared(t *testing.T) {
	for _, a := range train.Algorithms() {
		o := testOptions(t)
		o.Config.Algorithm = a.Name
		game, err := bank.New(nil)
		require.NoError(t, err)
		o.Game, o.Layout = game, testLayout(t, game, o.Layout.Description)
		o.Config.PPO.Teacher = "threshold(100)" // without it there is no reading of its
		d, err := o.Config.Network(o.Layout.Description)
		require.NoError(t, err)
		o.Layout = testLayout(t, o.Game, d)
		l, err := New(o)
		require.NoError(t, err)
		require.NoError(t, l.open(t.Context()))
		actor := newTestActor(t, o.Game, "actor-1")
		actor.follow(t.Context(), o.Bus)
		deliver(t, o, l.ingestion, actor.id, encode(t, actor.batch(200)))
		rep, err := l.trainer.Learn(t.Context(), l.ingestion.rollout.Rollout, 0)
		require.NoError(t, err)
		var read, declared []string
		for _, r := range rep.Readings {
			read = append(read, r.Series)
		}
		for _, s := range a.Series {
			declared = append(declared, s.Name)
		}
		require.ElementsMatch(t, declared, read, a.Name)
		l.metrics.observe(rep)
		rep.Readings = append(rep.Readings, train.Reading{Series: "undeclared", Value: 1})
		require.NotPanics(t, func() { l.metrics.observe(rep) })
	}
}

// TestRunEndsWhenAnotherLearnerPublishes: two learners of one agent would overwrite each
// other's weights.
func TestRunEndsWhenAnotherLearnerPublishes(t *testing.T) {
	o := testOptions(t)
	l, err := New(o)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- l.Run(t.Context()) }()
	a := newTestActor(t, o.Game, "actor-1")
	p := a.follow(t.Context(), o.Bus)
	p.Version = 9
	other, err := messages.Encode(p)
	require.NoError(t, err)
	_, err = o.Bus.State().Put(t.Context(), messages.PointerKey("main"), other)
	require.NoError(t, err)
	a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
	require.ErrorContains(t, <-done, "another learner")
}

// farewell is a bus on which the last points of the curves take a while.
type farewell struct{ bus.Bus }

func (f farewell) Publish(ctx context.Context, s bus.Stream, key string, data []byte) error {
	if s == bus.Curves {
		time.Sleep(300 * time.Millisecond)
	}
	return f.Bus.Publish(ctx, s, key, data)
}

// TestTheReasonIsReported: background work ends with training, and must not be taken for the reason.
func TestTheReasonIsReported(t *testing.T) {
	o := testOptions(t)
	o.Bus = farewell{o.Bus}
	l, err := New(o)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- l.Run(t.Context()) }()
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	_, err = o.Bus.State().Put(t.Context(), messages.PointerKey("main"), []byte("of another learner"))
	require.NoError(t, err)
	time.Sleep(2 * lastInterval) // so that there is a last point
	a.send(t.Context(), o.Bus, a.batch(2*o.Config.PPO.Samples))
	require.ErrorIs(t, <-done, bus.ErrTaken)
}
