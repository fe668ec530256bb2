package nn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"croupier/engine"
)

// Format is the value of the metadata entry "format" in the files that this version writes.
const Format = "croupier-1"

// Metadata keys of a network file that this package writes and reads. Other keys, such as
// agent, version, updates, samples and rating, belong to the caller.
const (
	FormatKey      = "format"
	GameKey        = "game"
	RulesKey       = "rules"       // JSON
	DescriptionKey = "description" // JSON
)

// MaxFileBytes bounds what is read of a network file: 64 million weights.
const MaxFileBytes = 256 << 20

// File is a network with its metadata: a safetensors file with one tensor for each
// parameter of the layout.
type File struct {
	Network  *Network          // layout and weights
	Metadata map[string]string // texts by key: those of this package and the caller's
}

// NewFile returns the file of a network for a game. It adds the entries the file itself
// needs to a copy of the caller's metadata.
func NewFile(n *Network, game engine.Game, metadata map[string]string) (*File, error) {
	rules, err := json.Marshal(game.Rules())
	if err != nil {
		return nil, fmt.Errorf("network file: rules: %w", err)
	}
	description, err := json.Marshal(n.Layout.Description)
	if err != nil {
		return nil, fmt.Errorf("network file: description: %w", err)
	}
	f := &File{Network: n, Metadata: maps.Clone(metadata)}
	if f.Metadata == nil {
		f.Metadata = make(map[string]string)
	}
	f.Metadata[FormatKey] = Format
	f.Metadata[GameKey] = game.Spec().Name
	f.Metadata[RulesKey] = string(rules)
	f.Metadata[DescriptionKey] = string(description)
	return f, nil
}

// Encode returns the file's bytes. Its error is that of [EncodeTensors].
func (f *File) Encode() ([]byte, error) {
	n := f.Network
	tensors := make([]Tensor, len(n.Layout.Parameters))
	for i, p := range n.Layout.Parameters {
		tensors[i] = Tensor{Name: p.Name, Shape: p.Shape, Data: n.Layout.Slice(n.Weights, i)}
	}
	return EncodeTensors(f.Metadata, tensors)
}

// Decode reads a network file. newGame makes the game from its name and its rules (JSON).
// The error says what is wrong: a damaged file, another format, a game or rules that
// newGame refuses, a description that does not fit the game, tensors that do not fit the
// description, or a weight that is not finite.
func Decode(
	data []byte, newGame func(name string, rules []byte) (engine.Game, error),
) (*File, engine.Game, error) {
	f, game, err := decode(data, newGame)
	if err != nil {
		return nil, nil, fmt.Errorf("network file: %w", err)
	}
	return f, game, nil
}

func decode(
	data []byte, newGame func(name string, rules []byte) (engine.Game, error),
) (*File, engine.Game, error) {
	metadata, tensors, err := DecodeTensors(data)
	if err != nil {
		return nil, nil, err
	}
	if metadata[FormatKey] != Format {
		return nil, nil, fmt.Errorf("metadata: %s: %.80q is not %q", FormatKey, metadata[FormatKey], Format)
	}
	game, err := newGame(metadata[GameKey], []byte(metadata[RulesKey]))
	if err != nil {
		return nil, nil, fmt.Errorf("metadata: %s and %s: %w", GameKey, RulesKey, err)
	}
	description, err := ParseDescription([]byte(metadata[DescriptionKey]))
	if err != nil {
		return nil, nil, fmt.Errorf("metadata: %w", err)
	}
	layout, err := NewLayout(description, game.Spec())
	if err != nil {
		return nil, nil, fmt.Errorf("metadata: %w", err)
	}
	weights, err := layout.flatten(tensors)
	if err != nil {
		return nil, nil, err
	}
	network, err := NewNetwork(layout, weights)
	if err != nil {
		return nil, nil, err
	}
	return &File{Network: network, Metadata: metadata}, game, nil
}

// flatten joins the tensors into one flat list. They must be exactly the layout's
// parameters, in any order.
func (l *Layout) flatten(tensors []Tensor) ([]float32, error) {
	byName := make(map[string]Tensor, len(tensors))
	for _, t := range tensors {
		byName[t.Name] = t
	}
	parts := make([][]float32, 0, len(l.Parameters))
	for _, p := range l.Parameters {
		t, ok := byName[p.Name]
		if !ok {
			return nil, fmt.Errorf("tensor %q is missing", p.Name)
		}
		if !slices.Equal(t.Shape, p.Shape) {
			return nil, fmt.Errorf("tensor %q has shape %v where the description asks for %v", p.Name, t.Shape, p.Shape)
		}
		if t.Bytes != nil {
			return nil, fmt.Errorf("tensor %q has bytes where the description asks for numbers", p.Name)
		}
		parts = append(parts, t.Data)
		delete(byName, p.Name)
	}
	if len(byName) > 0 {
		return nil, fmt.Errorf("tensor %.80q is not in the description", slices.Min(slices.Collect(maps.Keys(byName))))
	}
	return slices.Concat(parts...), nil
}
