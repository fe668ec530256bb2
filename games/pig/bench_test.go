package pig

import (
	"testing"

	"croupier/engine/enginetest"
)

func BenchmarkPlayouts(b *testing.B) { enginetest.BenchmarkPlayouts(b, New, "") }
