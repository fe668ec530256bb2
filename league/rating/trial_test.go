package rating

import (
	"slices"
	"testing"

	"croupier/engine"
	"croupier/league/rating/ratingtest"
	"croupier/messages"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The order of results, and what comes after the verdict, change nothing.
func TestTrialDoesNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most, sets = 44, 5
		test := Sequential{Gain: 0.3, Error: 0.05, Least: 22, Most: most}
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: map[string]float64{"main@2": 0.4}, RNG: rng}
		k := NewKey("main@1", "main@2")
		trialOf := func(results []*messages.Result) Trial {
			b := NewResults(s.Spec, "run", ratingtest.Rules, test)
			for _, r := range results {
				if err := b.Apply(r); err != nil {
					require.ErrorIs(t, err, ErrDuplicate)
				}
			}
			return *b.Pairs[k].Trial
		}
		var results []*messages.Result
		b := NewResults(s.Spec, "run", ratingtest.Rules, test)
		for first := uint64(0); first < most; first += sets {
			results = append(results, s.Play(b.Match(k, Span{FirstGateSet + first, FirstGateSet + first + sets}, 0)))
		}
		want := trialOf(results)
		require.NotEqual(t, Undecided, want.Verdict)
		require.Equal(t, want, trialOf(inAnyOrder(rng, results)))
	})
}

// inAnyOrder returns a permutation of items, some of them more than once.
func inAnyOrder[T any](rng *engine.RNG, items []T) []T {
	out := slices.Clone(items)
	for range len(items) / 3 {
		out = append(out, items[rng.IntN(len(items))])
	}
	for i := len(out) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}
