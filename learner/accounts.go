package learner

import (
	"context"
	"fmt"
	"strings"

	"croupier/messages"
	"croupier/messages/bus"
)

// account is an actor's ledger as stored on the bus.
type account struct {
	ledger *messages.Ledger
	slot   slot // in which the ledger is kept
	games  numbers
}

// account returns the actor's account, a new one for an actor that is not known yet.
func (g *ingestion) account(actor string) *account {
	a := g.accounts[actor]
	if a == nil {
		a = &account{ledger: &messages.Ledger{Schema: messages.SchemaVersion, Actor: actor}, slot: slot{key: messages.LedgerKey(actor)}}
		g.accounts[actor] = a
	}
	return a
}

// loadAccounts reads the existing ledgers.
func (g *ingestion) loadAccounts(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := g.bus.State().Watch(ctx, messages.LedgerPrefix)
	if err != nil {
		return fmt.Errorf("read ledgers: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			return nil
		}
		l := &messages.Ledger{}
		if err := messages.Decode(e.Value, l); err != nil {
			return fmt.Errorf("read %s: %w", e.Key, err)
		}
		actor := strings.TrimPrefix(e.Key, messages.LedgerPrefix)
		g.accounts[actor] = &account{ledger: l, slot: slot{key: e.Key, revision: e.Revision}}
		g.addTotal(l)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("read ledgers: %w", bus.ErrClosed)
}

// save writes an actor's ledger.
func (g *ingestion) save(ctx context.Context, a *account) error {
	data, err := messages.Encode(a.ledger)
	if err != nil {
		return fmt.Errorf("ledger of %s: %w", a.ledger.Actor, err)
	}
	if err := a.slot.write(ctx, g.bus.State(), data); err != nil {
		return g.failed(ctx, opLedger, fmt.Errorf("ledger of %s: %w", a.ledger.Actor, err))
	}
	return nil
}

// count adds a batch's tally to the metrics and the totals.
func (g *ingestion) count(tally *messages.Ledger) {
	for v, n := range [...]uint64{consumed: tally.Consumed, stale: tally.Stale, refused: tally.Refused, lost: tally.Lost} {
		g.metrics.episodes.WithLabelValues(verdictNames[v]).Add(float64(n))
	}
	for reason, n := range tally.RefusedByReason {
		g.metrics.refusals.WithLabelValues(reason).Add(float64(n))
	}
	g.addTotal(tally)
}

func (g *ingestion) addTotal(l *messages.Ledger) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	addLedger(&g.total, l)
}

// totals returns the sums over all actors of the run, by name.
func (g *ingestion) totals() map[string]float64 {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	values := map[string]float64{
		"consumed": float64(g.total.Consumed),
		"stale":    float64(g.total.Stale),
		"refused":  float64(g.total.Refused),
		"lost":     float64(g.total.Lost),
	}
	for reason, n := range g.total.RefusedByReason {
		values["refused/"+reason] = float64(n)
	}
	return values
}
