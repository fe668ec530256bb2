package tysiac

import (
	"testing"

	"croupier/engine/enginetest"
)

func BenchmarkPlayouts(b *testing.B) {
	b.Run("tysiac", func(b *testing.B) { enginetest.BenchmarkPlayouts(b, New, "") })
	b.Run("tysiac-hand", func(b *testing.B) { enginetest.BenchmarkPlayouts(b, NewHand, "") })
}
