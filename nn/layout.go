package nn

import (
	"errors"
	"fmt"
	"reflect"

	"croupier/engine"
)

// Span is a range of columns of the observation: Size of them from Offset.
type Span struct {
	Offset, Size int
}

// Branch is a list of layers on the Input spans of the observation, side by side. Without
// layers these columns enter the concatenation unchanged.
type Branch struct {
	Name   string  // begins the names of its parameters: "encoder.0"
	Input  []Span  // columns of the observation, in the order in which they are read
	Layers []Layer // one after the other
}

// Width is the number of columns of the concatenation that the branch fills.
func (b *Branch) Width() int { return outputs(b.Layers, b.Inputs()) }

// Inputs is the number of columns of the observation that the branch reads.
func (b *Branch) Inputs() (n int) {
	for _, s := range b.Input {
		n += s.Size
	}
	return n
}

// Columns returns the columns of Input in as few spans as possible.
func (b *Branch) Columns() (spans []Span) {
	for _, s := range b.Input {
		if last := len(spans) - 1; last >= 0 && spans[last].Offset+spans[last].Size == s.Offset {
			spans[last].Size += s.Size
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// OutputHead gives some of the network's outputs: the logits of a group of actions, or the value. Neighbours that
// are nothing but a linear layer each are one head. Its last layer is linear.
type OutputHead struct {
	First  int     // of the outputs, which are the logits of all actions and, last, the value
	Layers []Layer // on the features, one after the other
}

// Layers holds all layers, in lists ordered as they are executed.
type Layers struct {
	// Branches read the observation; their outputs, side by side, form the concatenation.
	Branches     []Branch
	Concatenated int          // width of the concatenation
	Trunk        []Layer      // on the concatenation
	Features     int          // width of the trunk's output, which the heads read
	Heads        []OutputHead // their outputs, in order, are those of the engine.ActionGroups, and the value
}

// All returns every layer in order of execution, which is also the order of the parameters
// and of the recurrent states.
func (l *Layers) All() (all []Layer) {
	for _, b := range l.Branches {
		all = append(all, b.Layers...)
	}
	all = append(all, l.Trunk...)
	for _, h := range l.Heads {
		all = append(all, h.Layers...)
	}
	return all
}

// Layout is what a Description becomes for a game: the layers with their
// dimensions, and the order of the flat parameter list. It is immutable.
type Layout struct {
	Description Description  // as it was given
	Spec        *engine.Spec // of the game
	Layers      Layers       // in order of execution
	Parameters  Parameters   // of all layers, in order of execution
	Size        int          // length of the flat list
	States      []int        // sizes of the parts of one recurrent state, [h1 c1 h2 c2 …]
	StateSize   int          // their sum
}

// NewLayout validates the description against the game and lays out its layers. Its errors are those of
// [Description.Validate], and say so where the game's segments or action groups leave gaps.
func NewLayout(d Description, spec *engine.Spec) (*Layout, error) {
	if err := checkSpec(spec); err != nil {
		return nil, fmt.Errorf("network layout: game %s: %w", spec.Name, err)
	}
	if err := d.Validate(spec); err != nil {
		return nil, err
	}
	l := &Layout{Description: d, Spec: spec}
	l.addBranches()
	l.addTrunk()
	l.addHeads()
	l.Size = l.Parameters.Size()
	for _, layer := range l.Layers.All() {
		l.States = append(l.States, layer.Dimensions().State...)
	}
	l.StateSize = sum(l.States)
	return l, nil
}

// Slice returns the values of Parameters[parameter] within a flat list. It is not a copy.
func (l *Layout) Slice(flat []float32, parameter int) []float32 {
	return l.Parameters[parameter].Of(flat)
}

// Same reports whether two layouts have the same layers on the same observation and actions
// and the same meaning of their outputs, so that the weights of one fit the other.
func (l *Layout) Same(o *Layout) bool {
	return l == o || l.Description.ActionValues() == o.Description.ActionValues() &&
		l.Description.Dueling == o.Description.Dueling && reflect.DeepEqual(l.Layers, o.Layers) &&
		reflect.DeepEqual(l.Parameters, o.Parameters)
}

// addBranches adds the description's branches, and one for the segments that none of them
// reads.
func (l *Layout) addBranches() {
	direct := Branch{Name: "direct"}
	for _, s := range l.Spec.Segments {
		if !l.Description.reads(s.Name) {
			direct.Input = append(direct.Input, Span{s.Offset, s.Size})
		}
	}
	for _, d := range l.Description.branches() {
		b := Branch{Name: d.name, Input: segmentSpans(l.Spec, d.segments)}
		b.Layers = l.stack(d.layers, b.Inputs())
		l.Layers.Branches = append(l.Layers.Branches, b)
	}
	if len(direct.Input) > 0 {
		l.Layers.Branches = append(l.Layers.Branches, direct)
	}
	for _, b := range l.Layers.Branches {
		l.Layers.Concatenated += b.Width()
		observes(b.Layers)
	}
}

// observes marks the first layer of a list that reads the observation.
func observes(layers []Layer) {
	if len(layers) == 0 {
		return
	}
	if d, dense := layers[0].(*DenseLayer); dense {
		d.Observes = true
	}
}

func (l *Layout) addTrunk() {
	l.Layers.Features = l.Layers.Concatenated
	for _, section := range l.Description.trunk() {
		layers := l.stack(numbered(section.key, section.layers), l.Layers.Features)
		l.Layers.Trunk = append(l.Layers.Trunk, layers...)
		l.Layers.Features = outputs(layers, l.Layers.Features)
	}
	if b := l.Layers.Branches; len(b) == 1 && len(b[0].Layers) == 0 {
		observes(l.Layers.Trunk)
	}
}

func (l *Layout) addHeads() {
	d := &l.Description
	for _, g := range l.Spec.ActionGroups {
		l.addHead(g.First, l.head("policy."+g.Name, d.policyHidden(g.Name), g.Count, policyGain))
	}
	l.addHead(l.Spec.Actions, l.head("value", d.ValueHidden, 1, valueGain))
}

func (l *Layout) addHead(first int, layers []Layer) {
	if n := len(l.Layers.Heads); n > 0 && len(layers) == 1 {
		if before := l.Layers.Heads[n-1].Layers; len(before) == 1 {
			before[0] = before[0].(*DenseLayer).joined(layers[0].(*DenseLayer))
			return
		}
	}
	l.Layers.Heads = append(l.Layers.Heads, OutputHead{first, layers})
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

// stack lays out layers one after the other, starting from in inputs.
func (l *Layout) stack(list []named, in int) (layers []Layer) {
	for _, n := range list {
		layer := n.kind.place(&l.Parameters, n.name, in)
		layers = append(layers, layer)
		in = layer.Dimensions().Out
	}
	return layers
}

// head lays out hidden layers and a final linear one on the features.
func (l *Layout) head(name string, hidden []int, out int, gain float64) []Layer {
	layers := l.stack(numbered(name, sized[dense](hidden)), l.Layers.Features)
	in := outputs(layers, l.Layers.Features)
	return append(layers, newDense(&l.Parameters, fmt.Sprintf("%s.%d", name, len(hidden)), in, out, gain))
}

// outputs returns the number of outputs of a stack of layers with in inputs.
func outputs(layers []Layer, in int) int {
	if len(layers) == 0 {
		return in
	}
	return layers[len(layers)-1].Dimensions().Out
}

// checkSpec refuses a game whose segments or action groups do not tile the observation and
// the actions in order, or whose names repeat.
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

func sum(sizes []int) (n int) {
	for _, size := range sizes {
		n += size
	}
	return n
}
