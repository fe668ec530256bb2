package learner

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// exploiterOptions are those of a learner whose agent is not the main one.
func exploiterOptions(t *testing.T) Options {
	o := testOptions(t)
	o.Agent = "exploiter"
	o.Config.PPO.Samples = 1 << 20
	return o
}

// tellReset has the league want a reset.
func tellReset(t *testing.T, o Options, number uint64) {
	t.Helper()
	doc, err := json.Marshal(messages.Reset{Agent: o.Agent, Number: number, Member: messages.MemberName(o.Agent, 5),
		Why: "it wins"})
	require.NoError(t, err)
	_, err = o.Bus.State().Put(t.Context(), messages.ResetKey(o.Agent), doc)
	require.NoError(t, err)
}

// TestResetIsObeyed: the agent begins again from new weights, other ones each time, once for each reset and also
// after a kill; versions continue counting, and games played before it are stale.
func TestResetIsObeyed(t *testing.T) {
	o := exploiterOptions(t)
	l, iterate := iterating(t, o)
	require.NoError(t, iterate())
	first := append([]float32{}, o.Layout.Init(l.seed(0))...)
	usual := rate(l)
	l.trainer.Adopt(l.trainer.Published(), true)
	require.Less(t, rate(l), usual)
	version := l.reached.Load()
	require.NoError(t, settled(t, l, l.begin(t.Context())), "nothing to obey")
	require.Equal(t, version, l.reached.Load())

	tellReset(t, o, 1)
	ctx, cancel := context.WithCancel(t.Context())
	followed := make(chan error)
	go func() { followed <- l.followLeague(ctx) }()
	require.Eventually(t, func() bool { return l.reset.Load() != nil }, time.Minute, time.Millisecond)
	cancel()
	require.NoError(t, <-followed)
	require.NoError(t, settled(t, l, l.begin(t.Context())))
	fresh := append([]float32{}, l.trainer.Published().Weights...)
	require.NotEqual(t, first, fresh)
	require.Equal(t, o.Layout.Init(l.seed(1)), fresh)
	state, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.Zero(t, state.Steps)
	require.Equal(t, usual, rate(l))
	require.Equal(t, 1.0, testutil.ToFloat64(l.metrics.resets))
	pointer, err := l.publisher.open(t.Context())
	require.NoError(t, err)
	require.Equal(t, []uint64{version + 1, 1}, []uint64{pointer.Version, pointer.Resets})
	require.Equal(t, version+1, l.ingestion.oldest.Load())
	require.NoError(t, settled(t, l, l.begin(t.Context())))
	require.Equal(t, version+1, l.reached.Load(), "obeyed once")

	// Killed here, it continues from the new weights.
	o.Resume, o.Registerer = true, prometheus.NewRegistry()
	again, err := New(o)
	require.NoError(t, err)
	require.Equal(t, fresh, again.trainer.Published().Weights)
	again.reset.Store(l.reset.Load())
	require.NoError(t, settled(t, again, again.begin(t.Context())))
	require.Equal(t, uint64(1), again.now().Resets, "obeyed before the checkpoint")
	require.Equal(t, fresh, again.trainer.Published().Weights)
}

// TestGamesBeforeAResetAreStale: nothing is learnt from games of the weights that are gone.
func TestGamesBeforeAResetAreStale(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20
	l, _ := iterating(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	old, version := a.batch(3), l.reached.Load()
	require.NoError(t, settled(t, l, l.announce(t.Context())))
	l.ingestion.oldest.Store(version + 1)
	a.follow(t.Context(), o.Bus)
	for x, want := range map[*messages.Experience]verdict{old: stale, a.batch(3): consumed} {
		for i := range x.Episodes {
			v, err := l.ingestion.episode(x, i)
			require.NoError(t, err)
			require.Equal(t, want, v)
		}
	}
}

// TestResetOfAnotherIsRefused: what is no reset of the agent is not heeded.
func TestResetOfAnotherIsRefused(t *testing.T) {
	l, _ := iterating(t, exploiterOptions(t))
	for _, doc := range []string{`{`, `{"agent":"other","number":1,"member":"other@1"}`,
		`{"agent":"exploiter","number":0}`} {
		require.Error(t, l.takeReset([]byte(doc)), doc)
		require.Nil(t, l.reset.Load())
	}
}

// TestTwoLearnersOnOneBus: the learners of two agents share a bus, and each learns from the games of its own agent and
// accounts for them.
func TestTwoLearnersOnOneBus(t *testing.T) {
	o := testOptions(t)
	other := o
	other.Agent, other.Dir, other.Registerer = "exploiter", t.TempDir(), prometheus.NewRegistry()
	main, stopMain := start(t, o)
	exploiter, stopExploiter := start(t, other)
	sent := map[string]uint64{}
	for k, agent := range []string{"main", "exploiter"} {
		a := newTestActor(t, o.Game, "actor-1")
		a.agent.Name = agent
		a.follow(t.Context(), o.Bus)
		for range k + 1 {
			a.send(t.Context(), o.Bus, a.batch(10))
		}
		sent[agent] = a.games
	}
	require.NotEqual(t, sent["main"], sent["exploiter"])
	for agent, games := range sent {
		require.Eventually(t, func() bool {
			e, err := o.Bus.State().Get(t.Context(), messages.LedgerKey("actor-1", agent))
			l := &messages.Ledger{}
			return err == nil && messages.Decode(e.Value, l) == nil && l.Episodes == games && l.Consumed == games
		}, time.Minute, time.Millisecond, agent)
	}
	require.Equal(t, float64(sent["main"]), main.ingestion.totals()["episodes"])
	require.Equal(t, float64(sent["exploiter"]), exploiter.ingestion.totals()["episodes"])
	for _, l := range []*messages.Status{status(t, o, "main"), status(t, o, "exploiter")} {
		require.Equal(t, messages.LearnerRole, l.Role)
		require.Equal(t, l.Id, l.Agent)
	}
	require.NoError(t, stopMain())
	require.NoError(t, stopExploiter())

	// A learner that begins again finds the ledgers of its own agent.
	again := o
	again.Resume, again.Registerer = true, prometheus.NewRegistry()
	main, stopMain = start(t, again)
	require.Eventually(t, func() bool { return main.ingestion.totals()["episodes"] > 0 }, time.Minute, time.Millisecond)
	require.Equal(t, float64(sent["main"]), main.ingestion.totals()["episodes"])
	require.NoError(t, stopMain())
}

// status is the heartbeat of a learner.
func status(t *testing.T, o Options, id string) *messages.Status {
	t.Helper()
	e, err := o.Bus.Roles().Get(t.Context(), messages.RoleKey(messages.LearnerRole, id))
	require.NoError(t, err)
	s := &messages.Status{}
	require.NoError(t, messages.Decode(e.Value, s))
	return s
}
