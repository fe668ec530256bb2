// Package strictjson reads JSON documents that people write. What encoding/json would
// pass over is an error that names the field by its path ("dice[2]"): an unknown,
// repeated or missing field, a name in other letters, a value of the wrong type, a
// fraction or a number out of range where a whole number belongs, anything after the
// document.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

const (
	// MaxBytes bounds a document.
	MaxBytes = 1 << 16
	maxDepth = 16
)

// Error says which field is wrong and why.
type Error struct {
	Field  string // path from the document's root; "": the document itself
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return e.Reason
	}
	return e.Field + ": " + e.Reason
}

// Errorf returns an [*Error] of the field.
func Errorf(field, format string, args ...any) error {
	return &Error{field, fmt.Sprintf(format, args...)}
}

// object is a JSON object in the order of the document.
type object []member

type member struct {
	name  string
	value any // object, []any, json.Number, string, bool or nil
}

// Decode reads a JSON object into the struct that into points to. Every field of the
// struct must be there, unless its json tag says omitempty: then it is left as it is.
// Fields are structs, slices, strings, booleans, integers and pointers to these. After
// an error, an [*Error], into may be changed in part.
func Decode(document []byte, into any) error {
	if len(document) > MaxBytes {
		return Errorf("", "%d bytes is more than the limit of %d", len(document), MaxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	value, err := read(dec, "", 0)
	if err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Errorf("", "there is something after the JSON object")
	}
	return fill(reflect.ValueOf(into).Elem(), value, "")
}

// read reads one value.
func read(dec *json.Decoder, path string, depth int) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, syntax(path, err)
	}
	if depth == maxDepth {
		return nil, Errorf(path, "nested too deeply")
	}
	switch token {
	case json.Delim('{'):
		return readObject(dec, path, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := read(dec, Element(path, len(list)), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.Token()
		return list, syntax(path, err)
	}
	return token, nil
}

func readObject(dec *json.Decoder, path string, depth int) (object, error) {
	var o object
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, syntax(path, err)
		}
		name := token.(string)
		if seen[name] {
			return nil, Errorf(join(path, name), "is there twice")
		}
		seen[name] = true
		value, err := read(dec, join(path, name), depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name, value})
	}
	_, err := dec.Token()
	return o, syntax(path, err)
}

// syntax says where a document stops being JSON.
func syntax(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return Errorf(path, "not JSON: %v", err)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Element is the path of an element of a list.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// fill gives dst the value.
func fill(dst reflect.Value, value any, path string) error {
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return fill(dst.Elem(), value, path)
	case reflect.Struct:
		o, ok := value.(object)
		if !ok {
			return Errorf(path, "%s is not an object", show(value))
		}
		return fillStruct(dst, o, path)
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return Errorf(path, "%s is not a list", show(value))
		}
		dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
		for i, v := range list {
			if err := fill(dst.Index(i), v, Element(path, i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		text, ok := value.(string)
		if !ok {
			return Errorf(path, "%s is not a text", show(value))
		}
		dst.SetString(text)
		return nil
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return Errorf(path, "%s is neither true nor false", show(value))
		}
		dst.SetBool(b)
		return nil
	}
	return fillInteger(dst, value, path)
}

func fillInteger(dst reflect.Value, value any, path string) error {
	number, ok := value.(json.Number)
	if !ok {
		return Errorf(path, "%s is not a whole number", show(value))
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return Errorf(path, "%s is not a whole number", number)
	}
	if err != nil || dst.OverflowInt(n) {
		return Errorf(path, "%s is out of range", number)
	}
	dst.SetInt(n)
	return nil
}

func fillStruct(dst reflect.Value, o object, path string) error {
	fields, names := map[string]reflect.Value{}, []string{}
	for i := range dst.NumField() {
		name, _, _ := strings.Cut(dst.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = dst.Field(i)
		names = append(names, name)
	}
	given := map[string]bool{}
	for _, m := range o {
		field, ok := fields[m.name]
		if !ok {
			return Errorf(join(path, m.name), "unknown field; the fields are %s", strings.Join(names, ", "))
		}
		given[m.name] = true
		if err := fill(field, m.value, join(path, m.name)); err != nil {
			return err
		}
	}
	for i, name := range names {
		optional := strings.Contains(dst.Type().Field(i).Tag.Get("json"), ",omitempty")
		if !given[name] && !optional {
			return Errorf(join(path, name), "is missing")
		}
	}
	return nil
}

// show names a value that is of the wrong type.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case object:
		return "an object"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(value)
}
