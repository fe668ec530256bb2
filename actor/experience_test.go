package actor

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/player"
)

// newTestExperience returns the experience of an actor with one stage besides its own
// game, and the consumer of what it publishes.
func newTestExperience(t *testing.T, limits bus.Options) (*experience, bus.Consumer) {
	t.Helper()
	game := leducGame(t)
	b := memory.New(limits)
	t.Cleanup(func() { b.Close() })
	learner := learnerOn(t, b)
	j, err := openJournal(t.TempDir(), "a")
	require.NoError(t, err)
	return newExperience(b, j, newMetrics(prometheus.NewRegistry()), testRun, "a", "main", game, game), learner
}

// gameOf returns the record of a finished game with a history of that many bytes.
func gameOf(p *player.Player, bytes int) *episode {
	return &episode{seats: []*player.Player{p, p}, history: make([]byte, bytes), logProbs: make([]byte, 8),
		returns: make([]float64, 2), decisions: 4}
}

// readOnly is a journal's file that refuses every write, as on a full disk.
func readOnly(t *testing.T) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// A batch that cannot be sent is given up for good: the one after it has the games
// that came later, of their own stage, and numbers that show the gap.
func TestFailedBatchIsGivenUpAndCounted(t *testing.T) {
	main := network(t, leducGame(t), "main", 1)
	tests := []struct {
		name string
		fail func(t *testing.T, e *experience) context.Context
		game *episode
		want string
	}{
		{"it cannot be encoded", func(t *testing.T, _ *experience) context.Context { return t.Context() },
			gameOf(main, messages.MaxMessage+1), "more than the limit"},
		{"the bus refuses it", func(t *testing.T, _ *experience) context.Context { return t.Context() },
			gameOf(main, 5000), "more than the limit"},
		{"the journal cannot be written", func(t *testing.T, e *experience) context.Context {
			good := e.journal.file
			e.journal.file = readOnly(t)
			t.Cleanup(func() { good.Close() })
			return t.Context()
		}, gameOf(main, 10), "actor journal"},
		{"the run has ended", func(t *testing.T, _ *experience) context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx
		}, gameOf(main, 10), "canceled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, learner := newTestExperience(t, bus.Options{MaxMessage: 4000})
			good := e.journal.file
			ctx := test.fail(t, e)
			e.add(0, 0, test.game)
			require.ErrorContains(t, e.publish(ctx), test.want)

			e.journal.file = good
			require.True(t, e.takes(1, gameOf(main, 10)))
			e.add(1, 1, gameOf(main, 10))
			require.NoError(t, e.publish(t.Context()))
			fetched, err := learner.Fetch(t.Context(), 10, time.Second)
			require.NoError(t, err)
			require.Len(t, fetched, 1)
			var batch messages.Experience
			require.NoError(t, messages.Decode(fetched[0].Data(), &batch))
			require.Len(t, batch.Episodes, 1)
			require.EqualValues(t, 1, batch.Episodes[0].Number)
			require.EqualValues(t, 1, batch.Stage)
			require.EqualValues(t, 2, batch.Sequence)
			require.EqualValues(t, 1, batch.EpisodesBefore, "the game that was given up")
			require.Equal(t, Produced{Actor: "a", Episodes: 2, Batches: 2}, e.journal.last)
			require.Equal(t, 1.0, testutil.ToFloat64(e.metrics.givenUp))
			require.Equal(t, 1.0, testutil.ToFloat64(e.metrics.published))
		})
	}
}

// However many games end in one step, a batch is never larger than what the bus takes.
func TestBatchesFitTheBus(t *testing.T) {
	main := network(t, leducGame(t), "main", 1)
	e, learner := newTestExperience(t, bus.Options{MaxMessage: 4000})
	for i := range uint64(500) {
		r := gameOf(main, int(i%300))
		if !e.takes(0, r) {
			require.NoError(t, e.publish(t.Context()))
		}
		e.add(i, 0, r)
	}
	require.NoError(t, e.publish(t.Context()))
	next, largest := uint64(0), 0
	for next < 500 {
		fetched, err := learner.Fetch(t.Context(), 100, time.Second)
		require.NoError(t, err)
		require.NotEmpty(t, fetched)
		for _, m := range fetched {
			var batch messages.Experience
			require.NoError(t, messages.Decode(m.Data(), &batch))
			require.Equal(t, next, batch.EpisodesBefore)
			next += uint64(len(batch.Episodes))
			largest = max(largest, len(m.Data()))
		}
	}
	require.Greater(t, largest, 3000, "small batches would be dear")
}

// slowBus takes a while for the first message.
type slowBus struct {
	bus.Bus
	takes time.Duration
	after func() // called with the second message
	calls int
}

func (b *slowBus) Publish(ctx context.Context, stream bus.Stream, subject string, data []byte) error {
	switch b.calls++; b.calls {
	case 1:
		time.Sleep(b.takes)
	case 2:
		b.after()
	}
	return b.Bus.Publish(ctx, stream, subject, data)
}

// While the learner is at work on what it has, a worker rests for a multiple of the time in which it played. A broker
// that did not answer for a while is no reason to rest for a multiple of that.
func TestWorkerDoesNotRestFromWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := &slowBus{Bus: memory.New(bus.Options{}), takes: 10 * time.Second, after: cancel}
		defer b.Close()
		game := leducGame(t)
		a := newActor(t, b, game, players{}, t.TempDir())
		a.links[0].pool.learner.Store(network(t, game, "main", 0))
		a.links[0].yields.Store(true)
		c, err := a.newCore(0, a.dealt[0])
		require.NoError(t, err)
		began := time.Now()
		require.NoError(t, c.run(ctx))
		require.Less(t, time.Since(began), 2*b.takes)
	})
}

// While its journal cannot be written a worker begins no training games; it says so
// once, and continues by itself when the journal can be written again.
func TestWorkerWaitsForItsJournal(t *testing.T) { synctest.Test(t, waitsForItsJournal) }

func waitsForItsJournal(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	dir := t.TempDir()
	a := newActor(t, b, game, players{}, dir)
	var said countingHandler
	a.opts.Log = slog.New(&said)
	a.links[0].pool.learner.Store(network(t, game, "main", 0))
	w, err := a.newWorker(0, a.dealt[0][0])
	require.NoError(t, err)
	good := w.journal.file

	turns := func(until func() bool) {
		for range 20_000 {
			for range 100 {
				w.turn(t.Context(), t.Context())
			}
			if until() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		require.Fail(t, "not in two million turns")
	}
	turns(func() bool { return w.journal.last.Batches > 2 })
	w.journal.file = readOnly(t)
	turns(func() bool { return w.room.playing() == 0 && len(w.out.batch.Episodes) == 0 })
	begun := w.number
	time.Sleep(journalTick)
	w.turn(t.Context(), t.Context())
	require.Equal(t, begun, w.number, "training games began without a journal")
	require.EqualValues(t, 1, a.counts.unwritten.Load())
	require.Zero(t, said.at(slog.LevelError), "it ends by itself")
	require.Equal(t, 2, said.at(slog.LevelWarn), "experience is lost, and no games begin")
	w.journal.file = good
	time.Sleep(journalTick)
	turns(func() bool { return w.number > begun+100 })
	require.Zero(t, a.counts.unwritten.Load())
	require.NoError(t, w.close(t.Context()))

	var episodes, lost, sequence uint64
	for _, batch := range drain(t, learner, game, nil) {
		lost += batch.EpisodesBefore - episodes
		episodes = batch.EpisodesBefore + uint64(len(batch.Episodes))
		sequence = batch.Sequence
	}
	require.Positive(t, lost)
	require.Equal(t, w.number-uint64(w.room.playing()), episodes, "every finished game is counted")
	require.Equal(t, Produced{Actor: "actor-t-1-0", Episodes: episodes, Batches: sequence, Closed: true}, w.journal.last)
	require.Equal(t, float64(lost), testutil.ToFloat64(a.metrics.givenUp))
}

// countingHandler counts what is logged by level.
type countingHandler struct{ counts map[slog.Level]int }

func (h *countingHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h *countingHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h *countingHandler) WithGroup(string) slog.Handler            { return h }
func (h *countingHandler) at(l slog.Level) int                      { return h.counts[l] }
func (h *countingHandler) Handle(_ context.Context, r slog.Record) error {
	if h.counts == nil {
		h.counts = map[slog.Level]int{}
	}
	h.counts[r.Level]++
	return nil
}
