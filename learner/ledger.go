package learner

import (
	"fmt"

	"croupier/messages"
	"croupier/messages/conduct"
)

// verdict is the fate of an episode.
type verdict int

const (
	consumed verdict = iota // trained on
	stale                   // played by weights too far behind
	refused                 // failed verification
	lost                    // in a batch that never arrived
)

var verdictNames = [...]string{"consumed", "stale", "refused", "lost"}

// Bounds on what may be missing between two batches of a worker. A worker sends some
// hundred batches in a second at most, and pauses while the learner is behind.
const (
	maxGapBatches  = 1 << 20 // an hour of play
	maxGapEpisodes = 1 << 26
)

// openBatch compares the numbers of a batch with its worker's ledger. It reports whether the
// batch has already been accounted for and how many episodes before it are missing (they
// are lost), or why the numbers cannot be true (a *messages.Refusal).
func openBatch(l *messages.Ledger, sequence, episodesBefore uint64) (repeated bool, gap uint64, err error) {
	next := l.Sequence + 1
	if sequence < next {
		return true, 0, nil
	}
	batches := sequence - next
	if episodesBefore >= l.Episodes {
		gap = episodesBefore - l.Episodes
	}
	if episodesBefore < l.Episodes || batches > maxGapBatches || gap > min(batches*messages.MaxEpisodes, maxGapEpisodes) {
		return false, 0, &messages.Refusal{
			Reason: messages.ReasonSequence,
			Detail: fmt.Sprintf("batch %d after %d episodes; accounted for are %d batches with %d",
				sequence, episodesBefore, l.Sequence, l.Episodes),
		}
	}
	return false, gap, nil
}

// book enters one episode; err reports why it was refused, if it was.
func book(l *messages.Ledger, v verdict, err error) {
	l.Episodes++
	switch v {
	case consumed:
		l.Consumed++
	case stale:
		l.Stale++
	case lost:
		l.Lost++
	case refused:
		l.Refused++
		addRefusals(l, conduct.ReasonOf(err), 1)
	}
}

// addLedger adds the episodes of another ledger.
func addLedger(sum, l *messages.Ledger) {
	sum.Episodes += l.Episodes
	sum.Consumed += l.Consumed
	sum.Trained += l.Trained
	sum.Checkpointed += l.Checkpointed
	sum.Stale += l.Stale
	sum.Refused += l.Refused
	sum.Lost += l.Lost
	for reason, n := range l.RefusedByReason {
		addRefusals(sum, reason, n)
	}
}

// takeLedger takes the episodes of a ledger out of a sum that contains them.
func takeLedger(sum, l *messages.Ledger) {
	sum.Episodes -= l.Episodes
	sum.Consumed -= l.Consumed
	sum.Trained -= l.Trained
	sum.Checkpointed -= l.Checkpointed
	sum.Stale -= l.Stale
	sum.Refused -= l.Refused
	sum.Lost -= l.Lost
	for reason, n := range l.RefusedByReason {
		if sum.RefusedByReason[reason] -= n; sum.RefusedByReason[reason] == 0 {
			delete(sum.RefusedByReason, reason)
		}
	}
}

func addRefusals(l *messages.Ledger, reason string, n uint64) {
	if l.RefusedByReason == nil {
		l.RefusedByReason = map[string]uint64{}
	}
	l.RefusedByReason[reason] += n
}
