package learner

import (
	"cmp"
	"fmt"
	"os"

	"croupier/messages"
	"croupier/nn"
)

// Account is the fate of training games: Produced is the sum of Checkpointed, InFlight, Stale, Refused and Lost.
type Account struct {
	Produced     uint64 `json:"produced"`     // in the batches that were accounted for, gaps between them included
	Received     uint64 `json:"received"`     // and accepted: checkpointed, or in flight
	Trained      uint64 `json:"trained"`      // of those received
	Checkpointed uint64 `json:"checkpointed"` // of those trained
	InFlight     uint64 `json:"in_flight"`    // received, and in no checkpoint yet
	Stale        uint64 `json:"stale"`        // too old to learn from
	Refused      uint64 `json:"refused"`      // not credible
	Lost         uint64 `json:"lost"`         // on the way, or in flight when the learner was killed
}

// Add adds a ledger.
func (a *Account) Add(l *messages.Ledger) {
	a.Produced += l.Episodes
	a.Received += l.Consumed
	a.Trained += l.Trained
	a.Checkpointed += l.Checkpointed
	a.InFlight += l.Consumed - l.Checkpointed
	a.Stale += l.Stale
	a.Refused += l.Refused
	a.Lost += l.Lost
}

// AsLeft returns the account of a run that is not being trained, as its checkpoint leaves it, in which that many games
// were learnt from. What else was received was in flight; of a run that did not end in order it is lost. More may have
// been learnt from than was booked as received: the first games of a batch whose last ones wait.
func (a Account) AsLeft(learnt uint64, ended bool) Account {
	unbooked := max(learnt, a.Received) - a.Received
	a.Produced, a.Received = a.Produced+unbooked, a.Received+unbooked
	a.Trained, a.Checkpointed, a.InFlight = learnt, learnt, a.Received-learnt
	if !ended {
		a.Lost, a.Received, a.InFlight = a.Lost+a.InFlight, learnt, 0
	}
	return a
}

// Merge adds another account.
func (a *Account) Merge(o Account) {
	a.Produced += o.Produced
	a.Received += o.Received
	a.Trained += o.Trained
	a.Checkpointed += o.Checkpointed
	a.InFlight += o.InFlight
	a.Stale += o.Stale
	a.Refused += o.Refused
	a.Lost += o.Lost
}

// ReadLedgers returns the ledgers of all workers in the newest checkpoint of the run in a directory, none if
// an older program wrote it. The error is fs.ErrNotExist before the first checkpoint.
func ReadLedgers(dir string) (*messages.Ledgers, error) {
	folder, newest, err := newestCheckpoint(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := readCheckpoint(root, newest)
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", newest.File, err)
	}
	metadata, tensors, err := nn.DecodeTensors(data)
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", newest.File, err)
	}
	all, _, err := readLedgers(metadata, tensors)
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", newest.File, err)
	}
	return cmp.Or(all, &messages.Ledgers{}), nil
}
