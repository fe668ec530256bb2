package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"croupier/internal/sealed"
	"croupier/nn"
)

// Names of a model's inputs and outputs.
const (
	Observation  = "observation"
	Legal        = "legal"
	State        = "state"
	Logits       = "logits"
	ActionValues = "action_values"
	Value        = "value"
	NextState    = "next_state"
)

// maxWeights is how many leave the graph 1 MiB of the 2 GiB beyond which no reader takes a protobuf message.
const maxWeights = (math.MaxInt32 - 1<<20) / 4

// Encode returns the model of a network, with the metadata in its properties. The last property, sha256, ends the file,
// and is the checksum of all before it ([sealed.End]).
func Encode(n *nn.Network, metadata map[string]string) ([]byte, error) {
	if len(n.Weights) > maxWeights {
		return nil, fmt.Errorf("onnx: %d weights are more than the %d that a model can hold", len(n.Weights), maxWeights)
	}
	g := &graph{layout: n.Layout}
	for _, p := range n.Layout.Parameters {
		g.initializers = append(g.initializers, floats(p.Name, p.Of(n.Weights), p.Shape...))
	}
	g.network()
	if g.err != nil {
		return nil, fmt.Errorf("onnx: %w", g.err)
	}
	model := message{}.number(modelIRVersion, irVersion).text(modelProducer, "croupier")
	model = model.nested(modelOpsets, message{}.number(opsetVersion, opset)).nested(modelGraph, g.encode())
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		model = model.nested(modelMetadata, message{}.text(entryKey, key).text(entryValue, metadata[key]))
	}
	room := strings.Repeat("0", sealed.EndBytes)
	return sealed.End(model.nested(modelMetadata, message{}.text(entryKey, "sha256").text(entryValue, room))), nil
}

// graph collects the operators. A value is known by its name.
type graph struct {
	layout       *nn.Layout
	initializers []message
	nodes        []message
	states, next []string // parts of the recurrent state that no layer has taken yet, and those computed
	names        int      // given to values so far
	err          error    // the first layer of an unknown kind
}

func (g *graph) encode() (m message) {
	l := g.layout
	for _, n := range g.nodes {
		m = m.nested(graphNodes, n)
	}
	m = m.text(graphName, l.Spec.Name)
	for _, i := range g.initializers {
		m = m.nested(graphInitializers, i)
	}
	m = m.nested(graphInputs, rows(Observation, floatElement, l.Spec.ObservationSize))
	m = m.nested(graphInputs, rows(Legal, boolElement, l.Spec.Actions))
	m = m.nested(graphOutputs, rows(output(l), floatElement, l.Spec.Actions))
	m = m.nested(graphOutputs, rows(Value, floatElement, 0))
	if l.StateSize > 0 {
		m = m.nested(graphInputs, rows(State, floatElement, l.StateSize))
		m = m.nested(graphOutputs, rows(NextState, floatElement, l.StateSize))
	}
	return m
}

// output is the name of what the policy heads give.
func output(l *nn.Layout) string {
	if l.Description.ActionValues() {
		return ActionValues
	}
	return Logits
}

// network adds all layers. It walks them in the order of nn.Layers.All.
func (g *graph) network() {
	layers := &g.layout.Layers
	segments := g.segments()
	if g.layout.StateSize > 0 {
		g.states = g.split(State, 1, g.layout.States...)
	}
	parts := make([]string, len(layers.Branches))
	for i, b := range layers.Branches {
		var input []string
		for _, s := range b.Input {
			input = append(input, segments[s.Offset])
		}
		parts[i] = g.stack(g.concat(input), b.Layers)
	}
	x := g.stack(g.concat(parts), layers.Trunk)
	heads := make([]string, len(layers.Heads))
	for i, h := range layers.Heads {
		heads[i] = g.stack(x, h.Layers)
	}
	outputs := g.split(g.concat(heads), 1, g.layout.Spec.Actions, 1)
	actions, value := outputs[0], outputs[1]
	if g.layout.Description.ActionValues() {
		g.actionValues(actions, value)
	} else {
		g.named(Logits, "Where", Legal, actions, g.constant(float32(math.Inf(-1))))
		g.named(Value, "Squeeze", value, g.indices(1))
	}
	if g.layout.StateSize > 0 {
		g.nodes = append(g.nodes, node("Concat", g.next, []string{NextState}, integer("axis", 1)))
	}
}

// segments cuts the observation into the game's segments, by their offsets.
func (g *graph) segments() map[int]string {
	var sizes []int
	for _, s := range g.layout.Spec.Segments {
		sizes = append(sizes, s.Size)
	}
	names := make(map[int]string)
	for i, part := range g.split(Observation, 1, sizes...) {
		names[g.layout.Spec.Segments[i].Offset] = part
	}
	return names
}

// actionValues adds what nn.Description.ValueActions computes: Q of each action, and the greatest.
func (g *graph) actionValues(heads, value string) {
	q := heads
	if g.layout.Description.Dueling {
		mask := g.add("Where", Legal, g.constant(1), g.constant(0))
		sum := g.add("ReduceSum", g.add("Mul", heads, mask), g.indices(1))
		mean := g.add("Div", sum, g.add("ReduceSum", mask, g.indices(1)))
		q = g.add("Add", g.add("Sub", value, mean), heads)
	}
	g.named(ActionValues, "Where", Legal, q, g.constant(float32(math.Inf(-1))))
	g.nodes = append(g.nodes, node("ReduceMax", []string{ActionValues}, []string{Value},
		integers("axes", 1), integer("keepdims", 0)))
}

// stack applies layers one after the other.
func (g *graph) stack(x string, layers []nn.Layer) string {
	for _, layer := range layers {
		x = g.layer(layer, x)
	}
	return x
}

// name returns one that no other value has: parameters have a dot in theirs.
func (g *graph) name(operator string) string {
	g.names++
	return fmt.Sprintf("%s_%d", operator, g.names)
}

// add adds an operator without attributes and returns its output.
func (g *graph) add(operator string, inputs ...string) string {
	return g.with(operator, inputs)
}

// with adds an operator with attributes and returns its output.
func (g *graph) with(operator string, inputs []string, attributes ...message) string {
	y := g.name(operator)
	g.nodes = append(g.nodes, node(operator, inputs, []string{y}, attributes...))
	return y
}

// named adds an operator whose output is one of the model.
func (g *graph) named(output, operator string, inputs ...string) {
	g.nodes = append(g.nodes, node(operator, inputs, []string{output}))
}

// concat puts columns side by side.
func (g *graph) concat(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return g.with("Concat", parts, integer("axis", 1))
}

// split cuts x along an axis into parts of these sizes.
func (g *graph) split(x string, axis int64, sizes ...int) []string {
	parts := make([]string, len(sizes))
	for i := range parts {
		parts[i] = g.name("Split")
	}
	g.nodes = append(g.nodes, node("Split", []string{x, g.indices(sizes...)}, parts, integer("axis", axis)))
	return parts
}

// reshape gives x a shape, in which 0 stands for the batch.
func (g *graph) reshape(x string, shape ...int) string {
	return g.add("Reshape", x, g.indices(shape...))
}

// transpose orders the axes again.
func (g *graph) transpose(x string, axes ...int64) string {
	return g.with("Transpose", []string{x}, integers("perm", axes...))
}

// constant adds a number.
func (g *graph) constant(v float32) string {
	name := g.name("constant")
	g.initializers = append(g.initializers, floats(name, []float32{v}))
	return name
}

// indices adds a vector of whole numbers.
func (g *graph) indices(list ...int) string {
	name := g.name("indices")
	g.initializers = append(g.initializers, indices(name, list))
	return name
}
