package learner

import (
	"fmt"
	"math"

	"croupier/messages"
)

// recentNumbers is how many numbers of games below a worker's highest are known one by one.
const recentNumbers = 1 << 16

// numbers knows which games of a worker have been seen since the learner's start.
type numbers struct {
	seen []uint64 // a bit for each of the newest recentNumbers numbers, in a ring
	next uint64   // above the highest
}

// take enters a game. A worker numbers its games in the order in which they begin; one that is
// sent twice, or so late that it is no longer known, is refused with a *messages.Refusal. (Gaps
// are possible: games that are broken off at their greatest length are not sent.)
func (n *numbers) take(number uint64) error {
	if n.seen == nil {
		n.seen = make([]uint64, recentNumbers/64)
	}
	if n.next > recentNumbers && number < n.next-recentNumbers {
		return &messages.Refusal{Reason: messages.ReasonSequence,
			Detail: fmt.Sprintf("game %d, long after game %d", number, n.next-1)}
	}
	if number >= n.next && number-n.next >= recentNumbers {
		clear(n.seen)
		n.next = number
	}
	for ; n.next <= number && n.next != math.MaxUint64; n.next++ {
		n.seen[n.next%recentNumbers/64] &^= 1 << (n.next % 64)
	}
	word, bit := &n.seen[number%recentNumbers/64], uint64(1)<<(number%64)
	if *word&bit != 0 {
		return &messages.Refusal{Reason: messages.ReasonSequence, Detail: fmt.Sprintf("game %d was sent before", number)}
	}
	*word |= bit
	return nil
}
