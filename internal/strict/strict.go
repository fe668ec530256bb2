// Package strict reads YAML and JSON documents that people write. What a lenient reader
// would pass over is an error that names the line and the key: an unknown or repeated key,
// a name in other letters, a value of the wrong type, a fraction or a number out of range
// where a whole number belongs, a list of the wrong length, a second document.
//
// Both kinds of document become the same tree, in which every value knows its line, and
// one walk over the tree fills a struct.
package strict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a document; nothing that people write comes near it.
const MaxBytes = 1 << 16

// Error says which key of a document is wrong and why.
type Error struct {
	Line   int    // from 1; 0 in JSON, which is often one line in something larger
	Field  string // path from the document's root: "payouts.777", "dice[2]"; "": the document itself
	Reason string
}

func (e *Error) Error() string {
	text := e.Reason
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Line > 0 {
		text = "line " + strconv.Itoa(e.Line) + ": " + text
	}
	return text
}

// Errorf returns an [*Error] of the field.
func Errorf(field, format string, args ...any) error {
	return &Error{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Element is the path of an element of a list.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Document is a document that was parsed but not yet read into anything. Nil is an empty
// one.
type Document struct {
	root *yaml.Node // nil: empty
	err  error      // what is wrong with the document as a whole
	json bool
}

// YAML returns a document of YAML, of which JSON is a part.
func YAML[T ~string | ~[]byte](text T) *Document {
	root, err := parseYAML([]byte(text))
	return &Document{root: root, err: err}
}

// JSON returns a document of JSON.
func JSON[T ~string | ~[]byte](text T) *Document {
	root, err := parseJSON([]byte(text))
	return &Document{root: root, err: err, json: true}
}

// Node returns a part of a YAML document, whose errors name its lines there.
func Node(part *yaml.Node) *Document {
	if part.IsZero() {
		return nil
	}
	return &Document{root: part}
}

// WithoutLines returns the same document for errors that name no lines: those of a text
// that is not in a file.
func (d *Document) WithoutLines() *Document {
	var forget func(*yaml.Node)
	forget = func(n *yaml.Node) {
		n.Line = 0
		for _, c := range n.Content {
			forget(c)
		}
	}
	if d.root != nil {
		forget(d.root)
	}
	return d
}

// Decode reads the document into the struct that into points to, by the names of its yaml
// or json tags. A key that is missing or null leaves its field as it is (a null list,
// mapping or pointer becomes nil); an empty document changes nothing. The error holds an
// [*Error] for each mistake up to some number. After it into may be changed in part.
func (d *Document) Decode(into any) error {
	if d == nil {
		return nil
	}
	return d.read(into, false)
}

// DecodeWhole is Decode for documents that must not be empty, in which no key may be null
// and every key must be there, unless its tag says omitempty.
func (d *Document) DecodeWhole(into any) error { return d.read(into, true) }

func (d *Document) read(into any, whole bool) error {
	switch {
	case d.err != nil:
		return d.err
	case d.root == nil && whole:
		return Errorf("", "the document is empty")
	case d.root == nil:
		return nil
	}
	r := reader{json: d.json, whole: whole}
	r.document(d.root, into)
	if len(r.mistakes) == 0 {
		return nil
	}
	return r.mistakes
}

// Locate adds the line of its field to an [*Error] in err that says what is wrong with
// what was read from the document.
func (d *Document) Locate(err error) error {
	var wrong *Error
	if d == nil || d.root == nil || d.json || !errors.As(err, &wrong) || wrong.Line > 0 {
		return err
	}
	located := *wrong
	located.Line = lineOf(d.root, wrong.Field)
	return &located
}

// lineOf returns the line on which a field stands, 0 where it is not in the document.
func lineOf(n *yaml.Node, field string) int {
	line := 0
	for _, name := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		n = resolved(n)
		i := -1
		switch n.Kind {
		case yaml.MappingNode:
			i = indexOf(n, name)
		case yaml.SequenceNode:
			if number, err := strconv.Atoi(name); err == nil {
				i = number
			}
		}
		if i < 0 || i >= len(n.Content) {
			return 0
		}
		if line = n.Content[i].Line; n.Kind == yaml.MappingNode {
			line = n.Content[i-1].Line
		}
		n = n.Content[i]
	}
	return line
}

// indexOf returns where in a mapping's content the value of a key is, -1 for nowhere.
func indexOf(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// resolved returns the value that a node is or stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// mistakes are errors of one document, on one line.
type mistakes []error

func (m mistakes) Error() string {
	texts := make([]string, len(m))
	for i, err := range m {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (m mistakes) Unwrap() []error { return m }
