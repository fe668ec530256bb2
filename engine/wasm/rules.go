package wasm

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/internal/strict"
)

// FileRule is the rule that names the file: rules, and so histories, runs and everything that holds rules, are of one
// file.
const FileRule = "file"

func (d *description) checkRules() error {
	if len(d.Rules) > maxRules {
		return strict.Errorf("rules", "%d are more than %d", len(d.Rules), maxRules)
	}
	names := []string{FileRule}
	for i, r := range d.Rules {
		field := strict.Element("rules", i)
		if !segmentPattern.MatchString(r.Name) || slices.Contains(names, r.Name) {
			return strict.Errorf(field+".name", "%q is no name like \"max_bid\", or is taken", r.Name)
		}
		names = append(names, r.Name)
		if err := text(field+".help", r.Help); err != nil {
			return err
		}
		if _, err := r.value(); err != nil {
			return strict.Under(field, err)
		}
	}
	return nil
}

// value returns the default, which is an int, a bool or a string.
func (r *rule) value() (any, error) {
	switch tag := r.Default.ShortTag(); {
	case r.Default.Kind != yaml.ScalarNode:
	case tag == "!!bool" && len(r.Values) == 0:
		return r.Default.Value == "true", nil
	case tag == "!!str" && len(r.Values) > 0:
		return r.Default.Value, engine.OneOf("default", r.Default.Value, r.Values...)
	case tag == "!!int" && len(r.Values) == 0:
		v, err := strconv.ParseInt(r.Default.Value, 10, 32)
		if err != nil || int(int32(r.Low)) != r.Low || int(int32(r.High)) != r.High {
			return nil, strict.Errorf("default", "it and its bounds must have 32 bits")
		}
		return int(v), engine.InRange("default", int(v), r.Low, r.High)
	}
	return nil, strict.Errorf("default", "it is neither a whole number in low..high, nor one of values, nor true or false")
}

// ruleset is how rules of a file are read: a struct with a field for each, the file's first.
type ruleset struct {
	book     *engine.RuleBook
	defaults reflect.Value
	rules    []rule
}

func newRuleset(d *description, hash string) *ruleset {
	book := &engine.RuleBook{Rules: []engine.Rule{{Key: FileRule, Help: "SHA-256 of the game's file",
		Values: []string{hash}}}}
	fields := []reflect.StructField{ruleField(0, FileRule, "")}
	values := []any{hash}
	for i, r := range d.Rules {
		book.Rules = append(book.Rules, engine.Rule{Key: r.Name, Help: r.Help, Low: r.Low, High: r.High, Values: r.Values})
		value, _ := r.value() // checked with the description
		fields = append(fields, ruleField(i+1, r.Name, value))
		values = append(values, value)
	}
	for _, p := range d.Presets {
		book.Presets = append(book.Presets, engine.Preset{Name: p.Name, Help: p.Help, Document: p.Rules})
	}
	defaults := reflect.New(reflect.StructOf(fields)).Elem()
	for i, value := range values {
		defaults.Field(i).Set(reflect.ValueOf(value))
	}
	return &ruleset{book, defaults, d.Rules}
}

func ruleField(i int, name string, value any) reflect.StructField {
	tag := reflect.StructTag(fmt.Sprintf(`json:%q yaml:%q`, name, name))
	return reflect.StructField{Name: fmt.Sprintf("Rule%d", i), Type: reflect.TypeOf(value), Tag: tag}
}

// read reads a document over the defaults and returns the struct, and the number of each rule for the module.
func (s *ruleset) read(document []byte) (rules any, numbers []int32, err error) {
	read := reflect.New(s.defaults.Type())
	read.Elem().Set(s.defaults)
	if err := engine.ReadRules(document, read.Interface(), s.book); err != nil {
		return nil, nil, err
	}
	for i, r := range s.rules {
		numbers = append(numbers, r.number(read.Elem().Field(i+1)))
	}
	return read.Elem().Interface(), numbers, nil
}

// number is what the module is given for a value: the number, 1 or 0 for true or false, the place among the values.
func (r *rule) number(value reflect.Value) int32 {
	switch value.Kind() {
	case reflect.Bool:
		if value.Bool() {
			return 1
		}
		return 0
	case reflect.String:
		return int32(slices.Index(r.Values, value.String()))
	}
	return int32(value.Int())
}
