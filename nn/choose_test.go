package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/policy"
)

// evaluated returns an evaluator whose only row has the given log-probabilities.
func evaluated(t *testing.T, legal []int, logProbs ...float32) *Evaluator {
	t.Helper()
	e := makeNetwork(t, Description{Dense: []int{4}}, makeSpec([]int{2}, []int{len(logProbs)}), 1).NewEvaluator(1, 0)
	e.SetLegal(0, legal)
	e.Forward(1)
	copy(e.LogProbs(0), logProbs)
	return e
}

func TestGreedyTakesTheFirstOfTheLikeliestLegalActions(t *testing.T) {
	e := evaluated(t, []int{1, 2, 3}, 0, -2, -0.9, -0.9, 0)
	require.Equal(t, 2, e.Choose(0, policy.Greedy, engine.NewRNG(1, 0)))
	dst := make([]float64, 3)
	e.Distribution(0, policy.Greedy, dst)
	require.Equal(t, []float64{0, 1, 0}, dst)
}

// Probabilities of 1/2, 1/3 and 1/6 become proportional to their T-th roots.
func TestDistributionAtATemperature(t *testing.T) {
	pi := []float64{1. / 2, 1. / 3, 1. / 6}
	legal := []int{0, 2, 3}
	e := evaluated(t, legal, logOf(pi[0]), 0, logOf(pi[1]), logOf(pi[2]))
	for _, temperature := range []policy.Temperature{0.001, 0.5, policy.Sampled, 2, 10} {
		want, sum := make([]float64, 3), 0.0
		for i := range pi {
			// Relative to the likeliest, or 0.001 would underflow here as well.
			want[i] = math.Pow(pi[i]/pi[0], 1/float64(temperature))
			sum += want[i]
		}
		dst := make([]float64, 3)
		e.Distribution(0, temperature, dst)
		for i := range want {
			require.InDelta(t, want[i]/sum, dst[i], 1e-6, "temperature %v", temperature)
		}
		requireDrawn(t, e, temperature, legal, dst)
	}
}

func logOf(p float64) float32 { return float32(math.Log(p)) }

// requireDrawn draws many actions and compares how often each came with the distribution.
func requireDrawn(t *testing.T, e *Evaluator, temperature policy.Temperature, legal []int, want []float64) {
	t.Helper()
	const draws = 20_000
	counts, rng := map[int]float64{}, engine.NewRNG(7, 0)
	for range draws {
		counts[e.Choose(0, temperature, rng)] += 1. / draws
	}
	for i, a := range legal {
		require.InDelta(t, want[i], counts[a], 5*math.Sqrt(0.25/draws), "temperature %v, action %d", temperature, a)
	}
}

// A recurrent policy remembers the game at every temperature, and says what it does.
func TestPolicyAtATemperature(t *testing.T) {
	n := makeNetwork(t, allLayers, allLayersSpec, 3)
	legal := []int{1, 2, 4}
	for _, temperature := range []policy.Temperature{policy.Greedy, 0.3} {
		e, chooser, sayer := n.NewEvaluator(1, 1), NewPolicy(n, temperature), NewPolicy(n, temperature)
		observations := rand.New(rand.NewPCG(5, 0))
		a, b := engine.NewRNG(9, 0), engine.NewRNG(9, 0)
		for range 12 {
			s := fakeState{observation: randomObservation(allLayersSpec.ObservationSize, observations)}
			copy(e.Observation(0), s.observation)
			e.SetLegal(0, legal)
			e.Forward(1)
			require.Equal(t, e.Choose(0, temperature, a), chooser.Choose(s, legal, b))
			want, dst := make([]float64, 3), make([]float64, 3)
			e.Distribution(0, temperature, want)
			sayer.Distribution(s, legal, dst)
			require.Equal(t, want, dst)
		}
	}
}

// A network of action values takes its best action at every temperature.
func TestActionValuesHaveNoTemperature(t *testing.T) {
	legal := []int{0, 2, 5, 6}
	for seed := range uint64(20) {
		e := valuing(t, seed, true, legal, 0)
		want, _ := e.Sample(0, engine.NewRNG(seed, 0))
		for _, temperature := range []policy.Temperature{policy.Greedy, 0.5, policy.Sampled, 2} {
			require.Equal(t, want, e.Choose(0, temperature, engine.NewRNG(seed, 1)))
		}
	}
}

func TestChooseDoesNotAllocate(t *testing.T) {
	e := evaluated(t, []int{0, 1, 2}, -1, -1, -1)
	rng := engine.NewRNG(1, 0)
	for _, temperature := range []policy.Temperature{policy.Greedy, 0.5, policy.Sampled} {
		require.Zero(t, testing.AllocsPerRun(100, func() { e.Choose(0, temperature, rng) }))
	}
}
