package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds how deeply JSON is nested. (The YAML parser has a bound of its own.)
const maxDepth = 16

func checkSize(text []byte) error {
	if len(text) > MaxBytes {
		return Errorf("", "%d bytes is more than the limit of %d", len(text), MaxBytes)
	}
	return nil
}

// parseYAML returns the only document of the text, nil where there is none.
func parseYAML(text []byte) (*yaml.Node, error) {
	if err := checkSize(text); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := dec.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, notYAML(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, Errorf("", "more than one document")
	}
	return document.Content[0], nil
}

// PlainYAML returns an error of the parser of YAML without the parser's name.
func PlainYAML(err error) error { return notYAML(err) }

// notYAML returns the error of the parser, which begins with "yaml: line 3: ", mostly.
func notYAML(err error) error {
	e := &Error{Reason: strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", "; ")}
	if n, _ := fmt.Sscanf(e.Reason, "line %d:", &e.Line); n == 1 {
		_, e.Reason, _ = strings.Cut(e.Reason, ": ")
	}
	return e
}

// parseJSON returns the JSON value of the text as a tree of YAML without lines, nil for an
// empty text.
func parseJSON(text []byte) (*yaml.Node, error) {
	if err := checkSize(text); err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value, err := readJSON(dec, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, Errorf("", "there is something after the JSON value")
	}
	return value, nil
}

// readJSON reads one value.
func readJSON(dec *json.Decoder, path string, depth int) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, notJSON(path, err)
	}
	if depth == maxDepth {
		return nil, Errorf(path, "nested too deeply")
	}
	switch v := token.(type) {
	case json.Delim:
		return readContent(dec, v == '{', path, depth+1)
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}, nil
	case json.Number:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: v.String()}
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
		return n, nil
	case bool:
		n := &yaml.Node{}
		return n, n.Encode(v)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// readContent reads what is in an object or a list, and its end.
func readContent(dec *json.Decoder, object bool, path string, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if object {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for dec.More() {
		element := Element(path, len(n.Content))
		if object {
			name, err := readJSON(dec, path, 0)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, name)
			element = join(path, name.Value)
		}
		value, err := readJSON(dec, element, depth)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, value)
	}
	if _, err := dec.Token(); err != nil {
		return nil, notJSON(path, err)
	}
	return n, nil
}

// notJSON reports where a document stops being JSON.
func notJSON(path string, err error) error {
	return Errorf(path, "not JSON: %v", PlainJSON(err))
}
