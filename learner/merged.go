package learner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
)

// This file keeps the number of ledgers bounded: those of workers that are gone are merged into
// one sum. The newest of them are also kept one by one, so that a worker that comes back continues
// with its own ledger, which leaves the sum.
//
// A ledger that is merged is written into State's merged account before it is deleted under its
// own key; that of a worker that comes back is under its own key before it leaves the merged
// account. After a kill in between it is in both, and is that of a worker that came back only if
// it has a later sequence under its own key.

const (
	// mergePeriod is the time between two looks for workers that are gone.
	mergePeriod = time.Minute
	// mergeAfter is how long a worker that is gone has been silent; that of an actor with many
	// workers, which seems to start again and again, for mergeSoon: longer than experience is kept.
	mergeAfter  = time.Hour
	mergeSoon   = 3 * time.Minute
	manyWorkers = 1024
	// maxWorkers is how many open accounts an actor may have.
	maxWorkers = 4 * manyWorkers
	// maxMerged bounds the merged account in bytes: some 9,000 workers. State takes 1 MiB, and a
	// checkpoint's metadata as much for all ledgers.
	maxMerged = 512 << 10
)

// merge moves the ledgers of workers that are gone into the merged account, if it is time to
// look for them. If State does not take the account, they stay where they are.
func (g *ingestion) merge(ctx context.Context) error {
	now := time.Now()
	if now.Sub(g.looked) < mergePeriod {
		return nil
	}
	g.looked = now
	closed := map[string]*messages.Ledger{}
	for worker, a := range g.accounts {
		if g.isGone(a, now) {
			closed[worker] = proto.CloneOf(a.ledger)
			closed[worker].MergedAt = g.reached.Load()
		}
	}
	next := g.merged
	if len(closed) > 0 {
		next = addGone(next, slices.SortedFunc(maps.Values(closed), func(a, b *messages.Ledger) int {
			return g.accounts[a.Actor].received.Compare(g.accounts[b.Actor].received)
		}))
	}
	if written, err := g.writeMerged(ctx, next); !written {
		return err
	}
	g.mutex.Lock()
	g.setMerged(next)
	for worker := range closed {
		g.dismiss(worker)
	}
	g.mutex.Unlock()
	return g.erase(ctx, closed)
}

// isGone reports whether a ledger can be merged: its worker has been silent for long, and
// nothing of it is in flight.
func (g *ingestion) isGone(a *account, now time.Time) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	patience := mergeAfter
	if g.workers[messages.ActorOf(a.ledger.Actor)] > manyWorkers {
		patience = mergeSoon
	}
	return now.Sub(a.received) >= patience && !a.changed && a.ledger.Checkpointed == a.ledger.Consumed
}

// dismiss ends an account. The caller has the lock.
func (g *ingestion) dismiss(worker string) {
	delete(g.accounts, worker)
	actor := messages.ActorOf(worker)
	if g.workers[actor]--; g.workers[actor] == 0 {
		delete(g.workers, actor)
	}
}

// setMerged makes f the merged account; it does not change any more. The caller has the lock.
func (g *ingestion) setMerged(f *messages.MergedLedgers) {
	g.merged = f
	g.gone = byWorker(f.Gone)
}

// takeOut takes the ledger of a worker that has come back out of the merged account. State's is
// written at the next merge, when the ledger is there under its own key. The caller has the lock.
func (g *ingestion) takeOut(l *messages.Ledger) *messages.Ledger {
	f := nextMerged(g.merged)
	takeLedger(f.Sum, l)
	f.Gone = slices.DeleteFunc(slices.Clone(f.Gone), func(o *messages.Ledger) bool { return o == l })
	g.setMerged(f)
	own := proto.CloneOf(l)
	own.MergedAt = 0
	return own
}

// checkClosed refuses a worker that may be one whose ledger is no longer kept: it would be
// counted twice.
func (g *ingestion) checkClosed(x *messages.Experience) error {
	if g.gone[x.Actor] != nil || x.Sequence == 1 || x.Began == 0 || x.Began > g.merged.GetHorizon() {
		return nil
	}
	return &messages.Refusal{Reason: messages.ReasonClosed, Detail: fmt.Sprintf(
		"worker %q, which began at version %d and was silent for long: start its actor again", x.Actor, x.Began)}
}

// writeMerged makes f State's merged account, unless it is already. The error is that of another
// learner at work, or of ctx.
func (g *ingestion) writeMerged(ctx context.Context, f *messages.MergedLedgers) (written bool, err error) {
	if f.GetRevision() == g.mergedStored {
		return false, nil
	}
	data, err := messages.Encode(f)
	if err == nil {
		err = g.mergedKey.write(ctx, g.bus.State(), data)
	}
	if err == nil {
		g.mergedStored = f.Revision
		return true, nil
	}
	err = g.failed(ctx, opLedger, fmt.Errorf("account of workers that are gone: %w", err))
	if errors.Is(err, bus.ErrTaken) || errors.Is(err, bus.ErrClosed) || ctx.Err() != nil {
		return false, err
	}
	g.log.Warn("ledgers of workers that are gone stay", "error", err)
	return false, nil
}

// erase deletes the keys of ledgers that are merged.
func (g *ingestion) erase(ctx context.Context, ledgers map[string]*messages.Ledger) error {
	for worker := range ledgers {
		if g.accounts[worker] != nil {
			continue // not merged
		}
		if err := g.bus.State().Delete(ctx, messages.LedgerKey(worker, g.agent)); err != nil &&
			!errors.Is(err, bus.ErrNotFound) {
			return g.failed(ctx, opLedger, fmt.Errorf("ledger of a worker that is gone: %w", err))
		}
	}
	return nil
}

// loadMerged reads State's merged account. One that is missing or cannot be read is nil.
func (g *ingestion) loadMerged(ctx context.Context) (*messages.MergedLedgers, error) {
	g.mergedKey = ownKey{key: messages.MergedKey(g.agent)}
	e, err := g.bus.State().Get(ctx, messages.MergedKey(g.agent))
	if errors.Is(err, bus.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the account of workers that are gone: %w", err)
	}
	g.mergedKey.revision = e.Revision
	f := &messages.MergedLedgers{}
	if err := messages.Decode(e.Value, f); err != nil || f.Sum == nil {
		g.log.Warn("account of workers that are gone is of no use; that of the checkpoint takes its place", "error", err)
		return nil, nil
	}
	g.mergedStored = f.Revision
	return f, nil
}

// nextMerged returns the beginning of the account that follows f: with a sum of its own, and
// the same ledgers.
func nextMerged(f *messages.MergedLedgers) *messages.MergedLedgers {
	next := &messages.MergedLedgers{Schema: messages.SchemaVersion, Sum: &messages.Ledger{}}
	if f != nil {
		next.Revision, next.Gone, next.Horizon = f.Revision, f.Gone, f.Horizon
		addLedger(next.Sum, f.Sum)
	}
	next.Revision++
	return next
}

// addGone returns f with further ledgers. The longest gone are no longer kept if there are too
// many.
func addGone(f *messages.MergedLedgers, gone []*messages.Ledger) *messages.MergedLedgers {
	next := nextMerged(f)
	next.Gone = slices.Concat(next.Gone, gone)
	for _, l := range gone {
		addLedger(next.Sum, l)
	}
	for size := proto.Size(next); size > maxMerged; next.Gone = next.Gone[1:] {
		size -= proto.Size(next.Gone[0])
		next.Horizon = max(next.Horizon, next.Gone[0].MergedAt)
	}
	return next
}

func byWorker(ledgers []*messages.Ledger) map[string]*messages.Ledger {
	out := make(map[string]*messages.Ledger, len(ledgers))
	for _, l := range ledgers {
		out[l.Actor] = l
	}
	return out
}

// books are all ledgers of a run.
type books struct {
	open   map[string]*messages.Ledger // by worker
	merged *messages.MergedLedgers     // nil: not known
}

// Accounts returns the ledgers of all workers that State knows by name, each once, and the sum of
// all others. open has the ledgers under their own keys; both arguments may be nil.
func Accounts(open map[string]*messages.Ledger, merged *messages.MergedLedgers) (workers []*messages.Ledger,
	others *messages.Ledger) {
	open, others = maps.Clone(open), &messages.Ledger{}
	addLedger(others, nextMerged(merged).Sum)
	for _, l := range merged.GetGone() {
		takeLedger(others, l)
		if open[l.Actor].GetSequence() <= l.Sequence {
			delete(open, l.Actor)
			workers = append(workers, l)
		}
	}
	return slices.AppendSeq(workers, maps.Values(open)), others
}

// resume brings ledgers in line with the checkpoint from which the run continues. stored is what
// State has, and saved what the checkpoint has: nil if an older program wrote it without ledgers.
// Then all that was consumed counts as checkpointed. Else what was consumed and is not in the
// checkpoint is lost, but for what was left; fallen is the number of those games.
func resume(stored books, saved *messages.Ledgers, left *unlearnt) (now books, fallen uint64) {
	before := books{byWorker(saved.GetLedgers()), saved.GetMerged()}
	f := stored.merged
	if f.GetRevision() < before.merged.GetRevision() {
		f = before.merged
	}
	now = books{newest(stored.open, before.open), nextMerged(f)}
	now.merged.Gone = nil
	kept := func(l *messages.Ledger) uint64 { return l.Consumed }
	if saved != nil {
		kept = before.kept()
	}
	for _, l := range f.GetGone() {
		takeLedger(now.merged.Sum, l)
		if o := now.open[l.Actor]; o.GetSequence() > l.Sequence {
			continue // it came back
		}
		delete(now.open, l.Actor)
		l, fell := settle(l, kept(l), 0)
		addLedger(now.merged.Sum, l)
		now.merged.Gone, fallen = append(now.merged.Gone, l), fallen+fell
	}
	for worker, l := range now.open {
		l, fell := settle(l, kept(l), left.of(l))
		now.open[worker], fallen = l, fallen+fell
	}
	return now, fallen
}

// newest returns the ledgers with the higher sequences, those of a where they are equal.
func newest(a, b map[string]*messages.Ledger) map[string]*messages.Ledger {
	out := maps.Clone(a)
	for worker, l := range b {
		if there := out[worker]; there == nil || l.Sequence > there.Sequence {
			out[worker] = l
		}
	}
	return out
}

// kept returns what tells how many games of a worker are in the checkpoint that has the books.
// One of a program that merged nothing says nothing of workers that it does not know and that
// are gone.
func (b books) kept() func(l *messages.Ledger) uint64 {
	gone := byWorker(b.merged.GetGone())
	return func(l *messages.Ledger) uint64 {
		saved, merged := b.open[l.Actor], gone[l.Actor]
		switch {
		case saved == nil && merged == nil && b.merged == nil && l.MergedAt > 0:
			return l.Consumed
		case saved == nil:
			return merged.GetConsumed()
		}
		return saved.Checkpointed
	}
}

// settle returns a copy of a ledger of whose games that many are in the checkpoint, and as many others were left to be
// learnt from; fell is the number of those that are lost because they are neither.
func settle(l *messages.Ledger, kept, left uint64) (now *messages.Ledger, fell uint64) {
	now = proto.CloneOf(l)
	kept = min(kept, now.Consumed)
	fell = now.Consumed - kept
	fell -= min(left, fell)
	now.Lost += fell
	now.Consumed, now.Trained, now.Checkpointed = now.Consumed-fell, kept, kept
	return now, fell
}
