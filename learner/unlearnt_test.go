package learner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// received waits until an account has that many games, and returns it.
func received(t *testing.T, o Options, l *Learner, worker string, games uint64) *messages.Ledger {
	t.Helper()
	require.Eventually(t, func() bool { return l.ingestion.totals()["episodes"] == float64(games) }, time.Minute,
		time.Millisecond)
	require.Eventually(t, func() bool {
		e, err := o.Bus.State().Get(t.Context(), messages.LedgerKey(worker, messages.LearningAgent))
		return err == nil && ledgerOf(t, e).Episodes == games
	}, time.Minute, time.Millisecond)
	return readLedger(t, o, worker)
}

// leftGames returns a run whose learner has learnt once, has then received a number of games and has ended in order.
func leftGames(t *testing.T) (o Options, a *testActor, games uint64) {
	t.Helper()
	o = testOptions(t)
	l, stop := start(t, o)
	a = newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	trainFor(t, o, a, 1)
	before := a.games
	for range 3 {
		a.send(t.Context(), o.Bus, a.batch(50))
	}
	received(t, o, l, a.id, a.games)
	require.NoError(t, stop())
	require.FileExists(t, filepath.Join(o.Dir, checkpointFolder, unlearntName))
	o.Resume = true
	return withRegistry(o), a, a.games - before
}

// TestGamesThatWereNotLearntFromAreLearntFromNext: a learner that ends in order loses none, and the next one learns
// from them first.
func TestGamesThatWereNotLearntFromAreLearntFromNext(t *testing.T) {
	o, a, left := leftGames(t)
	before := readLedger(t, o, a.id)
	require.GreaterOrEqual(t, before.Consumed-before.Checkpointed, left)
	for range 2 { // one that ends before it has learnt from them leaves them, too
		l, stop := start(t, withRegistry(o))
		a.follow(t.Context(), o.Bus)
		require.Eventually(t, func() bool { return l.ingestion.totals()["episodes"] > 0 }, time.Minute, time.Millisecond)
		require.NoError(t, stop())
		require.Zero(t, readLedger(t, o, a.id).Lost)
	}
	l, stop := start(t, withRegistry(o))
	a.follow(t.Context(), o.Bus)
	decisions := l.ingestion.decisions.Load
	require.Eventually(t, func() bool { return decisions() > 0 }, time.Minute, time.Millisecond)
	missing := l.ingestion.samples - 3*50
	a.send(t.Context(), o.Bus, a.batch(missing)) // what an iteration lacks with them
	a.follow(t.Context(), o.Bus)
	require.NoError(t, stop())
	after := readLedger(t, o, a.id)
	requireIdentity(t, after, a.games)
	require.Zero(t, after.Lost)
	require.GreaterOrEqual(t, after.Checkpointed, before.Consumed, "the games that were left are in a checkpoint")
	games := l.now().Games
	require.LessOrEqual(t, games, a.games)
	require.Greater(t, games, before.Consumed, "they were learnt from, and once")
}

// TestLeftGamesOfNoUseAreLost: what another version has left, or is damaged, counts as lost, as after a kill.
func TestLeftGamesOfNoUseAreLost(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"gone": func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) },
		"cut":  func(t *testing.T, file string) { require.NoError(t, os.Truncate(file, 100)) },
		"flipped": func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			data[len(data)/2] ^= 1
			require.NoError(t, os.WriteFile(file, data, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, a, _ := leftGames(t)
			before := readLedger(t, o, a.id)
			spoil(t, filepath.Join(o.Dir, checkpointFolder, unlearntName))
			l, stop := start(t, o)
			a.follow(t.Context(), o.Bus)
			require.Eventually(t, func() bool { return l.ingestion.totals()["episodes"] > 0 }, time.Minute, time.Millisecond)
			require.NoError(t, stop())
			after := readLedger(t, o, a.id)
			requireIdentity(t, after, a.games)
			require.Equal(t, before.Consumed-before.Checkpointed, after.Lost)
		})
	}
}

// TestStaleGamesThatWereLeft: a learner that resumes with a smaller bound on the lag counts them as stale.
func TestStaleGamesThatWereLeft(t *testing.T) {
	o, a, left := leftGames(t)
	o.Config.PPO.MaxLag = 0
	l, stop := start(t, o)
	a.follow(t.Context(), o.Bus)
	require.Eventually(t, func() bool { return l.ingestion.totals()["stale"] == float64(left) }, time.Minute,
		time.Millisecond)
	require.NoError(t, stop())
	after := readLedger(t, o, a.id)
	requireIdentity(t, after, a.games)
	require.Equal(t, left, after.Stale)
	require.Zero(t, after.Lost)
}

// TestAKillBeforeTheFirstCheckpointBooksLeftGamesOnce: of the games that were left, those that a learner has booked as
// stale before it was killed are stale once, and those that it has received itself are lost.
func TestAKillBeforeTheFirstCheckpointBooksLeftGamesOnce(t *testing.T) {
	o := testOptions(t)
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	agent, network := a.agent, a.network
	trainFor(t, o, a, 1)
	before := a.games
	newer := a.batch(20)
	fresh := a.games - before
	a.agent, a.network = agent, network
	older := a.batch(20)
	stale := a.games - before - fresh
	a.send(t.Context(), o.Bus, newer)
	a.send(t.Context(), o.Bus, older)
	received(t, o, l, a.id, a.games)
	require.NoError(t, stop())
	folder, asLeft := filepath.Join(o.Dir, checkpointFolder), filepath.Join(t.TempDir(), "left")
	require.NoError(t, os.CopyFS(asLeft, os.DirFS(folder)))
	o.Resume = true
	inFlight := func() uint64 { l := readLedger(t, o, a.id); return l.Consumed - l.Checkpointed }
	waiting := inFlight() - fresh - stale // received before these

	own := uint64(0)               // received since, by learners that were killed
	for kills := range uint64(3) { // each start has a newer version
		o = withRegistry(o)
		o.Config.PPO.MaxLag = 1 + kills
		l, stop := start(t, o)
		a.agent = &messages.Agent{Name: a.agent.Name, Learning: true} // what came before may not be the newest
		a.follow(t.Context(), o.Bus)
		require.Eventually(t, func() bool { return l.ingestion.totals()["stale"] == float64(stale) }, time.Minute,
			time.Millisecond)
		require.EqualValues(t, own, readLedger(t, o, a.id).Lost)
		before := a.games
		a.send(t.Context(), o.Bus, a.batch(5))
		received(t, o, l, a.id, a.games)
		require.NoError(t, stop())
		own += a.games - before
		// As after a kill: the checkpoints are as the last end in order left them.
		require.NoError(t, os.RemoveAll(folder))
		require.NoError(t, os.CopyFS(folder, os.DirFS(asLeft)))
	}
	after := readLedger(t, o, a.id)
	requireIdentity(t, after, a.games)
	require.Equal(t, stale, after.Stale)
	require.Equal(t, waiting+fresh, inFlight()-(own-after.Lost), "the last start has ended in order")
}
