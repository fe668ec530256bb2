package strict

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"croupier/internal/suggest"
)

const (
	// maxNodes bounds how many values are read. A document of MaxBytes has fewer, unless
	// its aliases stand for large parts many times over.
	maxNodes = MaxBytes
	// maxMistakes bounds how many mistakes are reported at once.
	maxMistakes = 10
)

var (
	nodeType     = reflect.TypeFor[yaml.Node]()
	durationType = reflect.TypeFor[time.Duration]()
)

// reader fills a struct from one document.
type reader struct {
	json     bool // names are those of the json tags, and texts are in quotes
	whole    bool // nothing may be missing or null
	source   string
	ignore   func(field string, value *yaml.Node) bool
	nodes    int
	mistakes mistakes
}

func (r *reader) document(root *yaml.Node, into any) {
	r.value(reflect.ValueOf(into).Elem(), root, "")
	if r.nodes > maxNodes {
		r.refuse(root, "", "its aliases stand for more than %d values", maxNodes)
	}
}

func (r *reader) refuse(n *yaml.Node, path, format string, args ...any) {
	r.mistakes = append(r.mistakes, &Error{Source: r.source, Line: n.Line, Field: path,
		Reason: fmt.Sprintf(format, args...)})
}

// value gives dst the value of the node.
func (r *reader) value(dst reflect.Value, n *yaml.Node, path string) {
	if r.nodes++; r.nodes > maxNodes || len(r.mistakes) == maxMistakes {
		return
	}
	n = resolved(n)
	switch kind := dst.Kind(); {
	case dst.Type() == nodeType:
		r.count(n.Content)
		dst.Set(reflect.ValueOf(*n))
	case n.ShortTag() == "!!null" && !r.whole:
		setNil(dst)
	case kind == reflect.Pointer:
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		r.value(dst.Elem(), n, path)
	case nodeKind(kind) != n.Kind:
		r.mismatch(dst, n, path)
	case kind == reflect.Struct:
		r.structure(dst, n, path)
	case kind == reflect.Map:
		r.mapping(dst, n, path)
	case n.Kind == yaml.SequenceNode:
		r.list(dst, n, path)
	default:
		r.scalar(dst, n, path)
	}
}

// count counts values that are kept as nodes: a later reader follows their aliases.
func (r *reader) count(nodes []*yaml.Node) {
	for _, n := range nodes {
		if r.nodes++; r.nodes > maxNodes {
			return
		}
		r.count(resolved(n).Content)
	}
}

// setNil gives dst nil, where that is possible.
func setNil(dst reflect.Value) {
	switch dst.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		dst.SetZero()
	}
}

// nodeKind is the kind of node that a Go value is read from.
func nodeKind(kind reflect.Kind) yaml.Kind {
	switch kind {
	case reflect.Struct, reflect.Map:
		return yaml.MappingNode
	case reflect.Slice, reflect.Array:
		return yaml.SequenceNode
	}
	return yaml.ScalarNode
}

// keys calls read for each key of a mapping, with the path of its value.
func (r *reader) keys(n *yaml.Node, path string, read func(key, value *yaml.Node, path string)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if len(r.mistakes) >= maxMistakes {
			return
		}
		switch first := indexOf(n, key.Value); {
		case key.Kind != yaml.ScalarNode:
			r.refuse(key, path, "%s is not a key", r.given(key))
		case first < i && r.json:
			r.refuse(key, join(path, key.Value), "appears twice")
		case first < i:
			r.refuse(key, join(path, key.Value), "appears twice, first in line %d", n.Content[first-1].Line)
		default:
			read(key, n.Content[i+1], join(path, key.Value))
		}
	}
}

// field is a field of a struct.
type field struct {
	name     string
	optional bool
	value    reflect.Value
}

// fields returns those of a struct, and of the structs embedded in it.
func (r *reader) fields(s reflect.Value) []field {
	var list []field
	for i := range s.NumField() {
		f, tags := s.Type().Field(i), "yaml"
		if r.json {
			tags = "json"
		}
		name, options, _ := strings.Cut(f.Tag.Get(tags), ",")
		switch {
		case f.Anonymous && name == "":
			list = append(list, r.fields(s.Field(i))...)
		case name == "" && options == "inline" && f.Type.Kind() == reflect.Map:
			list = append(list, inlined(s.Field(i))...)
		case f.IsExported():
			optional := strings.Contains(options, "omitempty") || f.Tag.Get("strict") == "optional"
			list = append(list, field{name, optional, s.Field(i)})
		}
	}
	return list
}

// inlined returns the elements of a map of pointers to structs as fields, by their keys.
func inlined(m reflect.Value) (list []field) {
	for _, key := range slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	}) {
		element := m.MapIndex(key)
		if element.Kind() == reflect.Interface {
			element = element.Elem()
		}
		list = append(list, field{key.String(), true, element.Elem()})
	}
	return list
}

func (r *reader) structure(dst reflect.Value, n *yaml.Node, path string) {
	fields := r.fields(dst)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	r.keys(n, path, func(key, value *yaml.Node, path string) {
		i := slices.Index(names, key.Value)
		switch {
		case i >= 0:
			r.value(fields[i].value, value, path)
			fields[i].optional = true
		case r.ignore != nil && r.ignore(path, value):
		case len(names) == 0:
			r.refuse(key, path, "unknown key; there are none")
		case len(names) == 1:
			r.refuse(key, path, "unknown key; the only one is %s", names[0])
		default:
			r.refuse(key, path, "unknown key%s; the keys are %s", suggest.Hint(key.Value, names), strings.Join(names, ", "))
		}
	})
	for _, f := range fields {
		if r.whole && !f.optional {
			r.refuse(n, join(path, f.name), "is missing")
		}
	}
}

func (r *reader) mapping(dst reflect.Value, n *yaml.Node, path string) {
	if dst.IsNil() {
		dst.Set(reflect.MakeMap(dst.Type()))
	}
	r.keys(n, path, func(key, value *yaml.Node, path string) {
		element := reflect.New(dst.Type().Elem()).Elem()
		r.value(element, value, path)
		dst.SetMapIndex(reflect.ValueOf(key.Value).Convert(dst.Type().Key()), element)
	})
}

func (r *reader) list(dst reflect.Value, n *yaml.Node, path string) {
	if dst.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(dst.Type(), len(n.Content), len(n.Content)))
	} else if len(n.Content) != dst.Len() {
		r.refuse(n, path, "%d values, there must be %d", len(n.Content), dst.Len())
		return
	}
	for i, element := range n.Content {
		r.value(dst.Index(i), element, Element(path, i))
	}
}

// scalar reads a text, a truth value, a duration or a number.
func (r *reader) scalar(dst reflect.Value, n *yaml.Node, path string) {
	tag := n.ShortTag()
	number := tag == "!!int" || tag == "!!float"
	switch {
	case dst.Kind() == reflect.String && (tag == "!!str" || !r.json && tag != "!!null"):
		dst.SetString(n.Value)
		return
	case dst.Kind() == reflect.Bool || dst.Type() == durationType || dst.CanFloat() && number:
		if n.Decode(dst.Addr().Interface()) == nil && !(dst.CanFloat() && math.IsNaN(dst.Float()-dst.Float())) {
			return
		}
	case dst.CanInt() && number || dst.CanUint() && number && !strings.HasPrefix(n.Value, "-"):
		if v, err := strconv.ParseFloat(n.Value, 64); tag == "!!float" && (err != nil || v != math.Trunc(v)) {
			break
		}
		if !setWhole(dst, n) {
			r.refuse(n, path, "%s is out of range", n.Value)
		}
		return
	}
	r.mismatch(dst, n, path)
}

// setWhole gives dst a whole number, which may be written as 1e3, and reports whether it is
// in range.
func setWhole(dst reflect.Value, n *yaml.Node) bool {
	if n.ShortTag() == "!!float" {
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.Abs(v) >= 1<<63 {
			return false
		}
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(int64(v), 10)}
	}
	return n.Decode(dst.Addr().Interface()) == nil
}

func (r *reader) mismatch(dst reflect.Value, n *yaml.Node, path string) {
	r.refuse(n, path, "%s is not %s", r.given(n), r.wanted(dst))
}

// given names a value.
func (r *reader) given(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode && r.json:
		return "an object"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.ShortTag() == "!!null":
		return "null"
	case n.ShortTag() == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// wanted names what a Go value is read from.
func (r *reader) wanted(dst reflect.Value) string {
	switch {
	case nodeKind(dst.Kind()) == yaml.SequenceNode:
		return "a list"
	case nodeKind(dst.Kind()) == yaml.MappingNode && r.json:
		return "an object"
	case nodeKind(dst.Kind()) == yaml.MappingNode:
		return "a mapping of keys to values"
	case dst.Type() == durationType:
		return "a duration like 30s"
	case dst.CanInt():
		return "a whole number"
	case dst.CanUint():
		return "a whole number from 0 on"
	case dst.CanFloat():
		return "a number"
	case dst.Kind() == reflect.Bool:
		return "true or false"
	}
	return "a text"
}
