package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// overlay returns the rules of above and, for the keys that it leaves out, those of
// below, which then stand behind them and have no lines of their own.
func overlay(above, below yaml.Node) yaml.Node {
	if above.IsZero() {
		return below
	}
	if above.Kind != yaml.MappingNode || below.Kind != yaml.MappingNode {
		return above
	}
	out := above
	out.Content = slices.Clone(above.Content)
	for i := 0; i+1 < len(below.Content); i += 2 {
		key := *below.Content[i]
		if !slices.ContainsFunc(above.Content, func(n *yaml.Node) bool { return n.Value == key.Value }) {
			key.Line = 0
			out.Content = append(out.Content, &key, below.Content[i+1])
		}
	}
	return out
}

// rulesDocument writes rules as JSON in which each key stands on the line on which
// it was read, so that what is wrong with it is said to be there.
func rulesDocument(rules yaml.Node) ([]byte, error) {
	if rules.IsZero() || rules.ShortTag() == "!!null" {
		return nil, nil
	}
	if rules.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: they must be a mapping of names to values", rules.Line)
	}
	doc := bytes.NewBufferString("{")
	line := 1
	for i := 0; i+1 < len(rules.Content); i += 2 {
		key, value := rules.Content[i], rules.Content[i+1]
		var plain any
		if err := value.Decode(&plain); err != nil {
			return nil, errors.New(key.Value + ": " + err.Error())
		}
		encoded, err := json.Marshal(map[string]any{key.Value: plain})
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", key.Line, key.Value, err)
		}
		if i > 0 {
			doc.WriteByte(',')
		}
		for ; line < key.Line; line++ {
			doc.WriteByte('\n')
		}
		doc.Write(encoded[1 : len(encoded)-1])
	}
	doc.WriteByte('}')
	return doc.Bytes(), nil
}
