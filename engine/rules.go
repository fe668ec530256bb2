package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"croupier/internal/strictyaml"
)

// DecodeRules reads a YAML or JSON document strictly (package strictyaml) into
// rules, a pointer to a struct that holds the defaults: a missing key keeps its
// default. An empty document changes nothing.
func DecodeRules(document []byte, rules any) error {
	if err := strictyaml.Decode(document, rules); err != nil {
		return fmt.Errorf("rules: %w", err)
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
