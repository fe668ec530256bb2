package bank

import (
	"time"

	"croupier/engine"
)

// Patience implements engine.Timed: people have 30 seconds to answer.
func (*Game) Patience() time.Duration { return 30 * time.Second }

// Fallback implements engine.Timed: a player who does not answer passes.
func (*Game) Fallback(engine.State) int { return Pass }

// Dominant implements engine.Dominant: before a roll that cannot lose the bank, passing costs nothing. The bank only
// grows, and the seat is asked again.
func (*Game) Dominant(state engine.State) (action int, ok bool) {
	return Pass, state.(*State).roll < safeRolls
}

// Poll implements engine.Polled: who banks now?
func (v *View) Poll() (seats []int, does, doesNot int) { return v.Queue, Bank, Pass }
