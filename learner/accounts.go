package learner

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
)

// account is an actor's ledger as stored on the bus.
type account struct {
	ledger *messages.Ledger
	slot   slot // in which the ledger is kept
	games  numbers
	dirty  bool // not written since it changed
}

// account returns the actor's account, a new one for an actor that is not known yet.
func (g *ingestion) account(actor string) *account {
	a := g.accounts[actor]
	if a == nil {
		empty := &messages.Ledger{Schema: messages.SchemaVersion, Actor: actor}
		a = &account{ledger: empty, slot: slot{key: messages.LedgerKey(actor)}}
		g.mutex.Lock()
		g.accounts[actor] = a
		g.mutex.Unlock()
	}
	return a
}

// loadAccounts reads the existing ledgers and brings them in line with the checkpoint. Of a
// ledger that cannot be read the checkpoint's is used.
func (g *ingestion) loadAccounts(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := g.bus.State().Watch(ctx, messages.LedgerPrefix)
	if err != nil {
		return fmt.Errorf("read ledgers: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			g.reconcile()
			return g.flush(ctx)
		}
		actor := strings.TrimPrefix(e.Key, messages.LedgerPrefix)
		l := &messages.Ledger{}
		if err := messages.Decode(e.Value, l); err != nil || l.Actor != actor {
			g.log.Warn("ledger of no use; that of the checkpoint, or an empty one, takes its place", "key", e.Key, "error", err)
			l = &messages.Ledger{Schema: messages.SchemaVersion, Actor: actor}
		}
		g.accounts[actor] = &account{ledger: l, slot: slot{key: e.Key, revision: e.Revision}}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("read ledgers: %w", bus.ErrClosed)
}

// reconcile makes the accounts those with which the run goes on: what is in flight of an
// earlier start is lost. Without ledgers in the checkpoint, which an older program wrote, all
// that was consumed counts as checkpointed.
func (g *ingestion) reconcile() {
	saved := map[string]*messages.Ledger{}
	for _, l := range g.resumed.GetLedgers() {
		saved[l.Actor] = l
		g.account(l.Actor)
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.reconciled = true
	for actor, a := range g.accounts {
		if g.resumed == nil {
			a.ledger.Trained, a.ledger.Checkpointed = a.ledger.Consumed, a.ledger.Consumed
		} else {
			before := proto.CloneOf(a.ledger)
			a.ledger = resume(a.ledger, saved[actor])
			a.dirty = !proto.Equal(before, a.ledger)
			g.metrics.episodes.WithLabelValues(verdictNames[lost]).Add(float64(a.ledger.Lost - min(before.Lost, a.ledger.Lost)))
		}
		addLedger(&g.total, a.ledger)
		g.total.Trained += a.ledger.Trained
		g.total.Checkpointed += a.ledger.Checkpointed
	}
}

// save writes an actor's ledger.
func (g *ingestion) save(ctx context.Context, a *account) error {
	g.mutex.Lock()
	data, err := messages.Encode(a.ledger)
	a.dirty = false
	g.mutex.Unlock()
	if err != nil {
		return fmt.Errorf("ledger of %s: %w", a.ledger.Actor, err)
	}
	if err := a.slot.write(ctx, g.bus.State(), data); err != nil {
		g.mutex.Lock()
		a.dirty = true
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
