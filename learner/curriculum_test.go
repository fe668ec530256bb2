package learner

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

func testGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return g
}

// stagedOptions returns options of a small learner of one-hand games of Tysiąc, which
// trains on single deals for the first half of its run.
func stagedOptions(t *testing.T) Options {
	o := testOptions(t)
	o.Game = testGame(t, "tysiac", "{game: {max_hands: 1}}")
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{8}})
	o.Curriculum = train.Curriculum{{Until: 0.5, Game: testGame(t, "tysiac-hand", "{bombing: {enabled: false}}")}}
	return o
}

func TestCurriculumRefuses(t *testing.T) {
	o := stagedOptions(t)
	o.Curriculum[0].Until = 2
	_, err := New(o)
	require.EqualError(t, err, "learner: curriculum[0].until: 2 is not above 0 and at most 1")
}

// inStage returns an actor's batch with the given number of decisions in the game of a
// stage.
func inStage(a *testActor, o Options, stage uint32, decisions int) *messages.Experience {
	a.game = o.Curriculum.Games(o.Game)[stage]
	x := a.batch(decisions)
	x.Stage = stage
	return x
}

// Games are checked and counted by the rules of their stage, in units of its largest
// return; games of stages other than the current one are stale.
func TestIngestionKnowsTheStages(t *testing.T) {
	o := stagedOptions(t)
	o.Config.PPO.Samples = 100_000
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	ledger := &messages.Ledger{Schema: messages.SchemaVersion, Actor: "actor-1"}
	send := func(x *messages.Experience) {
		deliver(t, o, g, "actor-1", encode(t, x))
		ledger.Sequence, ledger.Episodes = x.Sequence, a.games
	}
	games := func(x *messages.Experience) uint64 { return uint64(len(x.Episodes)) }

	g.stage.Store(1)
	hand := inStage(a, o, 1, 200)
	send(hand)
	ledger.Consumed += games(hand)
	r := 0
	for _, e := range hand.Episodes {
		for seat := range 2 {
			require.Equal(t, messages.FloatAt(e.Returns, seat)/800, rolloutOf(g).Sequences[r].Result)
			r++
		}
	}

	early := inStage(a, o, 0, 200)
	send(early)
	ledger.Stale += games(early)

	g.stage.Store(0)
	own := inStage(a, o, 0, 200)
	send(own)
	ledger.Consumed += games(own)
	for _, s := range rolloutOf(g).Sequences[r:] {
		require.Contains(t, []float32{-1, 0, 1}, s.Result)
	}

	late := inStage(a, o, 1, 200)
	send(late)
	ledger.Stale += games(late)
	require.EqualExportedValues(t, ledger, readLedger(t, o, "actor-1"))
	require.EqualValues(t, games(hand)+games(own), rolloutOf(g).Size.Games)
}

func TestIngestionRefusesWrongStages(t *testing.T) {
	o := stagedOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	unknown := inStage(a, o, 1, 20)
	unknown.Stage = 2
	mixed := inStage(a, o, 1, 20)
	mixed.Stage = 0
	deliver(t, o, g, "actor-1", encode(t, unknown), encode(t, mixed))
	require.Zero(t, rolloutOf(g).Size.Games)
	require.EqualValues(t, 2, testutil.ToFloat64(g.metrics.batches.WithLabelValues(string(messages.ReasonRules))))
}

// A learner passes through its curriculum, says so, and resumes in the right stage.
func TestLearnerFollowsTheCurriculum(t *testing.T) {
	o := stagedOptions(t)
	progress := 0.0
	o.Progress = func() float64 { return progress }
	follow := func(a *testActor) *messages.Pointer {
		p := a.follow(t.Context(), o.Bus)
		a.game = o.Curriculum.Games(o.Game)[p.Stage]
		return p
	}
	iterate := func(l *Learner, a *testActor, p *messages.Pointer) {
		deliver(t, o, l.ingestion, a.id, encode(t, inStage(a, o, p.Stage, 400)))
		require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
		l.ingestion.rollout.reset()
	}
	o.Config.PPO.Samples = 100_000 // rollouts are handed over by the test
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	p := follow(a)
	require.EqualValues(t, 1, p.Stage)
	require.Contains(t, l.state(), "stage 1 of 2, tysiac-hand")
	iterate(l, a, p)
	p = follow(a)
	require.EqualValues(t, 1, p.Stage)
	progress = 0.6
	iterate(l, a, p)
	p = follow(a)
	require.Zero(t, p.Stage)
	require.EqualValues(t, 2, testutil.ToFloat64(l.metrics.series["stage"]))
	iterate(l, a, p)
	require.NoError(t, l.checkpoint())

	o.Resume = true
	for progress, stage := range map[float64]uint32{0.4: 1, 0.7: 0} {
		o := withRegistry(o)
		o.Progress = func() float64 { return progress }
		l, err := New(o)
		require.NoError(t, err)
		require.NoError(t, l.open(t.Context()))
		require.Equal(t, stage, follow(a).Stage)
	}
}
