package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxRulesBytes bounds a rules document; no game's rules come near it.
const maxRulesBytes = 1 << 16

// DecodeRules reads a YAML or JSON document strictly into rules, a pointer to a
// struct that holds the defaults: a missing key keeps its default, an unknown or
// repeated key, a value of the wrong type or a second document is an error that
// names the line. An empty document changes nothing.
func DecodeRules(document []byte, rules any) error {
	if len(document) > maxRulesBytes {
		return fmt.Errorf("rules: %d bytes is more than the limit of %d", len(document), maxRulesBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(document))
	dec.KnownFields(true)
	err := dec.Decode(rules)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return rulesError(err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("rules: more than one document")
	}
	return checkWholeNumbers(document, rules)
}

// rulesError puts what the decoder says on one line.
func rulesError(err error) error {
	var list *yaml.TypeError
	if errors.As(err, &list) {
		return fmt.Errorf("rules: %s", strings.Join(list.Errors, "; "))
	}
	return fmt.Errorf("rules: %s", strings.TrimPrefix(err.Error(), "yaml: "))
}

// checkWholeNumbers finds what the decoder does not: it cuts 2.7 to 2 where the
// rules want an integer. It compares the document with the rules written out again.
func checkWholeNumbers(document []byte, rules any) error {
	var given, read yaml.Node
	if err := yaml.Unmarshal(document, &given); err != nil {
		return rulesError(err)
	}
	if err := read.Encode(rules); err != nil {
		return rulesError(err)
	}
	return compareNumbers(given.Content[0], &read)
}

func compareNumbers(given, read *yaml.Node) error {
	if given.Alias != nil {
		given = given.Alias
	}
	switch {
	case given.Kind == yaml.ScalarNode && given.ShortTag() == "!!float" && read.ShortTag() == "!!int":
		if v, err := strconv.ParseFloat(given.Value, 64); err != nil || v != math.Trunc(v) {
			return fmt.Errorf("rules: line %d: %s is not an integer", given.Line, given.Value)
		}
	case given.Kind == yaml.SequenceNode && read.Kind == yaml.SequenceNode:
		for i := range min(len(given.Content), len(read.Content)) {
			if err := compareNumbers(given.Content[i], read.Content[i]); err != nil {
				return err
			}
		}
	case given.Kind == yaml.MappingNode && read.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(given.Content); i += 2 {
			for j := 0; j+1 < len(read.Content); j += 2 {
				if given.Content[i].Value != read.Content[j].Value {
					continue
				}
				if err := compareNumbers(given.Content[i+1], read.Content[j+1]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// RulesHash identifies a game with its rules: the first 8 bytes of the SHA-256 of
// the name and the rules as JSON. Messages carry it, so that roles with other
// rules refuse each other.
func RulesHash(g Game) [8]byte {
	doc, err := json.Marshal(g.Rules())
	if err != nil {
		panic(fmt.Sprintf("engine: rules of %s do not marshal: %v", g.Spec().Name, err))
	}
	sum := sha256.Sum256(append([]byte(g.Spec().Name+"\n"), doc...))
	return [8]byte(sum[:8])
}

var callPattern = regexp.MustCompile(`^([a-z][a-z0-9-]*)(?:\(([^()]*)\))?$`)

// ParseCall splits a bot's name such as "threshold(100)" into "threshold" and its
// numbers; a name without brackets has none.
func ParseCall(s string) (name string, args []float64, err error) {
	m := callPattern.FindStringSubmatch(s)
	if m == nil {
		return "", nil, fmt.Errorf("%q is not a name like \"random\" or \"threshold(100)\"", s)
	}
	if m[2] == "" {
		return m[1], nil, nil
	}
	for _, part := range strings.Split(m[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", nil, fmt.Errorf("%q: %q is not a number", s, part)
		}
		args = append(args, v)
	}
	return m[1], args, nil
}
