package learner

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
)

// account is a worker's ledger as stored on the bus.
type account struct {
	ledger   *messages.Ledger
	key      ownKey // in which the ledger is kept
	games    numbers
	received time.Time // when the last batch came
	changed  bool      // not written since it changed
}

// account returns the account of the worker that sent a batch: a new one if it is not known
// yet, and its old one if it was gone. The error is a *messages.Refusal of a worker that
// cannot have one.
func (g *ingestion) account(x *messages.Experience) (*account, error) {
	a := g.accounts[x.Actor]
	if a == nil {
		actor := messages.ActorOf(x.Actor)
		if g.workers[actor] >= maxWorkers {
			return nil, &messages.Refusal{Reason: messages.ReasonWorkers,
				Detail: fmt.Sprintf("worker %q of an actor that has %d within %v", x.Actor, g.workers[actor], mergeAfter)}
		}
		if err := g.checkClosed(x); err != nil {
			return nil, err
		}
		g.mutex.Lock()
		a = g.open(x.Actor)
		g.mutex.Unlock()
	}
	a.received = time.Now()
	return a, nil
}

// open makes an account: that of a worker that was gone, else an empty one. The caller has the
// lock.
func (g *ingestion) open(worker string) *account {
	a := &account{
		ledger: &messages.Ledger{Schema: messages.SchemaVersion, Actor: worker},
		key:    ownKey{key: messages.LedgerKey(worker, g.agent)},
	}
	if l := g.gone[worker]; l != nil {
		a.ledger = g.takeOut(l)
		g.change(a)
	}
	g.admit(a)
	return a
}

// admit makes an account one of the open ones. The caller has the lock.
func (g *ingestion) admit(a *account) {
	a.received = time.Now()
	g.accounts[a.ledger.Actor] = a
	g.workers[messages.ActorOf(a.ledger.Actor)]++
}

// change notes that a ledger has to be written. The caller has the lock.
func (g *ingestion) change(a *account) {
	if !a.changed {
		a.changed = true
		g.changed = append(g.changed, a)
	}
}

// nextChanged takes one of the accounts whose ledgers have to be written, nil if there is none.
func (g *ingestion) nextChanged() *account {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	last := len(g.changed) - 1
	if last < 0 {
		return nil
	}
	a := g.changed[last]
	g.changed[last], g.changed = nil, g.changed[:last]
	return a
}

// loadAccounts reads the existing ledgers and brings them in line with the checkpoint. Of what
// cannot be read the checkpoint's is used.
func (g *ingestion) loadAccounts(ctx context.Context) error {
	stored := books{open: map[string]*messages.Ledger{}}
	revisions := map[string]uint64{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := g.bus.State().Watch(ctx, messages.LedgersOf(g.agent))
	if err != nil {
		return fmt.Errorf("read ledgers: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			if stored.merged, err = g.loadMerged(ctx); err != nil {
				return err
			}
			g.reconcile(stored, revisions)
			if err := g.flush(ctx); err != nil {
				return err
			}
			if written, err := g.writeMerged(ctx, g.merged); !written {
				return err
			}
			return g.erase(ctx, stored.open)
		}
		worker, agent, ok := messages.ParseLedgerKey(e.Key)
		if !ok || agent != g.agent {
			continue
		}
		l := &messages.Ledger{}
		if err := messages.Decode(e.Value, l); err != nil || l.Actor != worker {
			g.log.Warn("ledger of no use; that of the checkpoint, or an empty one, takes its place", "key", e.Key, "error", err)
			l = &messages.Ledger{Schema: messages.SchemaVersion, Actor: worker}
		}
		stored.open[worker], revisions[worker] = l, e.Revision
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("read ledgers: %w", bus.ErrClosed)
}

// reconcile makes the accounts those with which the run continues: what is in flight of an
// earlier start is lost, unless that has left it.
func (g *ingestion) reconcile(stored books, revisions map[string]uint64) {
	now, fallen := resume(stored, g.resumed, g.left)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.reconciled = true
	g.setMerged(now.merged)
	addLedger(&g.total, now.merged.Sum)
	for worker, l := range now.open {
		a := &account{ledger: l, key: ownKey{key: messages.LedgerKey(worker, g.agent), revision: revisions[worker]}}
		g.admit(a)
		if !proto.Equal(stored.open[worker], l) {
			g.change(a)
		}
		addLedger(&g.total, l)
	}
	g.left.reconcile(now.open)
	g.metrics.episodes.WithLabelValues(verdictNames[lost]).Add(float64(fallen))
}

// save writes an actor's ledger.
func (g *ingestion) save(ctx context.Context, a *account) error {
	g.mutex.Lock()
	data, err := messages.Encode(a.ledger)
	a.changed = false
	g.mutex.Unlock()
	if err != nil {
		return fmt.Errorf("ledger of %s: %w", a.ledger.Actor, err)
	}
	if err := a.key.write(ctx, g.bus.State(), data); err != nil {
		g.mutex.Lock()
		g.change(a)
		g.mutex.Unlock()
		return g.failed(ctx, opLedger, fmt.Errorf("ledger of %s: %w", a.ledger.Actor, err))
	}
	return nil
}

// count adds a batch's tally to the metrics.
func (g *ingestion) count(tally *messages.Ledger) {
	for v, n := range [...]uint64{consumed: tally.Consumed, stale: tally.Stale, refused: tally.Refused, lost: tally.Lost} {
		g.metrics.episodes.WithLabelValues(verdictNames[v]).Add(float64(n))
	}
	for reason, n := range tally.RefusedByReason {
		g.metrics.refusals.WithLabelValues(reason).Add(float64(n))
	}
}

// totals returns the sums over all actors of the run, by name.
func (g *ingestion) totals() map[string]float64 {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	values := map[string]float64{
		"episodes":     float64(g.total.Episodes),
		"consumed":     float64(g.total.Consumed),
		"trained":      float64(g.total.Trained),
		"checkpointed": float64(g.total.Checkpointed),
		"in_flight":    float64(g.total.Consumed - g.total.Checkpointed),
		"stale":        float64(g.total.Stale),
		"refused":      float64(g.total.Refused),
		"lost":         float64(g.total.Lost),
	}
	for reason, n := range g.total.RefusedByReason {
		values["refused/"+reason] = float64(n)
	}
	return values
}
