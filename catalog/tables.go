package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
)

// NamedTable is a way to play a game that people know by a name.
type NamedTable struct {
	Name string
	Game engine.Game
}

// Tables returns the tables that come of a game's rules when a preset changes them, or one of the numbers that people
// choose, each once and without the table itself. What the rules do not allow is left out.
func (c *Catalog) Tables(usual engine.Game) (list []NamedTable, err error) {
	spec := usual.Spec()
	if spec.Rules == nil {
		return nil, nil
	}
	known := map[[8]byte]bool{engine.RulesHash(usual): true}
	add := func(name string, changes []byte) error {
		document, err := changed(usual, changes)
		if err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
		game, err := c.Of(usual).New(document)
		if err != nil {
			return nil
		}
		if hash := engine.RulesHash(game); !known[hash] {
			known[hash] = true
			list = append(list, NamedTable{name, game})
		}
		return nil
	}
	for _, p := range spec.Rules.Presets {
		if err := add(p.Name, []byte(p.Document)); err != nil {
			return nil, err
		}
	}
	for _, r := range spec.Rules.Rules {
		for _, n := range r.Usual {
			var nested any = n
			for _, part := range slices.Backward(strings.Split(r.Key, ".")) {
				nested = map[string]any{part: nested}
			}
			changes, err := json.Marshal(nested)
			if err == nil {
				err = add(fmt.Sprintf("%s: %d", r.Key, n), changes)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// changed returns the rules of a game with what a document changes of them.
func changed(game engine.Game, changes []byte) ([]byte, error) {
	var rules, to map[string]any
	text, err := json.Marshal(game.Rules())
	if err == nil {
		err = json.Unmarshal(text, &rules)
	}
	if err == nil {
		err = yaml.Unmarshal(changes, &to)
	}
	if err != nil {
		return nil, err
	}
	overlay(rules, to)
	return json.Marshal(rules)
}

// overlay changes what a mapping says, in nested mappings as well.
func overlay(rules, changes map[string]any) {
	for key, value := range changes {
		inner, isMapping := value.(map[string]any)
		if under, nested := rules[key].(map[string]any); nested && isMapping {
			overlay(under, inner)
			continue
		}
		rules[key] = value
	}
}
