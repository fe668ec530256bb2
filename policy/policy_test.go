package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestSampleFollowsTheProbabilities(t *testing.T) {
	const draws = 200_000
	p := []float64{0, 0.25, 0.7, 0, 0.05}
	rng := engine.NewRNG(1, engine.ActionStream)
	counts := make([]float64, len(p))
	for range draws {
		counts[Sample(p, rng)]++
	}
	for i, want := range p {
		require.InDelta(t, want, counts[i]/draws, 0.005)
	}
	require.Zero(t, counts[0]+counts[3], "impossible indices are never drawn")
}

// Probabilities that sum to slightly less than 1 still give a possible index.
func TestSampleWithRoundedProbabilities(t *testing.T) {
	rng := engine.NewRNG(2, engine.ActionStream)
	for range 1000 {
		require.Equal(t, 1, Sample([]float64{0, 1e-9, 0}, rng))
	}
}

func TestRandomIsUniformOverTheLegalActions(t *testing.T) {
	const draws = 90_000
	rng := engine.NewRNG(3, engine.ActionStream)
	legal := []int{2, 5, 9}
	counts := map[int]float64{}
	for range draws {
		counts[Random{}.Choose(nil, legal, rng)]++
	}
	require.Len(t, counts, 3)
	dst := make([]float64, 3)
	Random{}.Distribution(nil, legal, dst)
	for i, a := range legal {
		require.InDelta(t, dst[i], counts[a]/draws, 0.01)
	}
}

func TestBotPlaysAsItIs(t *testing.T) {
	p := Bot(engine.BotFunc(func(_ engine.State, legal []int, _ *engine.RNG) int { return legal[len(legal)-1] }))
	p.Reset()
	require.Equal(t, 7, p.Choose(nil, []int{1, 7}, nil))
}

// A bot that gives its probabilities is a Stochastic, another one is not.
func TestBotsThatGiveTheirProbabilities(t *testing.T) {
	_, ok := Bot(Random{}).(Stochastic)
	require.True(t, ok)
	_, ok = Bot(engine.BotFunc(Random{}.Choose)).(Stochastic)
	require.False(t, ok)
}
