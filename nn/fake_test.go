package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/internal/strict"
)

// makeSpec returns the specification of a game with segments s0, s1 … and action groups g0,
// g1 … of the given sizes.
func makeSpec(segments, groups []int) *engine.Spec {
	spec := &engine.Spec{Name: "fake", Seats: 2, MaxReturn: 1}
	for i, n := range segments {
		spec.Segments = append(spec.Segments,
			engine.Segment{Name: fmt.Sprintf("s%d", i), Offset: spec.ObservationSize, Size: n})
		spec.ObservationSize += n
	}
	for i, n := range groups {
		spec.ActionGroups = append(spec.ActionGroups,
			engine.ActionGroup{Name: fmt.Sprintf("g%d", i), First: spec.Actions, Count: n})
		spec.Actions += n
	}
	return spec
}

// fakeGame is a game of which only the specification and the rules matter.
type fakeGame struct {
	engine.Game
	spec  *engine.Spec
	rules fakeRules
}

type fakeRules struct {
	Segments []int `json:"segments"`
	Groups   []int `json:"groups"`
}

func newFakeGame(rules fakeRules) fakeGame {
	return fakeGame{spec: makeSpec(rules.Segments, rules.Groups), rules: rules}
}

func (g fakeGame) Spec() *engine.Spec { return g.spec }
func (g fakeGame) Rules() any         { return g.rules }

// makeFakeGame is the function that Decode needs to make games.
func makeFakeGame(name string, rules []byte) (engine.Game, error) {
	if name != "fake" {
		return nil, fmt.Errorf("unknown game %q", name)
	}
	var r fakeRules
	if err := strict.JSON(rules).Decode(&r); err != nil {
		return nil, err
	}
	for _, n := range append(r.Segments, r.Groups...) {
		if n < 1 || n > 100 {
			return nil, fmt.Errorf("size %d is not in 1..100", n)
		}
	}
	return newFakeGame(r), nil
}

// fakeState is a decision whose observation is given.
type fakeState struct {
	engine.State
	observation []float32
}

func (s fakeState) Player() int                  { return 0 }
func (s fakeState) Observe(_ int, dst []float32) { copy(dst, s.observation) }

// drawSpec draws a small game.
func drawSpec(t *rapid.T) *engine.Spec {
	sizes := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 4)
	return makeSpec(sizes.Draw(t, "segments"), sizes.Draw(t, "groups"))
}

// drawDescription draws a network for the game: any combination of layers.
func drawDescription(t *rapid.T, spec *engine.Spec) Description {
	layers := rapid.SliceOfN(rapid.IntRange(1, 20), 0, 2)
	d := Description{
		Dense:        layers.Draw(t, "dense"),
		LSTM:         layers.Draw(t, "lstm"),
		PolicyHidden: layers.Draw(t, "policy_hidden"),
		ValueHidden:  layers.Draw(t, "value_hidden"),
	}
	var names []string
	for _, s := range spec.Segments {
		names = append(names, s.Name)
	}
	names = rapid.Permutation(names).Draw(t, "order")
	for len(names) > 0 && rapid.Bool().Draw(t, "encoder") {
		n := rapid.IntRange(1, len(names)).Draw(t, "segments of the encoder")
		d.Encoders = append(d.Encoders, Encoder{
			Segments: names[:n],
			Dense:    rapid.SliceOfN(rapid.IntRange(1, 20), 1, 2).Draw(t, "encoder dense"),
		})
		names = names[n:]
	}
	d.Attention = drawAttention(t, spec)
	for _, g := range spec.ActionGroups {
		if rapid.Bool().Draw(t, "head") {
			d.Heads = append(d.Heads, Head{Groups: []string{g.Name}, Dense: layers.Draw(t, "head dense")})
		}
	}
	return d
}

// drawAttention draws attention over some segments of equal length, or none.
func drawAttention(t *rapid.T, spec *engine.Spec) *Attention {
	if rapid.Bool().Draw(t, "no attention") {
		return nil
	}
	tokens := rapid.SampledFrom(spec.Segments).Draw(t, "tokens").Size
	var names []string
	for _, s := range spec.Segments {
		if s.Size == tokens {
			names = append(names, s.Name)
		}
	}
	heads := rapid.IntRange(1, 3).Draw(t, "heads")
	return &Attention{
		Segments: rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID).Draw(t, "attention segments"),
		Tokens:   tokens,
		Size:     heads * rapid.IntRange(1, 9).Draw(t, "units of a head"),
		Heads:    heads,
		Output:   rapid.IntRange(1, 9).Draw(t, "output"),
	}
}

// makeNetwork returns a network with random weights, biases included.
func makeNetwork(t require.TestingT, d Description, spec *engine.Spec, seed uint64) *Network {
	l, err := NewLayout(d, spec)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 0))
	weights := l.Init(seed)
	for i := range weights {
		weights[i] += float32(0.3 * rng.NormFloat64())
	}
	n, err := NewNetwork(l, weights)
	require.NoError(t, err)
	return n
}

// allLayers is a description with every kind of layer for a game with segments s0..s3.
var allLayers = Description{
	Encoders:     []Encoder{{Segments: []string{"s2", "s0"}, Dense: []int{9, 7}}},
	Attention:    &Attention{Segments: []string{"s3", "s0"}, Tokens: 4, Size: 6, Heads: 2, Output: 3},
	Dense:        []int{13},
	LSTM:         []int{11, 5},
	PolicyHidden: []int{6},
	Heads:        []Head{{Groups: []string{"g1"}, Dense: []int{5, 4}}},
	ValueHidden:  []int{8},
}

var allLayersSpec = makeSpec([]int{4, 10, 3, 4}, []int{2, 5, 1})
