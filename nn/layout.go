package nn

import (
	"errors"
	"fmt"
	"reflect"

	"croupier/engine"
	"croupier/nn/kernel"
)

// Parameter is one tensor in the flat list, row-major from Offset. A dense layer
// has "weight" [in, out] and "bias" [out]; an LSTM layer has "w" [in, 4H],
// "u" [H, 4H] and "b" [4H], with the gates in the order input, forget, cell, output;
// attention has "w" and "o" as kernel.AttentionShape describes them.
type Parameter struct {
	Name   string
	Shape  []int
	Offset int
}

// Size is the number of values.
func (p Parameter) Size() int { return product(p.Shape) }

// Span is a range of columns of the observation.
type Span struct {
	Offset, Size int
}

// DenseLayer is y = x·weight + bias, followed by ReLU or not.
// Weight and Bias are indices into Layout.Parameters.
type DenseLayer struct {
	In, Out int
	ReLU    bool
	Weight  int
	Bias    int
}

// LSTMLayer is one step of a long short-term memory (Hochreiter and Schmidhuber
// 1997, with the forget gate of Gers et al. 2000):
//
//	[i f g o] = x·w + h·u + b
//	c ← σ(f)·c + σ(i)·tanh(g),  h ← σ(o)·tanh(c)
//
// W, U and B are indices into Layout.Parameters.
type LSTMLayer struct {
	In, Hidden int
	W, U, B    int
}

// EncoderLayers are the dense layers over the concatenation of the Input spans.
type EncoderLayers struct {
	Input []Span
	Dense []DenseLayer
}

// AttentionLayer is kernel.AttentionShape on tokens whose features are the Input
// spans, one after the other. W and O are indices into Layout.Parameters.
type AttentionLayer struct {
	kernel.AttentionShape
	Input []Span
	W, O  int
}

// Width is the number of outputs of all tokens.
func (a *AttentionLayer) Width() int { return a.Tokens * a.Output }

// PolicyHead gives the logits of one group of actions; its last layer is linear.
type PolicyHead struct {
	Group engine.ActionGroup
	Dense []DenseLayer
}

// Layers are all layers in the order in which they are run.
type Layers struct {
	Encoders  []EncoderLayers
	Attention *AttentionLayer // nil: there is none
	Direct    []Span          // observation columns that go to the concatenation as they are
	// Concatenated is the width of the concatenation: the encoders' outputs in order,
	// the attention's, then the Direct spans in order.
	Concatenated int
	Dense        []DenseLayer
	LSTM         []LSTMLayer
	Features     int          // width of what the heads read
	Policy       []PolicyHead // one for each engine.ActionGroup, in order
	Value        []DenseLayer // the last one is linear with one output
}

// Layout is what a Description becomes for a game: the layers with their
// dimensions, and the order of the flat parameter list. It is immutable.
type Layout struct {
	Description Description
	Spec        *engine.Spec
	Layers      Layers
	Parameters  []Parameter // in the order of the flat list, without gaps
	Size        int         // length of the flat list
	StateSize   int         // values of one recurrent state, [h1 c1 h2 c2 …]
}

// NewLayout validates the description against the game and lays out its layers.
func NewLayout(d Description, spec *engine.Spec) (*Layout, error) {
	if err := checkSpec(spec); err != nil {
		return nil, fmt.Errorf("network layout: game %s: %w", spec.Name, err)
	}
	if err := d.Validate(spec); err != nil {
		return nil, err
	}
	l := &Layout{Description: d, Spec: spec}
	l.addEncoders()
	l.addAttention()
	l.addDirect()
	width := l.Layers.Concatenated
	l.Layers.Dense, width = l.addDense("dense", width, d.Dense)
	for i, hidden := range d.LSTM {
		l.Layers.LSTM = append(l.Layers.LSTM, l.addLSTM(fmt.Sprintf("lstm.%d", i), width, hidden))
		l.StateSize += 2 * hidden
		width = hidden
	}
	l.Layers.Features = width
	for _, g := range spec.ActionGroups {
		head := PolicyHead{Group: g, Dense: l.addHead("policy."+g.Name, d.policyHidden(g.Name), g.Count)}
		l.Layers.Policy = append(l.Layers.Policy, head)
	}
	l.Layers.Value = l.addHead("value", d.ValueHidden, 1)
	return l, nil
}

// Slice returns the values of Parameters[parameter] within a flat list.
func (l *Layout) Slice(flat []float32, parameter int) []float32 {
	p := l.Parameters[parameter]
	return flat[p.Offset : p.Offset+p.Size()]
}

// Same says whether two layouts have the same layers on the same observation and
// actions and mean the same by their outputs, so that the weights of one fit the other.
func (l *Layout) Same(o *Layout) bool {
	return l == o || l.Description.Dueling == o.Description.Dueling &&
		reflect.DeepEqual(l.Layers, o.Layers) && reflect.DeepEqual(l.Parameters, o.Parameters)
}

func (l *Layout) addEncoders() {
	for i, e := range l.Description.Encoders {
		layers := EncoderLayers{Input: segmentSpans(l.Spec, e.Segments)}
		in, out := 0, 0
		for _, span := range layers.Input {
			in += span.Size
		}
		layers.Dense, out = l.addDense(fmt.Sprintf("encoder.%d", i), in, e.Dense)
		l.Layers.Encoders = append(l.Layers.Encoders, layers)
		l.Layers.Concatenated += out
	}
}

func (l *Layout) addAttention() {
	a := l.Description.Attention
	if a == nil {
		return
	}
	shape := kernel.AttentionShape{Tokens: a.Tokens, Features: len(a.Segments), Size: a.Size, Heads: a.Heads, Output: a.Output}
	l.Layers.Attention = &AttentionLayer{
		AttentionShape: shape,
		Input:          segmentSpans(l.Spec, a.Segments),
		W:              l.addParameter("attention.w", shape.Features+shape.Tokens, shape.Columns()),
		O:              l.addParameter("attention.o", shape.Size, shape.Output),
	}
	l.Layers.Concatenated += l.Layers.Attention.Width()
}

// addDirect adds the segments that nothing else reads.
func (l *Layout) addDirect() {
	for _, s := range l.Spec.Segments {
		if !l.Description.reads(s.Name) {
			l.Layers.Direct = append(l.Layers.Direct, Span{s.Offset, s.Size})
			l.Layers.Concatenated += s.Size
		}
	}
}

func segmentSpans(spec *engine.Spec, names []string) (spans []Span) {
	for _, name := range names {
		spans = append(spans, segmentSpan(spec, name))
	}
	return spans
}

func segmentSpan(spec *engine.Spec, name string) Span {
	for _, s := range spec.Segments {
		if s.Name == name {
			return Span{s.Offset, s.Size}
		}
	}
	panic("nn: segment was not validated: " + name)
}

// addDense appends dense+ReLU layers named prefix.0, prefix.1 … and returns them
// with the width of the last one's output.
func (l *Layout) addDense(prefix string, in int, sizes []int) ([]DenseLayer, int) {
	var layers []DenseLayer
	for i, out := range sizes {
		name := fmt.Sprintf("%s.%d", prefix, i)
		layers = append(layers, DenseLayer{
			In: in, Out: out, ReLU: true,
			Weight: l.addParameter(name+".weight", in, out),
			Bias:   l.addParameter(name+".bias", out),
		})
		in = out
	}
	return layers, in
}

// addHead appends hidden layers and a linear one on the features.
func (l *Layout) addHead(prefix string, hidden []int, out int) []DenseLayer {
	layers, in := l.addDense(prefix, l.Layers.Features, hidden)
	name := fmt.Sprintf("%s.%d", prefix, len(hidden))
	return append(layers, DenseLayer{
		In: in, Out: out,
		Weight: l.addParameter(name+".weight", in, out),
		Bias:   l.addParameter(name+".bias", out),
	})
}

func (l *Layout) addLSTM(name string, in, hidden int) LSTMLayer {
	return LSTMLayer{
		In: in, Hidden: hidden,
		W: l.addParameter(name+".w", in, 4*hidden),
		U: l.addParameter(name+".u", hidden, 4*hidden),
		B: l.addParameter(name+".b", 4*hidden),
	}
}

func (l *Layout) addParameter(name string, shape ...int) int {
	l.Parameters = append(l.Parameters, Parameter{Name: name, Shape: shape, Offset: l.Size})
	l.Size += product(shape)
	return len(l.Parameters) - 1
}

// checkSpec refuses a game whose segments or action groups do not tile the
// observation and the actions in order, or have names that repeat.
func checkSpec(spec *engine.Spec) error {
	names := make(map[string]bool)
	next := 0
	for _, s := range spec.Segments {
		if s.Offset != next || s.Size < 1 || names[s.Name] {
			return fmt.Errorf("segment %q does not follow the one before it, is empty or repeats a name", s.Name)
		}
		names[s.Name] = true
		next += s.Size
	}
	if next != spec.ObservationSize || next == 0 {
		return fmt.Errorf("segments cover %d values of an observation of %d", next, spec.ObservationSize)
	}
	clear(names)
	next = 0
	for _, g := range spec.ActionGroups {
		if g.First != next || g.Count < 1 || names[g.Name] {
			return fmt.Errorf("action group %q does not follow the one before it, is empty or repeats a name", g.Name)
		}
		names[g.Name] = true
		next += g.Count
	}
	if next != spec.Actions {
		return fmt.Errorf("action groups cover %d of %d actions", next, spec.Actions)
	}
	if next == 0 {
		return errors.New("no actions")
	}
	return nil
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
