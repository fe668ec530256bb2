package train

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPrioritiesAgainstAPlainList compares with cumulative sums.
func TestPrioritiesAgainstAPlainList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		p, plain := newPriorities(n), make([]float64, n)
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			i := rapid.IntRange(0, n-1).Draw(t, "index")
			plain[i] = float64(rapid.IntRange(0, 8).Draw(t, "priority")) / 4 // sums without rounding
			p.set(i, plain[i])
		}
		total := 0.0
		for i, v := range plain {
			require.Equal(t, v, p.at(i))
			total += v
		}
		require.Equal(t, total, p.total())
		if total == 0 {
			return
		}
		x := total * rapid.Float64Range(0, 0.999).Draw(t, "x")
		want, sum := 0, plain[0]
		for x >= sum {
			want++
			sum += plain[want]
		}
		require.Equal(t, want, p.find(x))
	})
}

// Rounding never leads to an index without priority, whatever the number.
func TestNothingIsNeverFound(t *testing.T) {
	p := newPriorities(8)
	for i := range 5 {
		p.set(i, 0.1)
	}
	p.set(2, 0)
	for _, x := range []float64{0, 0.2, p.total(), 2 * p.total()} {
		require.Positive(t, p.at(p.find(x)), x)
	}
}
