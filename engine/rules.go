package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"croupier/internal/strict"
)

// ReadRules reads a document over rules, a pointer to a struct that holds the defaults: a
// missing key keeps its default, and nil changes nothing. Rules that have a method Validate()
// error are validated; an error made with InRange, OneOf or strict.Errorf is reported with its
// line of the document.
func ReadRules(document *strict.Document, rules any) error {
	err := document.Decode(rules)
	if r, ok := rules.(interface{ Validate() error }); ok && err == nil {
		err = document.Locate(r.Validate())
	}
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	return nil
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
	return strict.Errorf(rule, "%q is none of %s", value, strings.Join(values, ", "))
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
