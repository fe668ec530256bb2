// Package strictyaml reads YAML and JSON documents that people write. What a
// lenient reader would pass over is an error on one line that names the document's
// line: an unknown or repeated key, a value of the wrong type, a fraction where a
// whole number belongs, a second document.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a document; no configuration comes near it.
const MaxBytes = 1 << 16

// Decode reads a document into the struct that into points to. A key that is
// missing leaves its field as it is; an empty document changes nothing. After an
// error into may be changed in part.
func Decode(document []byte, into any) error {
	if len(document) > MaxBytes {
		return fmt.Errorf("%d bytes is more than the limit of %d", len(document), MaxBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(document))
	dec.KnownFields(true)
	err := dec.Decode(into)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return explain(err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("more than one document")
	}
	return checkWholeNumbers(document, into)
}

var (
	unknownKey  = regexp.MustCompile(`field (.*) not found in type .*`)
	repeatedKey = regexp.MustCompile(`field (.*) already set in type .*`)
	wrongType   = regexp.MustCompile("cannot unmarshal !!(\\S+)(?: `(.*)`)? into (\\S+)")
)

// explain says what the decoder says in the words of who wrote the document, on
// one line.
func explain(err error) error {
	var list *yaml.TypeError
	if !errors.As(err, &list) {
		return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", "; "))
	}
	lines := make([]string, len(list.Errors))
	for i, line := range list.Errors {
		line = unknownKey.ReplaceAllString(line, `unknown key "$1"`)
		line = repeatedKey.ReplaceAllString(line, `key "$1" is there twice`)
		lines[i] = wrongType.ReplaceAllStringFunc(line, func(s string) string {
			m := wrongType.FindStringSubmatch(s)
			return fmt.Sprintf("%s is not %s", given(m[1], m[2]), wanted(m[3]))
		})
	}
	return errors.New(strings.Join(lines, "; "))
}

// given names a value by its YAML tag and, for a scalar, its text.
func given(tag, value string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "a mapping"
	}
	return strconv.Quote(value)
}

// wanted names a Go type.
func wanted(name string) string {
	switch kind := strings.TrimRight(name, "0123456789"); {
	case name == "time.Duration":
		return "a duration like 30s"
	case kind == "int":
		return "a whole number"
	case kind == "uint":
		return "a whole number from 0 on"
	case kind == "float":
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	}
	return "a mapping of keys to values"
}

// checkWholeNumbers finds what the decoder does not: it cuts 2.7 to 2 where a whole
// number is wanted. It compares the document with what was read, written out again.
func checkWholeNumbers(document []byte, read any) error {
	var before, after yaml.Node
	if err := yaml.Unmarshal(document, &before); err != nil {
		return explain(err)
	}
	if err := after.Encode(read); err != nil {
		return explain(err)
	}
	return compareNumbers(before.Content[0], &after)
}

func compareNumbers(given, read *yaml.Node) error {
	if given.Alias != nil {
		given = given.Alias
	}
	switch {
	case given.Kind == yaml.ScalarNode && given.ShortTag() == "!!float" && read.ShortTag() == "!!int":
		if v, err := strconv.ParseFloat(given.Value, 64); err != nil || v != math.Trunc(v) {
			return fmt.Errorf("line %d: %s is not a whole number", given.Line, given.Value)
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
