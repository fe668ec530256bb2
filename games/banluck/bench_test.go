package banluck

import (
	"testing"

	"croupier/engine/enginetest"
)

func BenchmarkPlayouts(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, New, "players: 1", "players: 2", "players: 4")
}
