package train

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/internal/stat"
)

// ones returns n spans of games without forced decisions.
func ones(n int) []int32 { return slices.Repeat([]int32{1}, n) }

// TestGAEEqualsItsDefinition compares with the sum Σ (γλ)^k δ_{t+k}.
func TestGAEEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 20).Draw(t, "values")
		rewards := rapid.SliceOfN(rapid.Float32Range(-1, 1), len(values), len(values)).Draw(t, "rewards")
		result := rapid.Float32Range(-1, 1).Draw(t, "result")
		gamma := rapid.Float64Range(0.5, 1).Draw(t, "gamma")
		lambda := rapid.Float64Range(0, 1).Draw(t, "lambda")
		n := len(values)
		advantages, targets := make([]float32, n), make([]float32, n)
		gae(values, rewards, ones(n), result, float32(gamma), float32(lambda), advantages, targets)
		for at := range n {
			want := 0.0
			for k := at; k < n; k++ {
				delta := float64(rewards[k]) - float64(values[k])
				if k < n-1 {
					delta += gamma * float64(values[k+1])
				} else {
					delta += float64(result)
				}
				want += math.Pow(gamma*lambda, float64(k-at)) * delta
			}
			require.InDelta(t, want, advantages[at], 1e-5)
			require.InDelta(t, want+float64(values[at]), targets[at], 1e-5)
		}
	})
}

func TestGAEWithLambdaOneIsTheResult(t *testing.T) {
	targets := make([]float32, 3)
	gae([]float32{0.5, -0.25, 0.125}, make([]float32, 3), ones(3), -1, 1, 1, make([]float32, 3), targets)
	require.Equal(t, []float32{-1, -1, -1}, targets)
}

func TestNormalise(t *testing.T) {
	r := &Rollout{Decisions: Decisions{Spans: []int32{1, 0, 2, 1, 1}}, Advantages: []float32{1, 99, 2, 3, 10}}
	r.Normalise()
	m := stat.Of([]float32{r.Advantages[0], r.Advantages[2], r.Advantages[3], r.Advantages[4]})
	require.InDelta(t, 0, m.Mean, 1e-6)
	require.InDelta(t, 1, m.Deviation(), 1e-6)

	same := &Rollout{Decisions: Decisions{Spans: ones(2)}, Advantages: []float32{3, 3}}
	same.Normalise()
	require.Equal(t, []float32{0, 0}, same.Advantages)
}

// TestAdamEqualsThePaper compares with algorithm 1 in float64.
func TestAdamEqualsThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(1e-4, 1e-1).Draw(t, "rate")
		scale := rapid.Float64Range(0.1, 1).Draw(t, "scale")
		const size = 3
		parameters := rapid.SliceOfN(rapid.Float32Range(-1, 1), size, size).Draw(t, "parameters")
		gradients := rapid.SliceOfN(rapid.SliceOfN(rapid.Float32Range(-2, 2), size, size), 1, 20).Draw(t, "gradients")

		theta, m, v := make([]float64, size), make([]float64, size), make([]float64, size)
		for i, p := range parameters {
			theta[i] = float64(p)
		}
		a := newAdam(size)
		for step, gradient := range gradients {
			a.update(parameters, gradient, scale, rate, inTwo)
			for i := range theta {
				g := scale * float64(gradient[i])
				m[i] = adamBeta1*m[i] + (1-adamBeta1)*g
				v[i] = adamBeta2*v[i] + (1-adamBeta2)*g*g
				corrected := m[i] / (1 - math.Pow(adamBeta1, float64(step+1)))
				spread := math.Sqrt(v[i] / (1 - math.Pow(adamBeta2, float64(step+1))))
				theta[i] -= rate * corrected / (spread + adamEpsilon)
			}
		}
		require.EqualValues(t, len(gradients), a.step)
		for i := range theta {
			require.InDelta(t, theta[i], parameters[i], 1e-4*(1+math.Abs(theta[i])))
		}
	})
}

// inTwo divides n elements into two ranges.
func inTwo(n int, do func(first, end int)) {
	do(0, n/2)
	do(n/2, n)
}

func TestClipScale(t *testing.T) {
	require.InDelta(t, 0.1, clipScale(5, 0.5), 1e-12)
	require.Equal(t, 1.0, clipScale(0.5, 0.5))
}

func TestFinite(t *testing.T) {
	require.True(t, Finite([]float32{0, -1, math.MaxFloat32}))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.False(t, Finite([]float32{0, float32(bad)}))
	}
}

func TestExplainedVariance(t *testing.T) {
	r := &Rollout{
		Decisions: Decisions{Rewards: make([]float32, 4), Spans: ones(4)},
		Sequences: []Sequence{{First: 0, Length: 2, Result: 1}, {First: 2, Length: 2, Result: -1}},
		Values:    []float32{1, 1, -1, -1},
	}
	require.InDelta(t, 1, r.ExplainedVariance(1), 1e-9, "the values are the results")
	r.Values = []float32{0.5, 0.5, 0.5, 0.5}
	require.InDelta(t, 0, r.ExplainedVariance(1), 1e-9, "a constant explains nothing")
	r.Values = []float32{0.5, 1, -0.5, -1}
	require.InDelta(t, 1, r.ExplainedVariance(0.5), 1e-9, "results are discounted")
	r.Rewards[0], r.Rewards[3] = 0.5, 0.25
	r.Values = []float32{1.5, 1, -0.75, -0.75}
	require.InDelta(t, 1, r.ExplainedVariance(1), 1e-9, "rewards are foreseen")
	r.Rewards = make([]float32, 4)
	r.Sequences[1].Result = 1
	require.Zero(t, r.ExplainedVariance(1), "nothing to explain")
}
