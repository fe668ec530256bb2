package langestrasse

import (
	"testing"

	"croupier/engine/enginetest"
)

func BenchmarkPlayouts(b *testing.B) { enginetest.BenchmarkPlayouts(b, New, "") }

// BenchmarkOptimum solves the turn.
func BenchmarkOptimum(b *testing.B) {
	t := newTables()
	for b.Loop() {
		newOptimum(t)
	}
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		newTables()
	}
}
