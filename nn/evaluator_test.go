package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/policy"
)

func randomObservation(n int, rng *rand.Rand) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// all returns 0..n-1.
func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestForwardAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		n := makeNetwork(t, drawDescription(t, spec), spec, rapid.Uint64().Draw(t, "seed"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "observations"), 0))
		const rows, steps = 3, 3
		e := n.NewEvaluator(rows, rows)
		references := []*reference{newReference(n), newReference(n), newReference(n)}
		legal := rapid.SliceOfNDistinct(rapid.IntRange(0, spec.Actions-1), 1, spec.Actions, rapid.ID).Draw(t, "legal")
		for range steps {
			for row := range rows {
				copy(e.Observation(row), randomObservation(spec.ObservationSize, rng))
				e.SetLegal(row, legal)
			}
			e.Forward(rows)
			for row, r := range references {
				logits, value := r.step(e.Observation(row))
				require.InDelta(t, value, float64(e.Value(row)), 1e-4*(1+math.Abs(value)))
				for a, want := range logSoftmax(logits, legal) {
					if math.IsInf(want, -1) {
						require.True(t, math.IsInf(float64(e.LogProbs(row)[a]), -1), "illegal action %d", a)
						continue
					}
					require.InDelta(t, want, float64(e.LogProbs(row)[a]), 1e-4*(1+math.Abs(want)))
				}
			}
		}
	})
}

func logSoftmax(logits []float64, legal []int) []float64 {
	logProbs := make([]float64, len(logits))
	for i := range logProbs {
		logProbs[i] = math.Inf(-1)
	}
	top := math.Inf(-1)
	for _, a := range legal {
		top = max(top, logits[a])
	}
	sum := 0.0
	for _, a := range legal {
		sum += math.Exp(logits[a] - top)
	}
	for _, a := range legal {
		logProbs[a] = logits[a] - top - math.Log(sum)
	}
	return logProbs
}

// Games in one evaluator, in batches of any size, order and composition, give bit for bit
// what each gives alone.
func TestRowsAreIndependentOfTheBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := makeNetwork(t, allLayers, allLayersSpec, 1)
		const games, length = 6, 4
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "observations"), 0))
		var observations [games][length][]float32
		for g := range games {
			for i := range length {
				observations[g][i] = randomObservation(allLayersSpec.ObservationSize, rng)
			}
		}
		together := n.NewEvaluator(games, games)
		var alone [games]*Evaluator
		var step [games]int
		for g := range games {
			alone[g] = n.NewEvaluator(1, 1)
		}
		for playing := all(games); len(playing) > 0; {
			batch := rapid.SliceOfNDistinct(rapid.SampledFrom(playing), 1, len(playing), rapid.ID).Draw(t, "batch")
			for row, g := range batch {
				copy(together.Observation(row), observations[g][step[g]])
				together.SetLegal(row, []int{0, 2, 3, 6})
				together.SetSlot(row, games-1-g)
			}
			together.Forward(len(batch))
			for row, g := range batch {
				copy(alone[g].Observation(0), observations[g][step[g]])
				alone[g].SetLegal(0, []int{0, 2, 3, 6})
				alone[g].Forward(1)
				require.Equal(t, alone[g].LogProbs(0), together.LogProbs(row))
				require.Equal(t, alone[g].Value(0), together.Value(row))
				require.Equal(t, alone[g].State(0), together.State(games-1-g))
				step[g]++
			}
			playing = slices.DeleteFunc(playing, func(g int) bool { return step[g] == length })
		}
	})
}

func TestStateRoundTripAndReset(t *testing.T) {
	n := makeNetwork(t, allLayers, allLayersSpec, 1)
	e := n.NewEvaluator(1, 3)
	rng := rand.New(rand.NewPCG(1, 0))
	forward := func(slot int, observation []float32) float32 {
		copy(e.Observation(0), observation)
		e.SetLegal(0, []int{0})
		e.SetSlot(0, slot)
		e.Forward(1)
		return e.Value(0)
	}
	first, second := randomObservation(allLayersSpec.ObservationSize, rng),
		randomObservation(allLayersSpec.ObservationSize, rng)
	fresh := forward(0, second)
	e.ResetSlot(0)
	forward(0, first)
	e.SetState(2, e.State(0))
	later := forward(0, second)
	require.NotEqual(t, fresh, later, "the state must matter")
	require.Equal(t, later, forward(2, second))
	e.ResetSlot(2)
	require.Equal(t, fresh, forward(2, second))
	require.Len(t, e.State(0), 2*(11+5))
	require.Equal(t, make([]float32, 2*(11+5)), e.State(1), "a slot that no row used")
}

func TestSetNetworkKeepsStates(t *testing.T) {
	a, b := makeNetwork(t, allLayers, allLayersSpec, 1), makeNetwork(t, allLayers, allLayersSpec, 2)
	e, want := a.NewEvaluator(1, 1), b.NewEvaluator(1, 1)
	for _, e := range []*Evaluator{e, want} {
		copy(e.Observation(0), randomObservation(allLayersSpec.ObservationSize, rand.New(rand.NewPCG(1, 0))))
		e.SetLegal(0, []int{1, 2})
	}
	e.Forward(1)
	want.SetState(0, e.State(0))
	e.SetNetwork(b)
	e.Forward(1)
	want.Forward(1)
	require.Equal(t, want.LogProbs(0), e.LogProbs(0))

	other := makeNetwork(t, Description{}, allLayersSpec, 1)
	require.PanicsWithValue(t, "nn: SetNetwork with a network of another layout", func() { e.SetNetwork(other) })
}

func TestEvaluatorDoesNotAllocate(t *testing.T) {
	n := makeNetwork(t, allLayers, allLayersSpec, 1)
	e := n.NewEvaluator(4, 4)
	legal, rng := []int{0, 3, 5}, engine.NewRNG(1, 0)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		for row := range 4 {
			e.Observation(row)[0] = 1
			e.SetLegal(row, legal)
			e.SetSlot(row, 3-row)
		}
		e.Forward(4)
		for row := range 4 {
			e.Sample(row, rng)
		}
		e.ResetSlot(0)
		e.SetState(1, e.State(0))
		e.SetNetwork(n)
	}))
}

func TestSampleFrequencies(t *testing.T) {
	n := makeNetwork(t, allLayers, allLayersSpec, 4)
	e := n.NewEvaluator(1, 1)
	copy(e.Observation(0), randomObservation(allLayersSpec.ObservationSize, rand.New(rand.NewPCG(1, 0))))
	legal := []int{0, 1, 3, 6}
	e.SetLegal(0, legal)
	e.Forward(1)
	const draws = 200000
	counts := make(map[int]float64)
	rng := engine.NewRNG(1, 0)
	for range draws {
		a, logProb := e.Sample(0, rng)
		require.Equal(t, e.LogProbs(0)[a], logProb)
		counts[a]++
	}
	total := 0.0
	for _, a := range legal {
		p := math.Exp(float64(e.LogProbs(0)[a]))
		require.InDelta(t, p, counts[a]/draws, 5*math.Sqrt(p*(1-p)/draws), "action %d", a)
		total += counts[a]
	}
	require.EqualValues(t, draws, total, "only legal actions")
}

// Finite weights can still give logits that are not finite.
func TestExtremeWeightsGiveUsableProbabilities(t *testing.T) {
	spec := makeSpec([]int{2}, []int{3})
	l, err := NewLayout(Description{Dense: []int{8, 8}}, spec)
	require.NoError(t, err)
	rng := engine.NewRNG(1, 0)
	for _, size := range []float32{1e3, 1e12, 1e25, math.MaxFloat32} {
		weights := l.Init(1)
		for i := range weights {
			if weights[i] < 0 {
				weights[i] = -size
			} else {
				weights[i] = size
			}
		}
		n, err := NewNetwork(l, weights)
		require.NoError(t, err)
		e := n.NewEvaluator(1, 0)
		copy(e.Observation(0), []float32{1, -1})
		e.SetLegal(0, []int{0, 2})
		e.Forward(1)
		for range 100 {
			a, logProb := e.Sample(0, rng)
			require.Contains(t, []int{0, 2}, a)
			require.LessOrEqual(t, logProb, float32(0))
			require.Greater(t, logProb, float32(-100), "an action of no probability was drawn")
		}
	}
}

func TestPolicyPlaysLikeTheEvaluator(t *testing.T) {
	n := makeNetwork(t, allLayers, allLayersSpec, 3)
	e, chooser, sayer := n.NewEvaluator(1, 1), NewPolicy(n, policy.Sampled), NewPolicy(n, policy.Sampled)
	rng := rand.New(rand.NewPCG(5, 0))
	legal := []int{1, 2, 4}
	a, b := engine.NewRNG(9, 0), engine.NewRNG(9, 0)
	for step := range 12 {
		if step == 6 {
			e.ResetSlot(0)
			chooser.Reset()
			sayer.Reset()
		}
		s := fakeState{observation: randomObservation(allLayersSpec.ObservationSize, rng)}
		copy(e.Observation(0), s.observation)
		e.SetLegal(0, legal)
		e.Forward(1)
		action, _ := e.Sample(0, a)
		require.Equal(t, action, chooser.Choose(s, legal, b))
		dst := make([]float64, 3)
		sayer.Distribution(s, legal, dst)
		require.InDelta(t, 1, dst[0]+dst[1]+dst[2], 1e-12)
		for i := range legal {
			require.InDelta(t, math.Exp(float64(e.LogProbs(0)[legal[i]])), dst[i], 1e-6)
		}
	}
}

// BenchmarkForward measures inference with sampling.
func BenchmarkForward(b *testing.B) {
	for _, network := range []struct {
		name        string
		description Description
		spec        *engine.Spec
	}{
		{"R128", Description{Dense: []int{128}, LSTM: []int{128}}, makeSpec([]int{128}, []int{32})},
		{"attention", Description{Attention: &Attention{
			Segments: []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"},
			Tokens:   24, Size: 64, Heads: 4, Output: 16,
		}},
			makeSpec(slices.Repeat([]int{24}, 8), []int{32})},
		{"2x64", Description{Dense: []int{64, 64}}, makeSpec([]int{64}, []int{8})},
	} {
		for _, batch := range []int{1, 64, 256} {
			b.Run(fmt.Sprintf("%s/batch=%d", network.name, batch), func(b *testing.B) {
				e := makeNetwork(b, network.description, network.spec, 1).NewEvaluator(batch, batch)
				rng := rand.New(rand.NewPCG(1, 0))
				legal := all(network.spec.Actions)
				for row := range batch {
					copy(e.Observation(row), randomObservation(network.spec.ObservationSize, rng))
					e.SetLegal(row, legal)
				}
				sampling := engine.NewRNG(1, 0)
				b.ReportAllocs()
				for b.Loop() {
					e.Forward(batch)
					for row := range batch {
						e.Sample(row, sampling)
					}
				}
				b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
			})
		}
	}
}
