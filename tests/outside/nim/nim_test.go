package nim

import (
	"testing"

	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, New, "piles: [1]", "piles: [2, 7, 1, 4]") }
