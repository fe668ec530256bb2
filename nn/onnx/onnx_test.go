package onnx

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"croupier/engine"
	"croupier/nn"
)

var testSpec = &engine.Spec{
	Name: "test", Seats: 2, Actions: 6, ObservationSize: 12, MaxReturn: 1,
	Segments: []engine.Segment{{Name: "a", Size: 3}, {Name: "b", Offset: 3, Size: 2},
		{Name: "c", Offset: 5, Size: 4}, {Name: "d", Offset: 9, Size: 3}},
	ActionGroups: []engine.ActionGroup{{Name: "x", Count: 2}, {Name: "y", First: 2, Count: 3},
		{Name: "z", First: 5, Count: 1}},
}

// descriptions have every key of a description.
var descriptions = []nn.Description{
	{Dense: []int{5}},
	{Dense: []int{5}, Outputs: nn.ActionValueOutputs},
	{Dense: []int{5}, LSTM: []int{4}, Dueling: true},
	{
		Encoders:  []nn.Encoder{{Segments: []string{"b", "a"}, Dense: []int{3}}},
		Attention: &nn.Attention{Segments: []string{"d", "a"}, Tokens: 3, Size: 6, Heads: 2, Output: 2},
		Dense:     []int{5}, LSTM: []int{4, 3}, PolicyHidden: []int{3}, ValueHidden: []int{2},
		Heads: []nn.Head{{Groups: []string{"z"}}},
	},
}

func TestDescriptionsHaveEveryKind(t *testing.T) {
	fields := reflect.TypeFor[nn.Description]()
	for i := range fields.NumField() {
		has := func(d nn.Description) bool { return !reflect.ValueOf(d).Field(i).IsZero() }
		require.True(t, slices.ContainsFunc(descriptions, has), "none of the descriptions has %s", fields.Field(i).Name)
	}
}

// decoded holds the fields of a message, in order.
type decoded map[protowire.Number][]field

type field struct {
	number uint64
	bytes  []byte
}

func decode(t *testing.T, data []byte) decoded {
	d := decoded{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		require.NoError(t, protowire.ParseError(n))
		data = data[n:]
		var f field
		if kind == protowire.VarintType {
			f.number, n = protowire.ConsumeVarint(data)
		} else {
			require.Equal(t, protowire.BytesType, kind)
			f.bytes, n = protowire.ConsumeBytes(data)
		}
		require.NoError(t, protowire.ParseError(n))
		data = data[n:]
		d[number] = append(d[number], f)
	}
	return d
}

func (d decoded) texts(number protowire.Number) (list []string) {
	for _, f := range d[number] {
		list = append(list, string(f.bytes))
	}
	return list
}

// The model holds the network's parameters by name and shape, its inputs and outputs, and operators of which each
// reads only what is before it: what a runtime computes from them is a matter of tests/peers.
func TestEncode(t *testing.T) {
	for _, d := range descriptions {
		layout, err := nn.NewLayout(d, testSpec)
		require.NoError(t, err)
		network, err := nn.NewNetwork(layout, layout.Init(1))
		require.NoError(t, err)
		data, err := Encode(network, map[string]string{"game": "test", "agent": "main@3"})
		require.NoError(t, err)
		model := decode(t, data)
		require.EqualValues(t, irVersion, model[modelIRVersion][0].number)
		require.EqualValues(t, opset, decode(t, model[modelOpsets][0].bytes)[opsetVersion][0].number)
		require.Len(t, model[modelMetadata], 3)
		first := decode(t, model[modelMetadata][0].bytes)
		require.Equal(t, []string{"agent", "main@3"}, append(first.texts(entryKey), first.texts(entryValue)...))
		last, end := decode(t, model[modelMetadata][2].bytes), len(data)-64
		sum := fmt.Sprintf("%x", sha256.Sum256(data[:end]))
		require.Equal(t, []string{"sha256", sum}, append(last.texts(entryKey), last.texts(entryValue)...))
		require.Equal(t, sum, string(data[end:]))
		graph := decode(t, model[modelGraph][0].bytes)
		known := requireInitializers(t, network, graph)
		inputs, outputs := []string{Observation, Legal}, []string{output(layout), Value}
		if len(d.LSTM) > 0 {
			inputs, outputs = append(inputs, State), append(outputs, NextState)
		}
		require.Equal(t, inputs, valueNames(t, graph[graphInputs]))
		require.Equal(t, outputs, valueNames(t, graph[graphOutputs]))
		known = append(known, inputs...)
		for _, f := range graph[graphNodes] {
			n := decode(t, f.bytes)
			require.Subset(t, known, n.texts(nodeInputs), n.texts(nodeOperator))
			for _, name := range n.texts(nodeOutputs) {
				require.NotContains(t, known, name)
				known = append(known, name)
			}
		}
		require.Subset(t, known, outputs)
	}
}

// requireInitializers compares them with the network's parameters and returns all their names.
func requireInitializers(t *testing.T, network *nn.Network, graph decoded) (names []string) {
	for i, f := range graph[graphInitializers] {
		tensor := decode(t, f.bytes)
		names = append(names, tensor.texts(tensorName)...)
		if i >= len(network.Layout.Parameters) {
			continue
		}
		p := network.Layout.Parameters[i]
		require.Equal(t, p.Name, names[i])
		var shape []int
		for _, d := range tensor[tensorDims] {
			shape = append(shape, int(d.number))
		}
		require.Equal(t, p.Shape, shape)
		raw := tensor[tensorData][0].bytes
		require.Len(t, raw, 4*p.Size())
		for j, w := range p.Of(network.Weights) {
			require.Equal(t, math.Float32bits(w), binary.LittleEndian.Uint32(raw[4*j:]))
		}
	}
	return names
}

func valueNames(t *testing.T, list []field) (names []string) {
	for _, f := range list {
		names = append(names, decode(t, f.bytes).texts(valueName)...)
	}
	return names
}

// strange is a kind of layer that this package does not know.
type strange struct{ nn.Layer }

func TestUnknownLayer(t *testing.T) {
	layout, err := nn.NewLayout(nn.Description{Dense: []int{5}}, testSpec)
	require.NoError(t, err)
	network, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(t, err)
	layout.Layers.Trunk[0] = strange{layout.Layers.Trunk[0]}
	_, err = Encode(network, nil)
	require.EqualError(t, err, "onnx: layers of type onnx.strange have no operators")
}
