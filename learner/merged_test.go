package learner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// errKilled is what the State of a process that is being killed gives.
var errKilled = errors.New("killed")

// mortal is a State bucket that takes a number of writes; then its process is killed.
type mortal struct {
	bus.KV
	left int
}

func (m *mortal) die() error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return nil
}

func (m *mortal) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := m.die(); err != nil {
		return 0, err
	}
	return m.KV.Update(ctx, key, value, revision)
}

func (m *mortal) Delete(ctx context.Context, key string) error {
	if err := m.die(); err != nil {
		return err
	}
	return m.KV.Delete(ctx, key)
}

type mortalBus struct {
	bus.Bus
	state mortal
}

func (b *mortalBus) State() bus.KV { return &b.state }

// ledgerWorld is a run of which the learner is killed again and again, while workers come, go,
// and come back after hours.
type ledgerWorld struct {
	t           *testing.T
	o           Options
	random      *rand.Rand
	bus         *mortalBus
	g           *ingestion
	workers     []*testActor
	checkpoints []*messages.Ledgers
	credits     []*credit // of rollouts that were handed over
	merges      int
}

// start starts a learner from one of the newest checkpoints.
func (w *ledgerWorld) start() {
	w.bus = &mortalBus{w.o.Bus, mortal{w.o.Bus.State(), 1 << 30}}
	o := withRegistry(w.o)
	o.Bus = w.bus
	w.g, w.credits = testIngestion(w.t, o, 5), nil
	newest := len(w.checkpoints) - 1
	if w.random.IntN(4) == 0 {
		newest = max(0, newest-w.random.IntN(3)) // those after it are broken
	}
	w.g.resumed = w.checkpoints[newest]
	w.checkpoints = w.checkpoints[:newest+1]
	require.NoError(w.t, w.g.loadAccounts(w.t.Context()))
	kept := w.g.resumed.GetMerged().GetSum().GetCheckpointed()
	for _, l := range w.g.resumed.Ledgers {
		kept += l.Checkpointed
	}
	require.Equal(w.t, kept, w.g.total.Consumed, "what counts as consumed is in the checkpoint")
	require.Equal(w.t, kept, w.g.total.Checkpointed)
}

// work does something a learner does; it may die of it.
func (w *ledgerWorld) work() error {
	ctx := w.t.Context()
	switch w.random.IntN(8) {
	case 0:
		w.g.dispatch()
		w.credits = append(w.credits, w.g.rollout.credit)
		if w.random.IntN(4) > 0 {
			w.g.trained(w.credits[0])
			w.credits = w.credits[1:]
		}
	case 1, 2:
		all, err := encodeLedgers(w.g.ledgers())
		require.NoError(w.t, err)
		saved, err := decodeLedgers(all.Bytes)
		require.NoError(w.t, err)
		w.checkpoints = append(w.checkpoints, saved)
		w.g.checkpointed(saved)
	case 3:
		time.Sleep(time.Duration(w.random.IntN(100)) * time.Minute)
	case 4:
		before := len(w.g.accounts)
		if err := w.g.merge(ctx); err != nil {
			return err
		}
		w.merges += before - len(w.g.accounts)
	default:
		a := w.workers[max(0, w.random.IntN(len(w.workers)+3)-3)]
		x := a.batch(1 + w.random.IntN(20))
		if w.random.IntN(5) == 0 {
			break // it is lost
		}
		a.send(ctx, w.o.Bus, x)
		return w.ingest(ctx)
	}
	return nil
}

// ingest books what is there.
func (w *ledgerWorld) ingest(ctx context.Context) error {
	consumer, err := w.o.Bus.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(w.t, err)
	fetched, err := consumer.Fetch(ctx, fetchBatches, time.Millisecond)
	require.NoError(w.t, err)
	return w.g.ingest(ctx, fetched)
}

// check holds at any time.
func (w *ledgerWorld) check() {
	l := &w.g.total
	require.Equal(w.t, l.Episodes, l.Consumed+l.Stale+l.Refused+l.Lost)
	sum := &messages.Ledger{}
	addLedger(sum, w.g.merged.Sum)
	for _, a := range w.g.accounts {
		addLedger(sum, a.ledger)
	}
	require.Equal(w.t, l.Episodes, sum.Episodes)
	require.Equal(w.t, l.Lost, sum.Lost)
	require.Equal(w.t, l.Checkpointed, sum.Checkpointed)
	require.Equal(w.t, w.g.merged.Sum.Consumed, w.g.merged.Sum.Checkpointed, "nothing merged is in flight")
}

// stored is the sum of what State says, in which workers may be that came back a moment ago.
func (w *ledgerWorld) stored() *messages.Ledger {
	open := map[string]*messages.Ledger{}
	for _, a := range w.workers {
		if e, err := w.o.Bus.State().Get(w.t.Context(), messages.LedgerKey(a.id, messages.LearningAgent)); err == nil {
			open[a.id] = ledgerOf(w.t, e)
		}
	}
	merged, err := w.g.loadMerged(w.t.Context())
	require.NoError(w.t, err)
	workers, sum := Accounts(open, merged)
	require.Len(w.t, workers, len(w.workers))
	for _, l := range workers {
		addLedger(sum, l)
	}
	return sum
}

// TestMergedAccountsThroughKills kills the learner between any two writes of its ledgers. In the
// end, when each worker has come back, each game has exactly one fate.
func TestMergedAccountsThroughKills(t *testing.T) {
	merges := 0
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			o := testOptions(t)
			o.Config.PPO.Samples = 1 << 13
			w := &ledgerWorld{t: t, o: o, random: rand.New(rand.NewPCG(seed, 0))}
			w.checkpoints = []*messages.Ledgers{{Merged: &messages.MergedLedgers{}}}
			for i := range 8 {
				w.workers = append(w.workers, playingActor(t, o, fmt.Sprintf("actor-%d", i), 5))
			}
			w.start()
			for range 300 {
				if w.random.IntN(8) == 0 {
					w.bus.state.left = w.random.IntN(4)
				}
				if w.work() != nil {
					w.start()
				}
				w.check()
			}
			merges += w.merges
			w.bus.state.left = 1 << 30
			time.Sleep(time.Hour) // what was not acknowledged comes again, or is too old
			require.NoError(t, w.ingest(t.Context()))
			produced := uint64(0)
			for _, a := range w.workers {
				a.send(t.Context(), o.Bus, a.batch(1))
				require.NoError(t, w.ingest(t.Context()))
				produced += a.games
			}
			require.Equal(t, produced, w.g.total.Episodes)
			w.check()
			require.Equal(t, produced, w.stored().Episodes)
		})
	}
	require.Greater(t, merges, 20, "ledgers were merged")
}

// TestManyWorkersAreMerged has many workers that send a batch each.
func TestManyWorkersAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := testOptions(t)
		o.Config.PPO.Samples = 1 << 13
		g := testIngestion(t, o, 5)
		g.resumed = nil
		require.NoError(t, g.loadAccounts(t.Context()))
		const workers = 16_000
		var first *testActor
		for i := range workers {
			a := newTestActor(t, o.Game, messages.WorkerName(fmt.Sprintf("actor-%08x", i*7919), fmt.Sprintf("%08x", i*104729),
				0))
			if first == nil {
				first = a
			}
			a.batches++
			x := &messages.Experience{Actor: a.id, Sequence: 1}
			account, err := g.account(x)
			require.NoError(t, err)
			time.Sleep(time.Millisecond)
			g.enter(account, 1, &messages.Ledger{Episodes: 3, Stale: 3})
		}
		require.NoError(t, g.flush(t.Context()))
		time.Sleep(mergeAfter + time.Second)
		require.NoError(t, g.merge(t.Context()))
		require.Empty(t, g.accounts)
		require.EqualValues(t, 3*workers, g.merged.Sum.Stale)
		require.LessOrEqual(t, proto.Size(g.merged), maxMerged)
		require.Greater(t, len(g.merged.Gone), 5000)
		packed, err := encodeLedgers(g.ledgers())
		require.NoError(t, err)
		require.Less(t, len(packed.Bytes), 1<<19)

		// One that is no longer known would be counted twice; a new one is welcome.
		x := &messages.Experience{Actor: first.id, Sequence: 2, EpisodesBefore: 3, Began: 4}
		_, err = g.account(x)
		require.Equal(t, string(messages.ReasonClosed), conduct.ReasonOf(err))
		_, err = g.account(&messages.Experience{Actor: "new-00000000-0", Sequence: 2, EpisodesBefore: 3, Began: 6})
		require.NoError(t, err)
		require.Len(t, g.accounts, 1)
	})
}

func TestWorkersOfOneActorAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testIngestion(t, testOptions(t), 5)
		require.NoError(t, g.loadAccounts(t.Context()))
		worker := func(i int) error {
			_, err := g.account(&messages.Experience{Actor: messages.WorkerName("hostile", fmt.Sprintf("%08x", i), 0),
				Sequence: 1})
			return err
		}
		for i := range maxWorkers {
			require.NoError(t, worker(i))
		}
		err := worker(maxWorkers)
		require.Equal(t, string(messages.ReasonWorkers), conduct.ReasonOf(err))
		require.ErrorContains(t, err, "hostile")
		require.NoError(t, worker(0), "the others continue")
		_, err = g.account(&messages.Experience{Actor: "other-00000000-0", Sequence: 1})
		require.NoError(t, err)
		time.Sleep(mergeSoon + time.Second)
		require.NoError(t, g.merge(t.Context()))
		require.NoError(t, worker(maxWorkers), "silent ones made room")
	})
}
