package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/internal/strict"
)

// baseName is the name of the candidate that is the base settings.
const baseName = "base"

// Range is what a setting is drawn from: one of the fields.
type Range struct {
	Uniform    []float64   `yaml:"uniform"`     // two ends
	LogUniform []float64   `yaml:"log_uniform"` // two positive ends: every order of magnitude is as likely
	Integer    []int       `yaml:"integer"`     // two ends, which are possible
	Choice     []yaml.Node `yaml:"choice"`      // values
}

// expand makes the list of candidates.
func (f *File) expand() error {
	for name := range f.Variants {
		if name == baseName || !variantName.MatchString(name) {
			return strict.Errorf("variants."+name, "a name has up to 40 ASCII letters, digits, dots, - and _, and is not %q",
				baseName)
		}
	}
	f.candidates = []Candidate{{Name: baseName, Settings: []Setting{}}}
	if len(f.Variants) == 0 && len(f.Vary) == 0 {
		return nil // the base is played alone
	}
	variants := f.variants()
	if f.Search.Method != Grid {
		return f.draw(variants)
	}
	return f.combine(variants)
}

// variants returns the named candidates in the order of the file, with one without a name where there are none.
func (f *File) variants() (list []Candidate) {
	for _, name := range inOrder(f.Variants, func(v map[string]yaml.Node) int {
		line := math.MaxInt
		for _, n := range v {
			line = min(line, n.Line)
		}
		return line
	}) {
		list = append(list, Candidate{Name: name, Settings: settingsOf(f.Variants[name])})
	}
	if list == nil {
		list = []Candidate{{}}
	}
	return list
}

// inOrder returns the keys in the order in which they are in the file.
func inOrder[V any](m map[string]V, line func(V) int) []string {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(line(m[a]), line(m[b])), cmp.Compare(a, b)) })
	return keys
}

func lineOf(n yaml.Node) int { return n.Line }

func settingsOf(values map[string]yaml.Node) (list []Setting) {
	for _, name := range inOrder(values, lineOf) {
		list = append(list, Setting{name, flow(values[name])})
	}
	return list
}

// combine adds every combination of the variants with the values of the grid.
func (f *File) combine(list []Candidate) error {
	for _, name := range inOrder(f.Vary, lineOf) {
		node := f.Vary[name]
		if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
			return &strict.Error{Line: node.Line, Field: "vary." + name, Reason: "a grid needs a list of values"}
		}
		if len(list)*len(node.Content) > maxCandidates {
			return strict.Errorf("vary", "the grid has more than %d candidates", maxCandidates)
		}
		var longer []Candidate
		for _, c := range list {
			for _, value := range node.Content {
				longer = append(longer, c.with(Setting{name, flow(*value)}))
			}
		}
		list = longer
	}
	f.candidates = append(f.candidates, list...)
	return nil
}

// draw adds candidates whose settings are drawn, by turns for each variant.
func (f *File) draw(variants []Candidate) error {
	rng := rand.New(rand.NewPCG(f.Search.Seed, 0))
	names := inOrder(f.Vary, lineOf)
	ranges := make([]Range, len(names))
	for i, name := range names {
		node := f.Vary[name]
		refuse := func(why string) error { return &strict.Error{Line: node.Line, Field: "vary." + name, Reason: why} }
		if node.Kind == yaml.SequenceNode {
			ranges[i].Choice = nodes(node.Content)
		} else if err := strict.Node(&node).Decode(&ranges[i]); err != nil {
			return refuse(reason(err))
		}
		if why := ranges[i].check(); why != "" {
			return refuse(why)
		}
	}
	for i := range f.Search.Candidates {
		c := variants[i%len(variants)]
		if c.Name != "" {
			c.Name += ","
		}
		c.Name += "#" + strconv.Itoa(i+1)
		for j, name := range names {
			c.Settings = append(slices.Clone(c.Settings), Setting{name, ranges[j].draw(rng)})
		}
		f.candidates = append(f.candidates, c)
	}
	return nil
}

// with returns the candidate with a further setting, which its name has.
func (c Candidate) with(s Setting) Candidate {
	last := s.Name[strings.LastIndex(s.Name, ".")+1:]
	name := last + "=" + strings.Trim(s.Value, `"`)
	if c.Name != "" {
		name = c.Name + "," + name
	}
	return Candidate{Name: name, Settings: append(slices.Clone(c.Settings), s)}
}

// check reports what is wrong with a range, "" for nothing.
func (r Range) check() string {
	given := 0
	for _, n := range []int{len(r.Uniform), len(r.LogUniform), len(r.Integer), len(r.Choice)} {
		if n > 0 {
			given++
		}
	}
	switch {
	case given != 1:
		return "a range is one of uniform: [a, b], log_uniform: [a, b], integer: [a, b] and choice: [...]"
	case len(r.Choice) > 0:
		return ""
	case len(r.Uniform)+len(r.LogUniform)+len(r.Integer) != 2:
		return "a range has two ends"
	case len(r.Integer) == 2 && r.Integer[0] >= r.Integer[1], len(r.Uniform) == 2 && r.Uniform[0] >= r.Uniform[1],
		len(r.LogUniform) == 2 && r.LogUniform[0] >= r.LogUniform[1]:
		return "the second end of a range is greater than the first"
	case len(r.LogUniform) == 2 && r.LogUniform[0] <= 0:
		return "the ends of log_uniform are greater than 0"
	}
	return ""
}

// drawnDigits are those of a drawn number: as many as anybody would type again.
const drawnDigits = 4

// draw returns a value as YAML.
func (r Range) draw(rng *rand.Rand) string {
	number := func(v float64) string {
		text := strconv.FormatFloat(v, 'g', drawnDigits, 64)
		if !strings.ContainsAny(text, ".") { // 1e-05 is a text to YAML 1.2
			if mantissa, exponent, found := strings.Cut(text, "e"); found {
				text = mantissa + ".0e" + exponent
			}
		}
		return text
	}
	switch {
	case len(r.Uniform) == 2:
		return number(r.Uniform[0] + rng.Float64()*(r.Uniform[1]-r.Uniform[0]))
	case len(r.LogUniform) == 2:
		low, high := math.Log(r.LogUniform[0]), math.Log(r.LogUniform[1])
		return number(math.Exp(low + rng.Float64()*(high-low)))
	case len(r.Integer) == 2:
		return strconv.Itoa(r.Integer[0] + rng.IntN(r.Integer[1]-r.Integer[0]+1))
	}
	return flow(r.Choice[rng.IntN(len(r.Choice))])
}

func nodes(list []*yaml.Node) (values []yaml.Node) {
	for _, n := range list {
		values = append(values, *n)
	}
	return values
}

// flow writes a value on one line, as it is written after an equals sign.
func flow(n yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" {
			return strconv.Quote(n.Value)
		}
		return n.Value
	case yaml.AliasNode:
		return flow(*n.Alias)
	}
	var parts []string
	if n.Kind == yaml.SequenceNode {
		for _, value := range n.Content {
			parts = append(parts, flow(*value))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		parts = append(parts, fmt.Sprintf("%s: %s", flow(*n.Content[i]), flow(*n.Content[i+1])))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
