package strictyaml

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
}

type inner struct {
	Depth int `yaml:"depth"`
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
		require.NoError(t, Decode([]byte(document), &got), "%q", document)
		require.Equal(t, want, got, "%q", document)
	}
}

func TestDecodeNamesLineAndMistake(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", ") + "]\n"
	}
	for document, message := range map[string]string{
		"epochs: 4\nepoch: 3":                    `line 2: unknown key "epoch"`,
		"inner:\n  depth: 1\n  dept:":            `line 3: unknown key "dept"`,
		"epoch: 1\nname: []":                     `line 1: unknown key "epoch"; line 2: a list is not a text`,
		"epochs: 4\nepochs: 3":                   `line 2: mapping key "epochs" already defined at line 1`,
		"epochs: four":                           `line 1: "four" is not a whole number`,
		"epochs: 2.7":                            "line 1: 2.7 is not a whole number",
		"inner:\n  depth: 2.5":                   "line 2: 2.5 is not a whole number",
		"sizes: [1, 2.5]":                        "line 1: 2.5 is not a whole number",
		"pays: {a: 1, b: 2.5}":                   "line 1: 2.5 is not a whole number",
		"count: -1":                              `line 1: "-1" is not a whole number from 0 on`,
		"rate: much":                             `line 1: "much" is not a number`,
		"on: 3":                                  `line 1: "3" is not true or false`,
		"interval: 30":                           `line 1: "30" is not a duration like 30s`,
		"sizes: 3":                               `line 1: "3" is not a list`,
		"inner: 3":                               `line 1: "3" is not a mapping`,
		"inner: [3]":                             `line 1: a list is not a mapping`,
		"3":                                      `line 1: "3" is not a mapping`,
		"epochs: 1\n---\nepochs: 2":              "more than one document",
		"epochs: [":                              "line 1: did not find expected node content",
		"epochs: *x":                             "unknown anchor 'x' referenced",
		bomb:                                     `line 1: unknown key "a"`,
		"name: " + strings.Repeat("x", MaxBytes): "more than the limit",
		strings.Repeat("[", MaxBytes):            "exceeded max depth",
	} {
		err := Decode([]byte(document), &settings{})
		require.ErrorContains(t, err, message, "%.60q", document)
		require.NotContains(t, err.Error(), "\n", "%.60q", document)
	}
}
