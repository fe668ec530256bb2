package nn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

func TestLayoutOfAllLayers(t *testing.T) {
	l, err := NewLayout(allLayers, allLayersSpec)
	require.NoError(t, err)
	var got []string
	for _, p := range l.Parameters {
		got = append(got, fmt.Sprint(p.Name, p.Shape))
	}
	require.Equal(t, []string{
		"encoder.0.0.weight[7 9]", "encoder.0.0.bias[9]", "encoder.0.1.weight[9 7]", "encoder.0.1.bias[7]",
		"attention.w[6 21]", "attention.o[6 3]",
		"dense.0.weight[29 13]", "dense.0.bias[13]",
		"lstm.0.w[13 44]", "lstm.0.u[11 44]", "lstm.0.b[44]",
		"lstm.1.w[11 20]", "lstm.1.u[5 20]", "lstm.1.b[20]",
		"policy.g0.0.weight[5 6]", "policy.g0.0.bias[6]", "policy.g0.1.weight[6 2]", "policy.g0.1.bias[2]",
		"policy.g1.0.weight[5 5]", "policy.g1.0.bias[5]", "policy.g1.1.weight[5 4]", "policy.g1.1.bias[4]",
		"policy.g1.2.weight[4 5]", "policy.g1.2.bias[5]",
		"policy.g2.0.weight[5 6]", "policy.g2.0.bias[6]", "policy.g2.1.weight[6 1]", "policy.g2.1.bias[1]",
		"value.0.weight[5 8]", "value.0.bias[8]", "value.1.weight[8 1]", "value.1.bias[1]",
	}, got)
	input := map[string][]Span{}
	for _, b := range l.Layers.Branches {
		input[b.Name] = b.Input
	}
	require.Equal(t, map[string][]Span{
		"encoder.0": {{14, 3}, {0, 4}}, "attention": {{17, 4}, {0, 4}}, "direct": {{4, 10}},
	}, input)
	require.Equal(t, 7+4*3+10, l.Layers.Concatenated)
	require.Equal(t, 5, l.Layers.Features)
	require.Equal(t, []int{11, 11, 5, 5}, l.States)
	require.Equal(t, 2*(11+5), l.StateSize)
}

// Every parameter belongs to one layer, and the flat list has no gaps.
func TestLayoutCoversItsParameters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		l, err := NewLayout(drawDescription(t, spec), spec)
		require.NoError(t, err)
		used := make([]int, len(l.Parameters))
		shape := func(p Parameter, want ...int) {
			require.Equal(t, l.Parameters[p.Index], p)
			require.Equal(t, want, p.Shape)
			used[p.Index]++
		}
		for _, layer := range l.Layers.All() {
			switch layer := layer.(type) {
			case *DenseLayer:
				width := 0
				for _, p := range layer.Parts {
					shape(p.Weight, layer.In, p.Bias.Size())
					shape(p.Bias, p.Bias.Size())
					width += p.Bias.Size()
				}
				require.Equal(t, layer.Out, width)
			case *LSTMLayer:
				shape(layer.W, layer.In, 4*layer.Hidden)
				shape(layer.U, layer.Hidden, 4*layer.Hidden)
				shape(layer.B, 4*layer.Hidden)
			case *AttentionLayer:
				shape(layer.W, layer.Features+layer.Tokens, 3*layer.Size+layer.Output)
				shape(layer.O, layer.Size, layer.Output)
			default:
				t.Fatalf("the shapes of a %T are not tested", layer)
			}
		}
		next := 0
		for i, p := range l.Parameters {
			require.Equal(t, 1, used[i], p.Name)
			require.Equal(t, next, p.Offset, p.Name)
			next += p.Size()
		}
		require.Equal(t, l.Size, next)
	})
}

func TestNewLayoutRefusesABrokenSpec(t *testing.T) {
	for _, test := range []struct {
		message string
		change  func(s *engine.Spec)
	}{
		{`segment "s1" does not follow`, func(s *engine.Spec) { s.Segments[1].Offset++ }},
		{`segment "s0" does not follow`, func(s *engine.Spec) { s.Segments[1].Name = "s0" }},
		{"segments cover 17 values of an observation of 18", func(s *engine.Spec) { s.ObservationSize++ }},
		{`action group "g1" does not follow`, func(s *engine.Spec) { s.ActionGroups[1].First++ }},
		{"action groups cover 7 of 8 actions", func(s *engine.Spec) { s.Actions++ }},
		{"no actions", func(s *engine.Spec) { s.Actions, s.ActionGroups = 0, nil }},
	} {
		spec := makeSpec([]int{4, 10, 3}, []int{2, 5})
		test.change(spec)
		_, err := NewLayout(Description{}, spec)
		require.ErrorContains(t, err, "network layout: game fake: "+test.message)
	}
}

func TestLayoutSame(t *testing.T) {
	layout := func(d Description, spec *engine.Spec) *Layout {
		l, err := NewLayout(d, spec)
		require.NoError(t, err)
		return l
	}
	a := layout(allLayers, allLayersSpec)
	require.True(t, a.Same(layout(allLayers, makeSpec([]int{4, 10, 3, 4}, []int{2, 5, 1}))))
	require.False(t, a.Same(layout(Description{}, allLayersSpec)))
	// The same shapes on other columns of the observation make a different layout.
	one := layout(Description{Encoders: []Encoder{{[]string{"s0"}, []int{3}}}}, makeSpec([]int{2, 2}, []int{2}))
	other := layout(Description{Encoders: []Encoder{{[]string{"s1"}, []int{3}}}}, makeSpec([]int{2, 2}, []int{2}))
	require.False(t, one.Same(other))
	attention := func(segment string, heads int) *Layout {
		return layout(Description{Attention: &Attention{[]string{segment}, 2, 4, heads, 3}}, makeSpec([]int{2, 2}, []int{2}))
	}
	require.True(t, attention("s0", 2).Same(attention("s0", 2)))
	require.False(t, attention("s0", 2).Same(attention("s1", 2)), "other columns")
	require.False(t, attention("s0", 2).Same(attention("s0", 4)), "the same parameters split into other heads")
}

func TestNewNetworkRefuses(t *testing.T) {
	l, err := NewLayout(allLayers, allLayersSpec)
	require.NoError(t, err)
	_, err = NewNetwork(l, make([]float32, l.Size-1))
	require.ErrorContains(t, err, fmt.Sprintf("%d weights where the layout has %d", l.Size-1, l.Size))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		weights := l.Init(1)
		l.Slice(weights, 6)[2] = float32(bad)
		_, err = NewNetwork(l, weights)
		require.ErrorContains(t, err, "weight 2 of dense.0.weight is")
	}
}

func TestInit(t *testing.T) {
	l, err := NewLayout(allLayers, allLayersSpec)
	require.NoError(t, err)
	flat := l.Init(7)
	require.Equal(t, flat, l.Init(7), "the same seed")
	require.NotEqual(t, flat, l.Init(8), "another seed")

	gains := map[string]float64{"policy.g0.1.weight": policyGain, "policy.g1.2.weight": policyGain,
		"policy.g2.1.weight": policyGain, "attention.o": 1, "value.1.weight": valueGain}
	for i, p := range l.Parameters {
		values := l.Slice(flat, i)
		switch {
		case p.Name == "lstm.0.b" || p.Name == "lstm.1.b":
			h := len(values) / 4
			for j, b := range values {
				want := float32(0)
				if j/h == 1 {
					want = forgetBias
				}
				require.Equal(t, want, b, "%s[%d]", p.Name, j)
			}
		case len(p.Shape) == 1:
			require.Equal(t, make([]float32, len(values)), values, p.Name)
		case strings.HasPrefix(p.Name, "lstm"):
			for gate := range 4 {
				requireOrthogonal(t, p, values, gate*p.Shape[1]/4, p.Shape[1]/4, 1)
			}
		case p.Name == "attention.w":
			for part := range 3 {
				requireOrthogonal(t, p, values, 6*part, 6, math.Sqrt(3))
			}
			requireOrthogonal(t, p, values, 18, 3, math.Sqrt(3))
		default:
			gain, ok := gains[p.Name]
			if !ok {
				gain = math.Sqrt2
			}
			requireOrthogonal(t, p, values, 0, p.Shape[1], gain)
		}
	}
}

// requireOrthogonal checks that the rows or the columns, whichever are fewer, of the given
// columns are orthogonal with norm gain.
func requireOrthogonal(t *testing.T, p Parameter, values []float32, first, cols int, gain float64) {
	rows, stride := p.Shape[0], p.Shape[1]
	at := func(r, c int) float64 { return float64(values[r*stride+first+c]) }
	count, length := cols, rows
	if rows < cols {
		count, length = rows, cols
		at = func(r, c int) float64 { return float64(values[c*stride+first+r]) }
	}
	for i := range count {
		for j := range count {
			sum, want := 0.0, 0.0
			for k := range length {
				sum += at(k, i) * at(k, j)
			}
			if i == j {
				want = gain * gain
			}
			require.InDelta(t, want, sum, 1e-5*gain*gain, "%s, %d and %d", p.Name, i, j)
		}
	}
}

// The small last layer of the policy makes the first policy nearly uniform.
func TestInitialPolicyIsNearlyUniform(t *testing.T) {
	spec := makeSpec([]int{10}, []int{4})
	l, err := NewLayout(Description{Dense: []int{64, 64}}, spec)
	require.NoError(t, err)
	n, err := NewNetwork(l, l.Init(1))
	require.NoError(t, err)
	e := n.NewEvaluator(1, 0)
	for i := range e.Observation(0) {
		e.Observation(0)[i] = 1
	}
	e.SetLegal(0, all(4))
	e.Forward(1)
	for _, p := range e.LogProbs(0) {
		require.InDelta(t, math.Log(0.25), float64(p), 0.05)
	}
}

// Only layers that read the observation and nothing else are marked.
func TestLayersThatObserve(t *testing.T) {
	spec := makeSpec([]int{4, 10, 3}, []int{2, 5})
	marked := func(d Description) (names []string) {
		l, err := NewLayout(d, spec)
		require.NoError(t, err)
		for _, layer := range l.Layers.All() {
			if dense, ok := layer.(*DenseLayer); ok && dense.Observes {
				names = append(names, dense.Parts[0].Weight.Name)
			}
		}
		return names
	}
	require.Equal(t, []string{"dense.0.weight"}, marked(Description{Dense: []int{8, 8}}))
	require.Empty(t, marked(Description{}), "heads")
	require.Empty(t, marked(Description{LSTM: []int{8}, Dense: nil}))
	encoded := Description{Encoders: []Encoder{{Segments: []string{"s1"}, Dense: []int{4, 4}}}, Dense: []int{8}}
	require.Equal(t, []string{"encoder.0.0.weight"}, marked(encoded))
}
