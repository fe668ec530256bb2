package strict

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type settings struct {
	Epochs   int            `yaml:"epochs"`
	Count    uint64         `yaml:"count"`
	Rate     float64        `yaml:"rate"`
	On       bool           `yaml:"on"`
	Name     string         `yaml:"name"`
	Interval time.Duration  `yaml:"interval"`
	Sizes    []int          `yaml:"sizes"`
	Pays     map[string]int `yaml:"pays"`
	Inner    inner          `yaml:"inner"`
	Small    int8           `yaml:"small"`
	Pair     [2]int         `yaml:"pair"`
}

type inner struct {
	Depth int `yaml:"depth" json:"depth"`
}

func TestDecodeKeepsWhatIsMissing(t *testing.T) {
	for document, want := range map[string]settings{
		"":                             {Epochs: 3, Name: "x"},
		"~":                            {Epochs: 3, Name: "x"},
		"epochs: 4.0":                  {Epochs: 4, Name: "x"},
		`{"count": 1e3, "name": "y"}`:  {Epochs: 3, Count: 1000, Name: "y"},
		"sizes: &s [1, 2]\nrate: 1":    {Epochs: 3, Name: "x", Sizes: []int{1, 2}, Rate: 1},
		"inner:\n  depth: 2\non: true": {Epochs: 3, Name: "x", Inner: inner{2}, On: true},
		"interval: 1m30s":              {Epochs: 3, Name: "x", Interval: 90 * time.Second},
	} {
		got := settings{Epochs: 3, Name: "x"}
		require.NoError(t, YAML(document).Decode(&got), "%q", document)
		require.Equal(t, want, got, "%q", document)
	}
}

func TestDecodeNamesLineAndMistake(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", ") +
			"]\n"
	}
	for document, message := range map[string]string{
		"epochs: 4\nepoch: 3":                    `line 2: epoch: unknown key (did you mean epochs?); the keys are epochs, count, rate, on, name, interval, sizes, pays, inner, small, pair`,
		"inner:\n  depth: 1\n  dept:":            `line 3: inner.dept: unknown key; the only one is depth`,
		"epoch: 1\nname: []":                     `pair; line 2: name: a list is not a text`,
		"epochs: 4\nepochs: 3":                   `line 2: epochs: appears twice, first in line 1`,
		"epochs: four":                           `line 1: epochs: "four" is not a whole number`,
		"epochs: 2.7":                            "line 1: epochs: 2.7 is not a whole number",
		"inner:\n  depth: 2.5":                   "line 2: inner.depth: 2.5 is not a whole number",
		"sizes: [1, 2.5]":                        "line 1: sizes[1]: 2.5 is not a whole number",
		"pays: {a: 1, b: 2.5}":                   "line 1: pays.b: 2.5 is not a whole number",
		"count: -1":                              `line 1: count: -1 is not a whole number from 0 on`,
		"rate: much":                             `line 1: rate: "much" is not a number`,
		"on: 3":                                  `line 1: on: 3 is not true or false`,
		"interval: 30":                           `line 1: interval: 30 is not a duration like 30s`,
		"sizes: 3":                               `line 1: sizes: 3 is not a list`,
		"inner: 3":                               `line 1: inner: 3 is not a mapping`,
		"inner: [3]":                             `line 1: inner: a list is not a mapping`,
		"3":                                      `line 1: 3 is not a mapping`,
		"small: 300":                             "line 1: small: 300 is out of range",
		"epochs: 1e30":                           "line 1: epochs: 1e30 is out of range",
		"epochs: 99999999999999999999":           "line 1: epochs: 99999999999999999999 is out of range",
		"rate: .nan":                             "line 1: rate: .nan is not a number",
		"rate: .inf":                             "line 1: rate: .inf is not a number",
		"epochs: \"4\"":                          `line 1: epochs: "4" is not a whole number`,
		"pays: {a: 1, a: 2}":                     "line 1: pays.a: appears twice",
		"pair: [1, 2, 3]":                        "line 1: pair: 3 values, there must be 2",
		"? [1]\n: 2":                             "line 1: a list is not a key",
		"Epochs: 3":                              "line 1: Epochs: unknown key",
		"inner: &a [1]\npays: {x: *a}":           "line 1: inner: a list is not a mapping",
		"sizes: &a [*a]":                         "sizes[0]: a list is not a whole number",
		"epochs: 1\n---\nepochs: 2":              "more than one document",
		"epochs: [":                              "line 1: did not find expected node content",
		"epochs: *x":                             "unknown anchor 'x' referenced",
		bomb:                                     `line 1: a: unknown key`,
		"name: " + strings.Repeat("x", MaxBytes): "more than the limit",
		strings.Repeat("[", MaxBytes):            "exceeded max depth",
	} {
		err := YAML(document).Decode(&settings{})
		require.ErrorContains(t, err, message, "%.60q", document)
		require.NotContains(t, err.Error(), "\n", "%.60q", document)
	}
}

func TestNilIsAnEmptyDocument(t *testing.T) {
	var d *Document
	got := settings{Epochs: 3}
	require.NoError(t, d.Decode(&got))
	require.Equal(t, settings{Epochs: 3}, got)
	require.NoError(t, Locate(nil, d))
	require.Nil(t, Node(&yaml.Node{}))
}

// A part of a document, with another document's parts behind it, keeps its own lines.
func TestNodeKeepsItsLines(t *testing.T) {
	var file struct {
		Inner yaml.Node            `yaml:"inner"`
		Rest  map[string]yaml.Node `yaml:"rest"`
	}
	require.NoError(t, YAML("# mine\nrest: {a: [1]}\ninner:\n\n  depth: deep").Decode(&file))
	require.Equal(t, yaml.SequenceNode, file.Rest["a"].Kind)
	require.EqualError(t, Node(&file.Inner).Decode(new(inner)), `line 5: depth: "deep" is not a whole number`)
	file.Inner.Content[1].Value, file.Inner.Content[1].Tag = "4", "!!int"
	require.NoError(t, Node(&file.Inner).Decode(new(inner)))
	located := Locate(fmt.Errorf("rules: %w", Errorf("depth", "4 is not in 1..3")), Node(&file.Inner))
	require.EqualError(t, located, "line 5: depth: 4 is not in 1..3")
	file.Inner.Content[0].Line = 0
	require.EqualError(t, Locate(Errorf("depth", "no"), Node(&file.Inner)), "depth: no", "from elsewhere")
}

func TestLocate(t *testing.T) {
	d := YAML("sizes:\n- 1\n- 2\ninner:\n  depth: 3\npays: {777: 1}")
	for field, want := range map[string]string{
		"sizes[1]": "line 3: sizes[1]: no", "sizes[2]": "sizes[2]: no", "inner.depth": "line 5: inner.depth: no",
		"pays.777": "line 6: pays.777: no", "inner": "line 4: inner: no", "name": "name: no", "": "no",
		"sizes.x": "sizes.x: no",
	} {
		require.EqualError(t, Locate(Errorf(field, "no"), d), want)
	}
	require.EqualError(t, Locate(Errorf("name", "no"), JSON(`{"name": "x"}`)), "name: no")
	require.EqualError(t, YAML("epochs: x").WithoutLines().Decode(new(settings)), `epochs: "x" is not a whole number`)
}

// What people can send to the page costs little time, whatever it is.
func TestHostileDocumentsAreRefusedSoon(t *testing.T) {
	var nested struct {
		Lists [][]string `yaml:"lists"`
	}
	repeat := func(text string) string { return strings.Repeat(text, MaxBytes/len(text)-10) }
	for name, document := range map[string]string{
		"lists in lists":     repeat("["),
		"mappings":           repeat("{a: "),
		"sequences":          repeat("- "),
		"aliases":            "lists:\n- &a [" + strings.Repeat("x,", 5000) + "]\n" + strings.Repeat("- *a\n", 10000),
		"an alias of itself": "lists: &a [*a]",
		"unknown keys":       "{" + strings.Repeat("k: 1, ", 10000) + "}",
	} {
		start := time.Now()
		err := YAML(document).Decode(&nested)
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 2000, name)
		require.Less(t, time.Since(start), 2*time.Second, name)
	}
}

// What is kept as it stands, to be read later, ends as well.
func TestHostileNodesAreRefused(t *testing.T) {
	var kept struct {
		Rules yaml.Node `yaml:"rules"`
	}
	for name, document := range map[string]string{
		"aliases":            "rules:\n- &a [" + strings.Repeat("x,", 5000) + "]\n" + strings.Repeat("- *a\n", 10000),
		"an alias of itself": "rules: &a [*a]",
		"a key of itself":    "rules: &a {? *a : 1}",
	} {
		require.ErrorContains(t, YAML(document).Decode(&kept), "its aliases stand for more than", name)
	}
}

func FuzzYAML(f *testing.F) {
	f.Add([]byte("epochs: 3\ninner: &a {depth: 1}\nsizes: [1, 2]\npays: {a: 1}\ninterval: 30s"))
	f.Fuzz(func(t *testing.T, document []byte) {
		var s settings
		if err := YAML(document).Decode(&s); err != nil {
			require.ErrorAs(t, err, new(*Error), "%v", err)
			require.NotContains(t, err.Error(), "\n")
		}
	})
}

// Parts of a document need not know where they stand: their errors get the path, the file and the line from those who
// do.
func TestErrorsOfParts(t *testing.T) {
	require.NoError(t, Under("a", nil))
	require.NoError(t, Join(nil, nil))
	part := Join(nil, Errorf("rate", "it is negative"), Between("low", "high", "it is above high"),
		fmt.Errorf("something else"))
	d := YAML("inner:\n  rate: -1\n  high: 3\n").From("run.yaml")
	err := Locate(Under("inner", part), d)
	require.Equal(t, "run.yaml:2: inner.rate: it is negative; run.yaml:3: inner.low: it is above high; something else",
		err.Error())
	require.EqualError(t, Under("inner", fmt.Errorf("it is wrong")), "inner: it is wrong")
	require.EqualError(t, YAML("a: [").From("run.yaml").Decode(&settings{}),
		"run.yaml:1: did not find expected node content")

	var s settings
	require.NoError(t, YAML("depth: 4").Under("inner").Decode(&s))
	require.Equal(t, 4, s.Inner.Depth)
	require.NoError(t, YAML("").Under("inner").Decode(&s))
	s.Sizes, s.Pays = []int{1}, map[string]int{"a": 1}
	require.NoError(t, YAML("sizes: null\npays: null\nepochs: null").Decode(&s))
	require.Empty(t, s.Sizes)
	require.Empty(t, s.Pays)
}

// A reader that need not know everything is given what it does not know; whatever else is wrong remains a mistake.
func TestUnknownKeysThatAreIgnored(t *testing.T) {
	var s settings
	var unknown []string
	ignore := func(field string, value *yaml.Node) bool {
		unknown = append(unknown, field+"="+value.Value)
		return field != "inner.depths"
	}
	require.NoError(t, YAML("epochs: 3\nluck: 2\ninner:\n  depth: 4\n  width: 5\n").Ignoring(ignore).Decode(&s))
	require.Equal(t, []string{"luck=2", "inner.width=5"}, unknown)
	require.Equal(t, 4, s.Inner.Depth)
	require.Equal(t, 3, s.Epochs)
	err := YAML("luck: 2\nepochs: many\ninner: {depths: 1}").Ignoring(ignore).Decode(&s)
	require.ErrorContains(t, err, `line 2: epochs: "many" is not a whole number`)
	require.ErrorContains(t, err, "line 3: inner.depths: unknown key")
	require.NotContains(t, err.Error(), "luck")
}

// Sections that a program learns of when it begins are pointers in a map, which is inlined.
func TestInlinedMap(t *testing.T) {
	type section struct {
		Rate float64 `yaml:"rate"`
	}
	type document struct {
		Name string         `yaml:"name"`
		More map[string]any `yaml:",inline"`
	}
	own, other := &section{0.5}, &section{1}
	d := document{More: map[string]any{"own": own, "other": other}}
	require.NoError(t, YAML("name: x\nown: {rate: 0.25}").Decode(&d))
	require.Equal(t, []any{"x", 0.25, 1.0}, []any{d.Name, own.Rate, other.Rate})
	require.ErrorContains(t, YAML("own: {rates: 1}").Decode(&d), "line 1: own.rates: unknown key; the only one is rate")
	require.ErrorContains(t, YAML("others: {}").Decode(&d),
		"line 1: others: unknown key (did you mean other?); the keys are name, other, own")
	written, err := yaml.Marshal(d)
	require.NoError(t, err)
	again := document{More: map[string]any{"own": &section{}, "other": &section{}}}
	require.NoError(t, YAML(written).DecodeWhole(&again))
	require.Equal(t, d, again)
}
