package nn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/strictyaml"
)

// Limits of a description. They bound what a hostile file can ask for.
const (
	maxLayers    = 32   // layers in one list
	maxLayerSize = 8192 // units of one layer
)

// Description of a network, independent of the game. Sizes are numbers of units.
// The zero value is a network of linear heads on the observation.
type Description struct {
	// Encoders work on chosen segments of the observation. A segment that no
	// encoder names goes to the concatenation as it is.
	Encoders []Encoder `yaml:"encoders,omitempty" json:"encoders,omitempty"`
	// Dense are dense+ReLU layers after the concatenation.
	Dense []int `yaml:"dense,omitempty,flow" json:"dense,omitempty"`
	// LSTM are the hidden sizes of the LSTM layers after them.
	LSTM []int `yaml:"lstm,omitempty,flow" json:"lstm,omitempty"`
	// PolicyHidden are dense+ReLU layers of each policy head, before its linear layer.
	PolicyHidden []int `yaml:"policy_hidden,omitempty,flow" json:"policy_hidden,omitempty"`
	// ValueHidden are dense+ReLU layers of the value head, before its linear layer.
	ValueHidden []int `yaml:"value_hidden,omitempty,flow" json:"value_hidden,omitempty"`
	// Dueling makes it a network of action values, as DQN trains them: the policy heads
	// give advantages A and the value head V (see [Evaluator.ActionValues]). It plays
	// the action of the greatest value.
	Dueling bool `yaml:"dueling,omitempty" json:"dueling,omitempty"`
}

// Encoder is a stack of dense+ReLU layers over some segments of the observation,
// concatenated in the order named here.
type Encoder struct {
	Segments []string `yaml:"segments,flow" json:"segments"`
	Dense    []int    `yaml:"dense,flow" json:"dense"`
}

// ParseDescription reads a YAML or JSON document strictly (package
// strictyaml). Whether it fits a game is for [Description.Validate].
func ParseDescription(doc []byte) (Description, error) {
	var d Description
	if err := strictyaml.Decode(doc, &d); err != nil {
		return Description{}, fmt.Errorf("network description: %w", err)
	}
	return d, nil
}

// Validate says whether the description makes a network for the game. The error
// names the wrong field.
func (d Description) Validate(spec *engine.Spec) error {
	if err := d.validateSizes(); err != nil {
		return fmt.Errorf("network description: %w", err)
	}
	if err := d.validateSegments(spec); err != nil {
		return fmt.Errorf("network description: %w", err)
	}
	return nil
}

func (d Description) validateSizes() error {
	if len(d.Encoders) > maxLayers {
		return fmt.Errorf("encoders: %d is more than the limit of %d", len(d.Encoders), maxLayers)
	}
	for i, e := range d.Encoders {
		field := fmt.Sprintf("encoders[%d].dense", i)
		if len(e.Dense) == 0 {
			return fmt.Errorf("%s: an encoder needs at least one layer", field)
		}
		if err := validateLayers(field, e.Dense); err != nil {
			return err
		}
	}
	return cmp.Or(
		validateLayers("dense", d.Dense),
		validateLayers("lstm", d.LSTM),
		validateLayers("policy_hidden", d.PolicyHidden),
		validateLayers("value_hidden", d.ValueHidden),
	)
}

func validateLayers(field string, sizes []int) error {
	if len(sizes) > maxLayers {
		return fmt.Errorf("%s: %d layers are more than the limit of %d", field, len(sizes), maxLayers)
	}
	for i, n := range sizes {
		if n < 1 || n > maxLayerSize {
			return fmt.Errorf("%s[%d]: size %d is not in 1..%d", field, i, n, maxLayerSize)
		}
	}
	return nil
}

func (d Description) validateSegments(spec *engine.Spec) error {
	names := make([]string, len(spec.Segments))
	for i, s := range spec.Segments {
		names[i] = s.Name
	}
	owner := make(map[string]int)
	for i, e := range d.Encoders {
		if len(e.Segments) == 0 {
			return fmt.Errorf("encoders[%d].segments: an encoder needs at least one segment", i)
		}
		for j, name := range e.Segments {
			field := fmt.Sprintf("encoders[%d].segments[%d]", i, j)
			if !slices.Contains(names, name) {
				return fmt.Errorf("%s: %s has no segment %q, only %s", field, spec.Name, name, strings.Join(names, ", "))
			}
			if other, taken := owner[name]; taken {
				return fmt.Errorf("%s: segment %q is already in encoders[%d]", field, name, other)
			}
			owner[name] = i
		}
	}
	return nil
}
