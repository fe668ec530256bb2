package nn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// Description describes a network independently of the game. Sizes are numbers of units.
// The zero value is a network of linear heads on the observation.
type Description struct {
	// Encoders work on chosen segments of the observation. A segment that neither an
	// encoder nor the attention names enters the concatenation unchanged.
	Encoders []Encoder `yaml:"encoders" json:"encoders,omitempty"`
	// Attention relates tokens, such as cards, to one another; nil for none.
	Attention *Attention `yaml:"attention" json:"attention,omitempty"`
	// Dense are dense+ReLU layers after the concatenation.
	Dense []int `yaml:"dense,flow" json:"dense,omitempty"`
	// LSTM are the hidden sizes of the LSTM layers after them.
	LSTM []int `yaml:"lstm,flow" json:"lstm,omitempty"`
	// PolicyHidden are dense+ReLU layers of each policy head, before its linear layer.
	PolicyHidden []int `yaml:"policy_hidden,flow" json:"policy_hidden,omitempty"`
	// Heads replaces PolicyHidden for the action groups it names.
	Heads []Head `yaml:"heads" json:"heads,omitempty"`
	// ValueHidden are dense+ReLU layers of the value head, before its linear layer.
	ValueHidden []int `yaml:"value_hidden,flow" json:"value_hidden,omitempty"`
	// Outputs reports what the policy heads compute. By default that is action values if
	// Dueling is set, otherwise a policy.
	Outputs Outputs `yaml:"outputs,omitempty" json:"outputs,omitempty"`
	// Dueling builds the action values from two parts: the policy heads give advantages A
	// and the value head gives V (see [Evaluator.ActionValues]). Without it the policy
	// heads give action values on their own and the value head is unused.
	Dueling bool `yaml:"dueling" json:"dueling,omitempty"`
}

// Outputs is what a network's policy heads compute.
type Outputs string

const (
	// PolicyOutputs are logits: the network plays by the distribution they define.
	PolicyOutputs Outputs = "policy"
	// ActionValueOutputs are the values of the actions: the network plays the best one.
	ActionValueOutputs Outputs = "action_values"
)

// ActionValues reports whether the network computes action values rather than a policy.
func (d Description) ActionValues() bool { return d.Dueling || d.Outputs == ActionValueOutputs }

// Encoder is a stack of dense+ReLU layers over some segments of the observation,
// concatenated in the order named here.
type Encoder struct {
	Segments []string `yaml:"segments,flow" json:"segments"` // names of the game's segments, at least one
	Dense    []int    `yaml:"dense,flow" json:"dense"`       // units of each layer, at least one layer
}

// Head gives the policy heads of some action groups dense+ReLU layers of their own, or
// none.
type Head struct {
	Groups []string `yaml:"groups,flow" json:"groups"` // names of the game's action groups, at least one
	Dense  []int    `yaml:"dense,flow" json:"dense"`   // units of each layer; empty: none
}

// trunk returns the layers between the concatenation and the heads, in order. A new kind of
// layer gets its line here.
func (d *Description) trunk() []section {
	return []section{
		{"dense", sized[dense](d.Dense)},
		{"lstm", sized[lstm](d.LSTM)},
	}
}

// branches returns the branches the description names, in the order of their outputs in the
// concatenation.
func (d *Description) branches() (list []branch) {
	for i, e := range d.Encoders {
		name := fmt.Sprintf("encoder.%d", i)
		list = append(list, branch{name, e.Segments, numbered(name, sized[dense](e.Dense))})
	}
	if a := d.Attention; a != nil {
		list = append(list, branch{"attention", a.Segments, []named{{"attention", a}}})
	}
	return list
}

// reads reports whether a branch names the segment.
func (d *Description) reads(segment string) bool {
	return slices.ContainsFunc(d.branches(), func(b branch) bool { return slices.Contains(b.segments, segment) })
}

// policyHidden returns the hidden layers of an action group's head.
func (d Description) policyHidden(group string) []int {
	for _, h := range d.Heads {
		if slices.Contains(h.Groups, group) {
			return h.Dense
		}
	}
	return d.PolicyHidden
}

// ParseDescription strictly decodes a YAML or JSON document (see package strict).
// [Description.Validate] checks whether it fits a game.
func ParseDescription(doc []byte) (Description, error) {
	var d Description
	if err := strict.YAML(doc).Decode(&d); err != nil {
		return Description{}, fmt.Errorf("network description: %w", err)
	}
	return d, nil
}

// Validate checks that the description makes a network for the game. The error names the
// offending field.
func (d Description) Validate(spec *engine.Spec) error {
	if err := cmp.Or(d.validateSizes(), d.validateOutputs()); err != nil {
		return fmt.Errorf("network description: %w", err)
	}
	if err := cmp.Or(d.validateSegments(spec), d.validateAttention(spec), d.validateHeads(spec)); err != nil {
		return fmt.Errorf("network description: %w", err)
	}
	return nil
}

func (d Description) validateSizes() error {
	if len(d.Encoders) > maxLayers {
		return strict.Errorf("encoders", "%d is more than the limit of %d", len(d.Encoders), maxLayers)
	}
	for i, e := range d.Encoders {
		field := strict.Element("encoders", i) + ".dense"
		if len(e.Dense) == 0 {
			return strict.Errorf(field, "an encoder needs at least one layer")
		}
		if err := checkDense(field, e.Dense); err != nil {
			return err
		}
	}
	for _, section := range d.trunk() {
		if err := checkLayers(section.key, section.layers); err != nil {
			return err
		}
	}
	return cmp.Or(
		checkDense("policy_hidden", d.PolicyHidden),
		checkDense("value_hidden", d.ValueHidden),
	)
}

func (d Description) validateOutputs() error {
	switch {
	case !slices.Contains([]Outputs{"", PolicyOutputs, ActionValueOutputs}, d.Outputs):
		return strict.Errorf("outputs", "%q is not %s or %s", d.Outputs, PolicyOutputs, ActionValueOutputs)
	case d.Dueling && d.Outputs == PolicyOutputs:
		return strict.Between("outputs", "dueling", "a dueling network gives action values, not a policy")
	}
	return nil
}

func (d Description) validateSegments(spec *engine.Spec) error {
	segments, owners := segmentNames(spec), make(map[string]string)
	for i, e := range d.Encoders {
		if err := segments.claim(e.Segments, strict.Element("encoders", i), owners); err != nil {
			return err
		}
	}
	return nil
}

func (d Description) validateHeads(spec *engine.Spec) error {
	if len(d.Heads) > maxLayers {
		return strict.Errorf("heads", "%d is more than the limit of %d", len(d.Heads), maxLayers)
	}
	groups, owners := groupNames(spec), make(map[string]string)
	for i, h := range d.Heads {
		field := strict.Element("heads", i)
		if err := groups.claim(h.Groups, field, owners); err != nil {
			return err
		}
		if err := checkDense(field+".dense", h.Dense); err != nil {
			return err
		}
	}
	return nil
}

func (d Description) validateAttention(spec *engine.Spec) error {
	a := d.Attention
	if a == nil {
		return nil
	}
	if err := segmentNames(spec).claim(a.Segments, "attention", make(map[string]string)); err != nil {
		return err
	}
	for i, name := range a.Segments {
		if n := segmentSpan(spec, name).Size; n != a.Tokens {
			return strict.Errorf(strict.Element("attention.segments", i),
				"segment %q has %d elements and not one for each of %d tokens",
				name, n, a.Tokens)
		}
	}
	return a.check("attention")
}

// names lists a game's segments or action groups.
type names struct {
	game, kind string
	list       []string
}

func segmentNames(spec *engine.Spec) names {
	n := names{game: spec.Name, kind: "segment"}
	for _, s := range spec.Segments {
		n.list = append(n.list, s.Name)
	}
	return n
}

func groupNames(spec *engine.Spec) names {
	n := names{game: spec.Name, kind: "group"}
	for _, g := range spec.ActionGroups {
		n.list = append(n.list, g.Name)
	}
	return n
}

// claim records owner, a part of the description, as the owner of each claimed name. It
// fails if no name is claimed, if the game lacks one, or if one already has an owner.
func (n names) claim(claimed []string, owner string, owners map[string]string) error {
	field := fmt.Sprintf("%s.%ss", owner, n.kind)
	if len(claimed) == 0 {
		return strict.Errorf(field, "there must be at least one %s", n.kind)
	}
	for i, name := range claimed {
		if !slices.Contains(n.list, name) {
			return strict.Errorf(strict.Element(field, i), "%s has no %s %q, only %s", n.game, n.kind, name,
				strings.Join(n.list, ", "))
		}
		if other, taken := owners[name]; taken {
			return strict.Errorf(strict.Element(field, i), "%s %q is already in %s", n.kind, name, other)
		}
		owners[name] = owner
	}
	return nil
}
