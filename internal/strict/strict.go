// Package strict reads YAML and JSON documents that people write. What a lenient reader
// would pass over is an error that names the line and the key: an unknown or repeated key,
// a name in other letters, a value of the wrong type, a fraction or a number out of range
// where a whole number belongs, a list of the wrong length, a second document.
//
// Both kinds of document become the same tree, in which every value knows its line, and
// one walk over the tree fills a struct.
package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a document; nothing that people write comes near it.
const MaxBytes = 1 << 16

// Error reports which key of a document is wrong and why.
type Error struct {
	Source string // the document: a file, or whatever contains it; "": the reader knows
	Line   int    // from 1; 0 in JSON, which is often one line in something larger
	Field  string // path from the document's root: "payouts.777", "dice[2]"; "": the document itself
	Other  string // path of another field that this one does not go with; "": none
	Reason string

	cause error // nil: none
}

// Unwrap returns the error that the reason wraps.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) Error() string {
	text := e.Reason
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	switch {
	case e.Source != "" && e.Line > 0:
		return e.Source + ":" + strconv.Itoa(e.Line) + ": " + text
	case e.Source != "":
		return e.Source + ": " + text
	case e.Line > 0:
		return "line " + strconv.Itoa(e.Line) + ": " + text
	}
	return text
}

// Errorf returns an [*Error] of the field.
func Errorf(field, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Field: field, Reason: err.Error(), cause: errors.Unwrap(err)}
}

// Between returns an [*Error] of a field that does not go with another one, whose line it has where the document
// lacks the field itself.
func Between(field, other, format string, args ...any) error {
	return &Error{Field: field, Other: other, Reason: fmt.Sprintf(format, args...)}
}

// Under puts a path before the fields of what is wrong in a part of a document, whose errors need not know which part
// it is. An error that names no field is one of the part as a whole.
func Under(path string, err error) error {
	if err == nil {
		return nil
	}
	if wrong := (*Error)(nil); !errors.As(err, &wrong) {
		return Errorf(path, "%v", err)
	}
	return each(err, func(e *Error) {
		e.Field = join(path, e.Field)
		if e.Other != "" {
			e.Other = join(path, e.Other)
		}
	})
}

// Join returns an error that holds those of the errors that are not nil, on one line; nil if there are none.
func Join(errs ...error) error {
	if errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil }); len(errs) == 0 {
		return nil
	}
	return mistakes(errs)
}

// each returns the [*Error]s in err, without what is around them, after change has changed copies of them. Other
// errors stay.
func each(err error, change func(*Error)) error {
	if m := mistakes(nil); errors.As(err, &m) {
		changed := make(mistakes, len(m))
		for i, mistake := range m {
			changed[i] = each(mistake, change)
		}
		return changed
	}
	wrong := (*Error)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	changed := *wrong
	change(&changed)
	return &changed
}

// Element is the path of an element of a list.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// Document is a document that was parsed but not yet read into anything. Nil is an empty
// one.
type Document struct {
	root   *yaml.Node // nil: empty
	err    error      // what is wrong with the document as a whole
	json   bool
	source string
	ignore func(field string, value *yaml.Node) bool // nil: no unknown key is ignored
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

// From returns the same document for errors that name its source, a file for example.
func (d *Document) From(source string) *Document {
	d.source = source
	d.err = each(d.err, func(e *Error) { e.Source = source })
	return d
}

// Ignoring returns the same document for a reader that need not know all of it: a key of which it knows nothing is no
// mistake where ignore returns true, which gets its path and its value.
func (d *Document) Ignoring(ignore func(field string, value *yaml.Node) bool) *Document {
	d.ignore = ignore
	return d
}

// Under returns a document that has the document under a key.
func (d *Document) Under(key string) *Document {
	above := *d
	if d.root != nil {
		name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: d.root.Line}
		above.root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: d.root.Line, Content: []*yaml.Node{name, d.root}}
	}
	return &above
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
	d.err = each(d.err, func(e *Error) { e.Line = 0 })
	return d
}

// WithoutLines returns an error of a copy of a document, for which [Locate] finds the lines of the document itself.
func WithoutLines(err error) error { return each(err, func(e *Error) { e.Line = 0 }) }

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
// and every key must be there, unless its tag says omitempty, or the tag strict:"optional" says so of one that is
// always written.
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
	r := reader{json: d.json, whole: whole, source: d.source, ignore: d.ignore}
	r.document(d.root, into)
	if len(r.mistakes) == 0 {
		return nil
	}
	return r.mistakes
}

// Locate adds to each [*Error] in err from which of the documents its field is, and the line there. Of several
// documents that have the field, it is the last: they were read one over the other.
func Locate(err error, documents ...*Document) error {
	return each(err, func(e *Error) {
		if e.Source != "" {
			return
		}
		for _, fields := range [][]string{{e.Field, e.Other}, above(e.Field)} {
			for _, d := range slices.Backward(documents) {
				for _, field := range fields {
					if line, found := d.find(field); found {
						e.Source, e.Line = d.source, cmp.Or(e.Line, line)
						return
					}
				}
			}
		}
	})
}

// above returns the paths of what a field is in, the innermost first, without the section that is only a heading.
func above(field string) (paths []string) {
	for {
		end := strings.LastIndexByte(field, '.')
		if field = field[:max(end, 0)]; !strings.Contains(field, ".") {
			return paths
		}
		paths = append(paths, field)
	}
}

// find returns the line of a field, and whether it is in the document. A field that is missing in an element of a list
// is that element's.
func (d *Document) find(field string) (line int, found bool) {
	if d == nil || d.root == nil || field == "" {
		return 0, false
	}
	n, within := d.root, false
	for _, name := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		n = resolved(n)
		switch i, err := strconv.Atoi(name); {
		case n.Kind == yaml.SequenceNode && err == nil && i < len(n.Content):
			n, within = n.Content[i], true
			line = n.Line
		case n.Kind == yaml.MappingNode && indexOf(n, name) >= 0:
			i := indexOf(n, name)
			line, n = n.Content[i-1].Line, n.Content[i]
		default:
			return line, within
		}
	}
	return line, true
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
