package family_test

import (
	"testing"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/engine/family"
	"croupier/games/bank"
)

// BenchmarkPlayouts compares games at the default table with those of a family that are all there.
func BenchmarkPlayouts(b *testing.B) {
	b.Run("plain", func(b *testing.B) { enginetest.BenchmarkPlayouts(b, bank.New, "") })
	b.Run("family", func(b *testing.B) {
		enginetest.BenchmarkPlayouts(b, func(document []byte) (engine.Game, error) { return family.New(bank.New, document) },
			"family: {default: 0.999999, players: 2..8, rounds: [10, 15, 20], roller: any, repoll: any}")
	})
}
