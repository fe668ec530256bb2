// Package nntest has networks for tests of what computes them: the forward pass, the training graph, and the formats
// that other programs compute from.
package nntest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
)

// Spec is a game with segments and action groups of several sizes.
var Spec = &engine.Spec{
	Name: "test", Seats: 2, Actions: 6, ObservationSize: 12, MaxReturn: 1, Temperature: 1,
	Segments: []engine.Segment{{Name: "a", Size: 3}, {Name: "b", Offset: 3, Size: 2},
		{Name: "c", Offset: 5, Size: 4}, {Name: "d", Offset: 9, Size: 3}},
	ActionGroups: []engine.ActionGroup{{Name: "x", Count: 2}, {Name: "y", First: 2, Count: 3},
		{Name: "z", First: 5, Count: 1}},
}

// Descriptions are networks for [Spec] with every kind of layer and of output, alone and together.
var Descriptions = []nn.Description{
	{},
	{Dense: []int{5}},
	{LSTM: []int{4}},
	{Dense: []int{6, 5}, LSTM: []int{4, 3}},
	{LSTM: []int{1}, PolicyHidden: []int{1}, ValueHidden: []int{1}},
	{Encoders: []nn.Encoder{{Segments: []string{"b"}, Dense: []int{3}}}, PolicyHidden: []int{4}},
	{Encoders: []nn.Encoder{{Segments: []string{"c", "a"}, Dense: []int{4, 3}},
		{Segments: []string{"b"}, Dense: []int{2}}}, Dense: []int{5}, ValueHidden: []int{3, 2}},
	{
		Encoders: []nn.Encoder{{Segments: []string{"a"}, Dense: []int{3}}}, Dense: []int{5}, LSTM: []int{4},
		PolicyHidden: []int{3}, ValueHidden: []int{3},
	},
	{Dueling: true},
	{Dense: []int{5}, Outputs: nn.ActionValueOutputs},
	{Dense: []int{5}, LSTM: []int{4}, PolicyHidden: []int{3}, Dueling: true},
	{Attention: &nn.Attention{Segments: []string{"c"}, Tokens: 4, Size: 2, Heads: 1, Output: 1},
		Heads: []nn.Head{{Groups: []string{"x", "z"}, Dense: []int{3}}}},
	{
		Encoders: []nn.Encoder{{Segments: []string{"a", "b"}, Dense: []int{3}}},
		Attention: &nn.Attention{Segments: []string{"d", "a"}, Tokens: 3, Size: 6, Heads: 2,
			Output: 2}, Dense: []int{5}, LSTM: []int{4},
		PolicyHidden: []int{3}, Heads: []nn.Head{{Groups: []string{"z"}}},
	},
}

// Network returns a network that was not trained, with biases.
func Network(t *testing.T, d nn.Description, spec *engine.Spec) *nn.Network {
	t.Helper()
	layout, err := nn.NewLayout(d, spec)
	require.NoError(t, err)
	weights, rng := layout.Init(7), rand.New(rand.NewPCG(7, 0))
	for i := range weights {
		weights[i] += float32(0.3 * rng.NormFloat64())
	}
	n, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	return n
}

// RequireEveryKey requires that every key of a description is set in one of them.
func RequireEveryKey(t *testing.T, descriptions []nn.Description) {
	t.Helper()
	fields := reflect.TypeFor[nn.Description]()
	for i := range fields.NumField() {
		has := func(d nn.Description) bool { return !reflect.ValueOf(d).Field(i).IsZero() }
		require.True(t, slices.ContainsFunc(descriptions, has), "none of the descriptions has %s", fields.Field(i).Name)
	}
}
