package learner

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/nn"
)

// This file follows the accepted games of each worker from their ledger into a checkpoint. A
// game is credited to the rollout that is handed over after its whole batch was booked: a batch
// that comes again after a kill is then either booked, and skipped, or in no account at all.

// credit is what a rollout is credited with.
type credit struct {
	games  map[string]uint64 // by worker
	learnt bool              // from the rollout
}

// dispatch notes what the rollout that is about to be handed over is credited with.
func (g *ingestion) dispatch() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.rollout.credit = &credit{games: g.credit}
	g.queue, g.credit = append(g.queue, g.rollout.credit), map[string]uint64{}
}

// trained books what a rollout is credited with once all that were handed over before it have been learnt from as well,
// which peers may do later: the first games of its first batch may be in one of them.
func (g *ingestion) trained(c *credit) {
	if c == nil { // it was not handed over
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	c.learnt = true
	for len(g.queue) > 0 && g.queue[0].learnt {
		for worker, n := range g.queue[0].games {
			g.accounts[worker].ledger.Trained += n
			g.total.Trained += n
		}
		g.queue = g.queue[1:]
	}
}

// ledgers returns copies of all ledgers as they are when everything trained is in a checkpoint:
// those of the last checkpoint until State's have been read.
func (g *ingestion) ledgers() *messages.Ledgers {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.reconciled {
		return g.resumed
	}
	all := &messages.Ledgers{Schema: messages.SchemaVersion, Merged: g.merged}
	for _, a := range g.accounts {
		l := proto.CloneOf(a.ledger)
		l.Checkpointed = l.Trained
		all.Ledgers = append(all.Ledgers, l)
	}
	return all
}

// checkpointed books what a checkpoint on disk holds. Ingestion writes the ledgers.
func (g *ingestion) checkpointed(all *messages.Ledgers) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.reconciled {
		return
	}
	for _, l := range all.Ledgers {
		// Of a ledger that has been merged meanwhile, everything was checkpointed before.
		if a := g.accounts[l.Actor]; a != nil && a.ledger.Checkpointed != l.Checkpointed {
			g.total.Checkpointed += l.Checkpointed - a.ledger.Checkpointed
			a.ledger.Checkpointed = l.Checkpointed
			g.change(a)
		}
	}
}

// flush writes the ledgers that have changed.
func (g *ingestion) flush(ctx context.Context) error {
	for a := g.nextChanged(); a != nil; a = g.nextChanged() {
		if err := g.save(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// encodeLedgers returns ledgers as a tensor of a checkpoint: there may be a hundred thousand of them.
func encodeLedgers(all *messages.Ledgers) (t nn.Tensor, err error) {
	data, err := proto.Marshal(all)
	if err != nil {
		return t, err
	}
	if len(data) > maxLedgers {
		return t, fmt.Errorf("ledgers of %d bytes are more than the limit of %d", len(data), maxLedgers)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return t, err
	}
	if _, err := w.Write(data); err != nil {
		return t, err
	}
	if err := w.Close(); err != nil {
		return t, err
	}
	return nn.Tensor{Name: ledgersKey, Shape: []int{packed.Len()}, Bytes: packed.Bytes()}, nil
}

// readLedgers returns the ledgers of a checkpoint, and its tensors without them; nil if it has none. Programs before
// this one kept them as text in the metadata.
func readLedgers(metadata map[string]string, tensors []nn.Tensor) (all *messages.Ledgers, others []nn.Tensor,
	err error) {
	last := len(tensors) - 1
	text, old := metadata[ledgersKey]
	var packed []byte
	switch {
	case last >= 0 && tensors[last].Name == ledgersKey:
		packed, tensors = tensors[last].Bytes, tensors[:last]
	case old:
		packed, err = base64.StdEncoding.DecodeString(text)
	default:
		return nil, tensors, nil
	}
	if err == nil {
		all, err = decodeLedgers(packed)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", ledgersKey, err)
	}
	return all, tensors, nil
}

// maxLedgers bounds in bytes what a checkpoint's ledgers take unpacked.
const maxLedgers = 64 << 20

func decodeLedgers(packed []byte) (*messages.Ledgers, error) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxLedgers+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxLedgers {
		return nil, fmt.Errorf("they take more than the limit of %d bytes", maxLedgers)
	}
	all := &messages.Ledgers{}
	if err := proto.Unmarshal(data, all); err != nil {
		return nil, err
	}
	for _, l := range slices.Concat(all.Ledgers, all.Merged.GetGone()) {
		if err := messages.CheckToken(l.Actor); err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
	}
	return all, nil
}
