package family

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/internal/strict"
)

// Keys of rules documents: Key of those that describe families, and in it, next to the rules that vary, DefaultKey of
// the share of the default table, and FixedKey of the list of rules that stay as they are at the default table, though
// a seat sees them as if they varied.
const (
	Key        = "family"
	DefaultKey = "default"
	FixedKey   = "fixed"
)

const (
	defaultShare = 0.5
	usual        = "usual" // the family of what people vary
	anything     = "any"
)

// Is reports whether a rules document, YAML or JSON, describes a family.
func Is(document []byte) bool {
	if !bytes.Contains(document, []byte(Key)) {
		return false
	}
	var root map[string]yaml.Node
	return yaml.Unmarshal(document, &root) == nil && has(root, Key)
}

func has[V any](m map[string]V, key string) bool {
	_, there := m[key]
	return there
}

// description is what a rules document says of a family.
type description struct {
	standard engine.Game    // of the default table
	table    map[string]any // its rules
	share    float64
	varying  []varying
	rules    map[string]any // canonical
}

// read reads the rules document of a family.
func read(newGame func([]byte) (engine.Game, error), document []byte) (*description, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return nil, fmt.Errorf("rules: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(root.Content) == 0 {
		return nil, strict.Errorf(Key, "nothing varies")
	}
	family := cut(root.Content[0], Key)
	rest, err := yaml.Marshal(&root)
	if err != nil {
		return nil, err
	}
	d := &description{share: defaultShare}
	if d.standard, err = newGame(rest); err != nil {
		return nil, strict.WithoutLines(err)
	}
	text, err := json.Marshal(d.standard.Rules())
	if err == nil {
		err = json.Unmarshal(text, &d.table)
	}
	if err != nil {
		return nil, err
	}
	return d, d.readFamily(family)
}

// cut removes a key of a mapping and returns its value.
func cut(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			value := mapping.Content[i+1]
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return value
		}
	}
	return &yaml.Node{}
}

func (d *description) readFamily(node *yaml.Node) error {
	book := d.standard.Spec().Rules
	if book == nil {
		return strict.Errorf(Key, "no rule of %s can vary", d.standard.Spec().Name)
	}
	given := map[string]*yaml.Node{}
	isUsual := node.Kind == yaml.ScalarNode && node.Value == usual
	if !isUsual {
		if err := flatten(node, "", given); err != nil {
			return err
		}
	}
	if isUsual || len(given) == 1 && given[DefaultKey] != nil {
		if err := d.addUsual(book, given); err != nil {
			return err
		}
	}
	if share := given[DefaultKey]; share != nil {
		if err := share.Decode(&d.share); err != nil || !(d.share >= 0 && d.share < 1) {
			return strict.Errorf(Key+"."+DefaultKey, "%s is not a share of at least 0 and below 1", share.Value)
		}
		delete(given, DefaultKey)
	}
	fixed, err := readFixed(given)
	if err != nil {
		return err
	}
	tables := 1
	canonical := map[string]any{DefaultKey: d.share}
	if len(fixed) > 0 {
		canonical[FixedKey] = fixed
	}
	for _, r := range book.Rules {
		node := given[r.Key]
		if node == nil {
			continue
		}
		delete(given, r.Key)
		v, err := d.values(&r, node)
		if err != nil {
			return err
		}
		if tables *= len(v.values); tables > MaxTables {
			return strict.Errorf(Key, "it has more than %d tables: let fewer rules vary, or between fewer values", MaxTables)
		}
		if slices.Contains(fixed, r.Key) {
			v.fixed = d.lookup(r.Key)
		}
		d.varying = append(d.varying, v)
		canonical[r.Key] = v.values
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		return strict.Errorf(Key+"."+key, "there is no such rule; the rules are %s",
			strings.Join(collect(book.Rules, func(r engine.Rule) string { return r.Key }), ", "))
	}
	for _, key := range fixed {
		if !slices.ContainsFunc(d.varying, func(v varying) bool { return v.key == key }) {
			return strict.Errorf(Key+"."+FixedKey, "%s is not among the rules of the family", key)
		}
	}
	if len(d.varying) == 0 {
		return strict.Errorf(Key, "nothing varies")
	}
	d.rules = maps.Clone(d.table)
	d.rules[Key] = canonical
	return nil
}

// readFixed takes out the names of the fixed rules, sorted.
func readFixed(given map[string]*yaml.Node) (keys []string, err error) {
	node := given[FixedKey]
	if node == nil {
		return nil, nil
	}
	delete(given, FixedKey)
	if err := node.Decode(&keys); err != nil {
		return nil, strict.Errorf(Key+"."+FixedKey, "it is not a list of rules")
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// addUsual adds what people vary.
func (d *description) addUsual(book *engine.RuleBook, to map[string]*yaml.Node) error {
	for _, r := range book.Rules {
		if values, ok := r.Varies(d.lookup(r.Key)); ok {
			var list yaml.Node
			if err := list.Encode(values); err != nil {
				return err
			}
			to[r.Key] = &list
		}
	}
	return nil
}

// flatten finds the leaves of a mapping by their keys.
func flatten(node *yaml.Node, path string, into map[string]*yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return strict.Errorf(Key, "it is neither a mapping of rules to their values nor %q", usual)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if path != "" {
			key = path + "." + key
		}
		if value := node.Content[i+1]; value.Kind != yaml.MappingNode {
			into[key] = value
		} else if err := flatten(value, key, into); err != nil {
			return err
		}
	}
	return nil
}

// values reads what a rule may be: a list, "2..8", or "any".
func (d *description) values(r *engine.Rule, node *yaml.Node) (v varying, err error) {
	v.key = r.Key
	field := Key + "." + r.Key
	own := d.lookup(r.Key)
	low, high, isRange := strings.Cut(node.Value, "..")
	switch {
	case node.Kind == yaml.SequenceNode:
		if err := node.Decode(&v.values); err != nil {
			return v, strict.Errorf(field, "%v", err)
		}
	case node.Value == anything:
		var ok bool
		if v.values, ok = r.Any(own); !ok {
			return v, strict.Errorf(field, "it can be too many numbers for %q: give a list", anything)
		}
	case isRange:
		from, err1 := strconv.Atoi(strings.TrimSpace(low))
		to, err2 := strconv.Atoi(strings.TrimSpace(high))
		if err1 != nil || err2 != nil || from > to || to-from >= MaxTables {
			return v, strict.Errorf(field, "%q is not a range like 2..8", node.Value)
		}
		for n := from; n <= to; n++ {
			v.values = append(v.values, n)
		}
	default:
		return v, strict.Errorf(field, "it is not a list of values, a range like 2..8, or %q", anything)
	}
	if len(v.values) < 2 {
		return v, strict.Errorf(field, "a rule that varies has at least two values")
	}
	seen := map[any]bool{}
	for i, x := range v.values {
		switch n := x.(type) {
		case int:
			x = float64(n)
		case string, bool, float64:
		default:
			return v, strict.Errorf(field, "its values are numbers, texts, or true and false")
		}
		if fmt.Sprintf("%T", x) != fmt.Sprintf("%T", own) {
			return v, strict.Errorf(field, "%v is not of the kind of %v", x, own)
		}
		if seen[x] {
			return v, strict.Errorf(field, "%v appears twice", x)
		}
		seen[x], v.values[i] = true, x
	}
	return v, nil
}

// lookup returns the default table's value of a rule; nil: it is no value that can vary.
func (d *description) lookup(key string) any {
	var at any = d.table
	for _, part := range strings.Split(key, ".") {
		inner, is := at.(map[string]any)
		if !is {
			return nil
		}
		at = inner[part]
	}
	return at
}

// under returns the rules document of a combination of values.
func (d *description) under(combination []int) ([]byte, error) {
	rules := clone(d.table)
	for i, value := range combination {
		at := rules
		parts := strings.Split(d.varying[i].key, ".")
		for _, part := range parts[:len(parts)-1] {
			at = at[part].(map[string]any)
		}
		at[parts[len(parts)-1]] = d.varying[i].values[value]
	}
	return json.Marshal(rules)
}

// clone copies nested mappings.
func clone(m map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range m {
		if inner, is := value.(map[string]any); is {
			value = clone(inner)
		}
		out[key] = value
	}
	return out
}
