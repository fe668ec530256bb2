package learner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/messages"
)

// This file keeps the games that a learner has received and not learnt from when it ends in order. They lie next to the
// checkpoint from which the next start continues, and are the first that it learns from. A learner that is killed
// leaves none: what it has not learnt from is lost.

const (
	unlearntName = "unlearnt.json"
	maxUnlearnt  = 1 << 28 // bytes
)

// unlearnt are the games that an end in order has left.
type unlearnt struct {
	Run     string              `json:"run"`     // as in the checkpoint
	Version uint64              `json:"version"` // of the checkpoint
	Workers map[string]inFlight `json:"workers"`
	Batches []leftBatch         `json:"batches"`
}

// inFlight is what was received from a worker and is in no checkpoint.
type inFlight struct {
	Sequence  uint64 `json:"sequence"`            // of the worker's ledger
	Withdrawn uint64 `json:"withdrawn,omitempty"` // of that ledger
	Games     uint64 `json:"games"`

	// booked is how many of the games a start that was killed has withdrawn: its ledger has them, and no checkpoint.
	booked uint64
}

// leftBatch names games of a batch.
type leftBatch struct {
	Batch    []byte   `json:"batch"` // encoded messages.Experience
	Episodes []uint32 `json:"episodes"`
}

// of returns how many games of a ledger are in flight still; 0 on nil.
func (u *unlearnt) of(l *messages.Ledger) uint64 {
	if u == nil {
		return 0
	}
	of := u.Workers[l.Actor]
	if l.Sequence < of.Sequence {
		return 0
	}
	return of.Games - of.since(l)
}

// since returns how many of the games have been withdrawn by a ledger.
func (f inFlight) since(l *messages.Ledger) uint64 {
	return min(max(l.GetWithdrawn(), f.Withdrawn)-f.Withdrawn, f.Games)
}

// reconcile leaves only what the ledgers have in flight; on nil, there is nothing.
func (u *unlearnt) reconcile(open map[string]*messages.Ledger) {
	if u == nil {
		return
	}
	for worker, of := range u.Workers {
		l := open[worker]
		of.booked = of.since(l)
		if of.Games = l.GetConsumed() - l.GetCheckpointed(); of.Games > 0 {
			u.Workers[worker] = of
		} else {
			delete(u.Workers, worker)
		}
	}
}

// keepUnlearnt writes the games that were not learnt from next to the newest checkpoint. Ingestion has ended.
func (l *Learner) keepUnlearnt() {
	u := &unlearnt{Run: l.checkpoints.run, Version: l.saved, Workers: l.ingestion.inFlight()}
	for _, b := range l.group.averages.unlearnt(append(l.interrupted, l.ingestion.unlearnt()...)) {
		u.Batches = append(u.Batches, leftBatch{Batch: b.batch, Episodes: b.episodes})
	}
	if len(u.Batches) == 0 || l.saved == 0 {
		return
	}
	if err := l.checkpoints.leave(u); err != nil {
		l.log.Warn("games that were not learnt from are not kept, and count as lost", "error", err)
		return
	}
	games := uint64(0)
	for _, w := range u.Workers {
		games += w.Games
	}
	l.log.Info("games that were not learnt from are kept for the next start", "games", games)
}

// unlearnt adds to games those of rollouts that peers have and have not learnt from; on nil, there are none.
func (a *averages) unlearnt(games []gamesOf) []gamesOf {
	if a == nil {
		return games
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, r := range a.back {
		games = append(games, r.batches...)
	}
	for _, h := range a.hands {
		for _, r := range h.rollouts {
			games = append(games, r.batches...)
		}
	}
	return games
}

// unlearnt returns the games that ingestion has, of batches that were booked. It has ended.
func (g *ingestion) unlearnt() (games []gamesOf) {
	if g.rollout != nil {
		games = append(games, g.rollout.batches...)
	}
	if g.left != nil {
		for _, b := range g.left.Batches {
			games = append(games, gamesOf{batch: b.Batch, episodes: b.Episodes})
		}
	}
	return games
}

// inFlight returns what was received from each worker and is in no checkpoint.
func (g *ingestion) inFlight() map[string]inFlight {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	all := map[string]inFlight{}
	for worker, a := range g.accounts {
		if n := a.ledger.Consumed - a.ledger.Checkpointed; n > 0 {
			all[worker] = inFlight{Sequence: a.ledger.Sequence, Withdrawn: a.ledger.Withdrawn, Games: n}
		}
	}
	return all
}

// takeUp records the games that the last start has left, before any others come.
func (g *ingestion) takeUp(ctx context.Context) error {
	for g.left != nil && len(g.left.Batches) > 0 {
		b := &g.left.Batches[0]
		x := &messages.Experience{}
		err := messages.Decode(b.Batch, x)
		if err == nil {
			err = g.header(x)
		}
		if a := g.accounts[x.Actor]; err == nil && a != nil && x.Sequence <= g.left.Workers[x.Actor].Sequence {
			err = g.takeUpBatch(ctx, a, x, b)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.log.Warn("games that the last start has left cannot be learnt from", "error", err)
		}
		g.left.Batches = g.left.Batches[1:]
	}
	if g.left != nil {
		for worker := range g.left.Workers {
			g.creditLeft(worker, g.left.Workers[worker].Games)
		}
		g.left = nil
	}
	return nil
}

// takeUpBatch records games of a batch that its worker's account has as received.
func (g *ingestion) takeUpBatch(ctx context.Context, a *account, x *messages.Experience, b *leftBatch) error {
	for len(b.Episodes) > 0 {
		if g.rollout.Size.Samples >= g.samples {
			if err := g.handOver(ctx); err != nil {
				return err
			}
		}
		i := int(b.Episodes[0])
		if i >= len(x.Episodes) {
			return fmt.Errorf("game %d of a batch of %d", i, len(x.Episodes))
		}
		b.Episodes = b.Episodes[1:]
		v, err := refused, a.games.take(x.Episodes[i].Number)
		if err == nil {
			v, err = g.episode(x, i)
		}
		switch v {
		case consumed:
			g.rollout.note(b.Batch, i)
			g.creditLeft(x.Actor, 1)
		case stale:
			g.withdraw(a, &messages.Ledger{Stale: 1})
		default:
			g.withdraw(a, &messages.Ledger{Lost: 1})
			g.log.Debug("a game that the last start has left is not credible", "worker", x.Actor, "error", err)
		}
	}
	return nil
}

// creditLeft credits the rollout that is being filled with games of those that the last start has left of a worker.
func (g *ingestion) creditLeft(worker string, games uint64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	of := g.left.Workers[worker]
	if games = min(games, of.Games); games == 0 || g.accounts[worker] == nil {
		return
	}
	of.Games -= games
	g.left.Workers[worker] = of
	g.credit[worker] += games
}

// withdraw books a game that the last start has left, and that nothing is learnt from after all. A start that was
// killed before its first checkpoint may have booked it: the games are taken up in the same order again.
func (g *ingestion) withdraw(a *account, as *messages.Ledger) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	worker := a.ledger.Actor
	of := g.left.Workers[worker]
	defer func() { g.left.Workers[worker] = of }()
	switch {
	case of.booked > 0:
		of.booked--
		return
	case of.Games == 0:
		return
	}
	of.Games--
	a.ledger.Withdrawn++
	for _, l := range []*messages.Ledger{a.ledger, &g.total} {
		l.Consumed--
		addLedger(l, as)
	}
	g.change(a)
	g.count(as)
}

// leave writes games next to the newest checkpoint.
func (c *checkpoints) leave(u *unlearnt) error {
	doc, err := sealed.Document(u)
	if err != nil {
		return err
	}
	if len(doc) > maxUnlearnt {
		return fmt.Errorf("they take %d bytes, and the limit is %d", len(doc), maxUnlearnt)
	}
	return durable.WriteFile(filepath.Join(c.folder, unlearntName), doc)
}

// left reads the games that an end in order has left next to the checkpoint of a version; nil: there are none.
func (c *checkpoints) left(version uint64) *unlearnt {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil // the checkpoint was read from it
	}
	defer root.Close()
	u := &unlearnt{}
	doc, err := regular.ReadIn(root, unlearntName, maxUnlearnt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = sealed.OpenDocument(doc, u)
	}
	if err != nil {
		c.log.Warn("games that the last start has not learnt from count as lost", "file",
			filepath.Join(c.folder, unlearntName), "error", err)
		return nil
	}
	if u.Run != c.run || u.Version != version {
		return nil
	}
	return u
}
