package described

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/internal/strict"
)

// The first rule of a game names what it comes from: rules, and so histories, runs and everything that holds rules, are
// of one file or program.
const (
	FileRule    = "file"
	ProgramRule = "program"
)

func (d *Description) checkRules() error {
	if len(d.Rules) > maxRules {
		return strict.Errorf("rules", "%d are more than %d", len(d.Rules), maxRules)
	}
	names := []string{FileRule, ProgramRule}
	for i, r := range d.Rules {
		field := strict.Element("rules", i)
		if !segmentPattern.MatchString(r.Name) || slices.Contains(names, r.Name) {
			return strict.Errorf(field+".name", "invalid name %q: use one like \"max_bid\" that is not taken", r.Name)
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

// Ruleset is how rules of a game are read: a struct with a field for each, the source's first.
type Ruleset struct {
	book     *engine.RuleBook
	defaults reflect.Value
	rules    []rule
}

// NewRuleset returns that of a description. The source is FileRule or ProgramRule with what it may be, a SHA-256.
func NewRuleset(d *Description, source, help, hash string) (*Ruleset, error) {
	book := &engine.RuleBook{Rules: []engine.Rule{{Key: source, Help: help, Values: []string{hash}}}}
	fields := []reflect.StructField{ruleField(0, source, "")}
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
	s := &Ruleset{book, defaults, d.Rules}
	for _, preset := range d.Presets {
		if _, err := s.Read([]byte(preset.Rules)); err != nil {
			return nil, fmt.Errorf("description: preset %s: %w", preset.Name, err)
		}
	}
	return s, nil
}

func ruleField(i int, name string, value any) reflect.StructField {
	tag := reflect.StructTag(fmt.Sprintf(`json:%q yaml:%q`, name, name))
	return reflect.StructField{Name: fmt.Sprintf("Rule%d", i), Type: reflect.TypeOf(value), Tag: tag}
}

// Read reads a document over the defaults and returns the struct.
func (s *Ruleset) Read(document []byte) (rules any, err error) {
	read := reflect.New(s.defaults.Type())
	read.Elem().Set(s.defaults)
	if err := engine.ReadRules(document, read.Interface(), s.book); err != nil {
		return nil, err
	}
	return read.Elem().Interface(), nil
}

// Numbers returns each rule of a struct that Read has returned as a number, without the source: the number itself, 1 or
// 0 for true or false, the place of a text among its values.
func (s *Ruleset) Numbers(rules any) (numbers []int32) {
	for i, r := range s.rules {
		numbers = append(numbers, r.number(reflect.ValueOf(rules).Field(i+1)))
	}
	return numbers
}

// Values returns the rules of a struct that Read has returned by their names, without the source.
func (s *Ruleset) Values(rules any) map[string]any {
	values := map[string]any{}
	for i, r := range s.rules {
		values[r.Name] = reflect.ValueOf(rules).Field(i + 1).Interface()
	}
	return values
}

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
