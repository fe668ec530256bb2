package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

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

var callPattern = regexp.MustCompile(`^([a-z][a-z0-9-]*)(?:\(([^()]*)\))?$`)

// ParseCall splits a bot's name such as "threshold(100)" into "threshold" and its
// numbers; a name without brackets has none.
func ParseCall(s string) (name string, args []float64, err error) {
	m := callPattern.FindStringSubmatch(s)
	if m == nil {
		return "", nil, fmt.Errorf("%q is not a name like \"random\" or \"threshold(100)\"", s)
	}
	if m[2] == "" {
		return m[1], nil, nil
	}
	for _, part := range strings.Split(m[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", nil, fmt.Errorf("%q: %q is not a number", s, part)
		}
		args = append(args, v)
	}
	return m[1], args, nil
}
