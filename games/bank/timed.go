package bank

import (
	"time"

	"croupier/engine"
)

// Patience implements engine.Timed: people have 30 seconds to answer.
func (*Game) Patience() time.Duration { return 30 * time.Second }

// Fallback implements engine.Timed: a player who does not answer passes.
func (*Game) Fallback(engine.State) int { return Pass }
