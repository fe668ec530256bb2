package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"croupier/internal/strict"
)

// RuleBook describes what can be changed about a game.
type RuleBook struct {
	// Rules has one entry for each key of the rules document, in its order.
	Rules   []Rule
	Presets []Preset // other rules that people play by
}

// Rule is a key of the rules document.
type Rule struct {
	Key  string // with those it is nested in: "bidding.max_bid"
	Help string // what it says, for people, without a full stop
	// Low and High bound a whole number, or each of a list.
	Low, High int
	// Values are what a text may be.
	Values []string
	// Usual are the numbers among which people choose, where they do; see [Rule.Varies].
	Usual []int
}

// Possible writes what the rule may be: "2..8", "true, false".
func (r Rule) Possible() string {
	switch {
	case r.Values != nil:
		return strings.Join(r.Values, ", ")
	case r.Low == 0 && r.High == 0:
		return "true, false"
	}
	return fmt.Sprintf("%d..%d", r.Low, r.High)
}

// mostValues bounds the numbers that are listed because a rule may be any of them.
const mostValues = 64

// Any returns all that the rule may be, given one of its values: true and false, its texts, or numbers, which JSON
// reads as float64; ok is false for lists and for more than 64 numbers.
func (r *Rule) Any(value any) (values []any, ok bool) {
	switch value.(type) {
	case bool:
		return []any{false, true}, true
	case string:
		for _, v := range r.Values {
			values = append(values, v)
		}
	case float64:
		for n := r.Low; n <= r.High && r.High-r.Low < mostValues; n++ {
			values = append(values, n)
		}
	}
	return values, len(values) > 0
}

// Varies returns what people choose among for the rule, given one of its values: the usual numbers, or all that a text
// or a switch may be. ok is false where they do not choose.
func (r *Rule) Varies(value any) (values []any, ok bool) {
	if _, isNumber := value.(float64); !isNumber {
		return r.Any(value)
	}
	for _, n := range r.Usual {
		values = append(values, n)
	}
	return values, len(values) > 0
}

// Preset is a way to play that has a name.
type Preset struct {
	Name     string // as --rules takes it
	Help     string // what is different, for people, without a full stop
	Document string // rules document, YAML
}

// ReadRules reads a YAML document, of which JSON is a part, over rules, a pointer to a struct that holds the defaults:
// a missing key keeps its default, and nil changes nothing. What the book says of each rule is
// checked first, then rules that have a method Validate() error are validated; an error made with
// InRange or OneOf is reported with its line of the document. book is nil for a game whose rules cannot be changed.
func ReadRules(text []byte, rules any, book *RuleBook) error {
	var document *strict.Document
	if json.Valid(text) {
		document = strict.JSON(text) // which has no lines
	} else {
		document = strict.YAML(text)
	}
	err := document.Decode(rules)
	if err == nil && book != nil {
		err = strict.Locate(book.check(rules), document)
	}
	if r, ok := rules.(interface{ Validate() error }); ok && err == nil {
		err = strict.Locate(r.Validate(), document)
	}
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	return nil
}

// check names the first rule that is out of its range.
func (b *RuleBook) check(rules any) error {
	for _, r := range b.Rules {
		if err := r.check(ruleValue(reflect.ValueOf(rules).Elem(), r.Key)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) check(value reflect.Value) error {
	switch value.Kind() {
	case reflect.Int:
		return InRange(r.Key, int(value.Int()), r.Low, r.High)
	case reflect.String:
		return OneOf(r.Key, value.String(), r.Values...)
	case reflect.Array:
		for i := range value.Len() {
			if err := InRange(strict.Element(r.Key, i), int(value.Index(i).Int()), r.Low, r.High); err != nil {
				return err
			}
		}
	}
	return nil
}

// ruleValue returns the field of a rules struct with the key, which must be there.
func ruleValue(s reflect.Value, key string) reflect.Value {
	first, rest, nested := strings.Cut(key, ".")
	for i := range s.NumField() {
		field := s.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			if found := ruleValue(s.Field(i), key); found.IsValid() {
				return found
			}
		case name == first && nested:
			return ruleValue(s.Field(i), rest)
		case name == first:
			return s.Field(i)
		}
	}
	return reflect.Value{}
}

// InRange returns an error that names the rule and its range, or nil if the value is in
// low..high.
func InRange(rule string, value, low, high int) error {
	if value >= low && value <= high {
		return nil
	}
	return strict.Errorf(rule, "%d is not in %d..%d", value, low, high)
}

// OneOf returns an error that names the rule and its values, or nil if the value is one of
// them.
func OneOf(rule, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return strict.Errorf(rule, "%q is not one of %s", value, strings.Join(values, ", "))
}

// RulesHash identifies a game with its rules: the first 8 bytes of the SHA-256 of the name and
// the rules as JSON. Messages carry it, so that roles with different rules refuse each other.
func RulesHash(g Game) [8]byte {
	doc, err := json.Marshal(g.Rules())
	if err != nil {
		panic(fmt.Sprintf("engine: rules of %s do not marshal: %v", g.Spec().Name, err))
	}
	sum := sha256.Sum256(append([]byte(g.Spec().Name+"\n"), doc...))
	return [8]byte(sum[:8])
}
