package bank

import (
	"testing"

	"croupier/engine/enginetest"
)

func BenchmarkPlayouts(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, New, "players: 2", "players: 3", "players: 8")
}
