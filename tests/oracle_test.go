package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// What must hold of every run, whatever happened to its roles: each episode that an
// actor produced is accounted for, and each result counts once.

// inFlight is how many batches a killed actor may take with it: those that the bus
// lets wait for their acknowledgement (messages/bus, inFlight) and, for each of its
// workers, one that is in the journal and not yet on the bus (actor.experience.publish).
// It holds for an actor whose broker has not died just before it: what went with the
// broker comes on top, until a later batch of that worker shows that it is missing.
const inFlight = 64 + 1

// journal is what an actor says that it produced (actor.Produced).
type journal struct {
	Actor             string
	Episodes, Batches uint64
	Closed            bool
}

func readJournals(t testing.TB, run string) []journal {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(run, "actors", "*.json"))
	require.NoError(t, err)
	journals := make([]journal, len(files))
	for i, file := range files {
		journals[i] = readJournal(t, file)
	}
	return journals
}

func readJournal(t testing.TB, file string) (j journal) {
	t.Helper()
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &j), file)
	return j
}

// readLedger returns the account of a worker, which the learner of one agent has.
func readLedger(ctx context.Context, b bus.Bus, worker string) (*messages.Ledger, error) {
	var entry bus.Entry
	err := error(nil)
	for _, agent := range append([]string{messages.LearningAgent}, exploiters...) {
		if entry, err = b.State().Get(ctx, messages.LedgerKey(worker, agent)); !errors.Is(err, bus.ErrNotFound) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	l := &messages.Ledger{}
	return l, messages.Decode(entry.Value, l)
}

// drained waits until the learner has accounted for everything of the actors that
// have ended in good order. What a learner had fetched when it was killed comes
// again after the lease. (What the broker holds in memory goes with the broker: only
// a later batch of the same actor would show that it is lost.)
func drained(t testing.TB, b bus.Bus, run string) {
	t.Helper()
	for _, j := range readJournals(t, run) {
		if !j.Closed {
			continue
		}
		eventually(t, "all batches of "+j.Actor+" are accounted for", func() error {
			l, err := readLedger(t.Context(), b, j.Actor)
			if err == nil && l.Sequence != j.Batches {
				err = fmt.Errorf("%d of %d batches", l.Sequence, j.Batches)
			}
			return err
		})
	}
}

// checkAccounts compares the learner's ledgers with the actors' journals when all
// actors have ended, one way or the other.
func checkAccounts(t testing.TB, b bus.Bus, run string) {
	t.Helper()
	drained(t, b, run)
	closed, killed, consumed := 0, 0, uint64(0)
	for _, j := range readJournals(t, run) {
		l, err := readLedger(t.Context(), b, j.Actor)
		if !j.Closed && errors.Is(err, bus.ErrNotFound) {
			l, err = &messages.Ledger{Actor: j.Actor}, nil // killed before its first batch arrived
		}
		require.NoError(t, err)
		t.Logf("%s: closed %t, produced %d in %d batches; in %d batches consumed %d, stale %d, lost %d",
			j.Actor, j.Closed, j.Episodes, j.Batches, l.Sequence, l.Consumed, l.Stale, l.Lost)
		require.Zero(t, l.Refused, "%s: refused %v", l.Actor, l.RefusedByReason)
		require.Equal(t, l.Episodes, l.Consumed+l.Stale+l.Lost, "the account of %s does not add up", l.Actor)
		consumed += l.Consumed
		if j.Closed {
			closed++
			require.Equal(t, j.Episodes, l.Episodes, "%s: produced, and accounted for", j.Actor)
			continue
		}
		killed++
		require.LessOrEqual(t, l.Episodes, j.Episodes, "%s: more is accounted for than was produced", j.Actor)
		require.LessOrEqual(t, l.Sequence, j.Batches, j.Actor)
		require.LessOrEqual(t, j.Batches-l.Sequence, uint64(inFlight), "%s: batches that nobody accounts for", j.Actor)
		require.Equal(t, l.Sequence == j.Batches, l.Episodes == j.Episodes, j.Actor)
	}
	require.Positive(t, closed)
	require.Positive(t, killed)
	require.Positive(t, consumed)
}

// results are those that somebody who follows the stream has seen.
type results struct {
	mu   sync.Mutex
	seen []published
}

type published struct {
	sequence uint64
	match    string
	data     string
}

// follow reads the results as they come.
func follow(t *testing.T, b bus.Bus) *results {
	t.Helper()
	stream, err := b.Read(t.Context(), bus.Results, 1)
	require.NoError(t, err)
	r := &results{}
	go func() {
		for m := range stream {
			if m == nil {
				continue
			}
			r.mu.Lock()
			r.seen = append(r.seen, published{m.Sequence(), m.Subject(), string(m.Data())})
			r.mu.Unlock()
		}
	}()
	return r
}

// check reads all results again: those that were seen must be there, but for the first ones, which the league
// removes once its snapshot has them. It returns the games of each agent there that count in ratings.
func (r *results) check(t testing.TB, b bus.Bus) map[string]uint64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	var all []published
	matches, games := map[string]bool{}, map[string]uint64{}
	for m := range stream {
		if m == nil {
			break
		}
		all = append(all, published{m.Sequence(), m.Subject(), string(m.Data())})
		result := &messages.Result{}
		require.NoError(t, messages.Decode(m.Data(), result))
		id, _, _ := messages.ParseResultSubject(m.Subject())
		require.Equal(t, id, result.Match.Id)
		sets := fmt.Sprint(result.Match.A, result.Match.B, result.Match.FirstSet)
		if matches[sets] {
			continue // the first of a match counts
		}
		matches[sets] = true
		if result.Match.FirstSet>>23&1 == 1 {
			continue // these sets are the gate's, and enter no rating
		}
		games[result.Match.A] += result.OneA.Games
		games[result.Match.B] += result.OneA.Games
	}
	require.NoError(t, ctx.Err())
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NotEmpty(t, r.seen)
	require.NotEmpty(t, all)
	seen := r.seen
	for len(seen) > 0 && seen[0].sequence < all[0].sequence {
		seen = seen[1:]
	}
	require.Equal(t, seen, all[:min(len(all), len(seen))], "results that were there are lost or changed")
	t.Logf("%d results", len(all))
	return games
}
