package nn

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"croupier/internal/strict"
)

const fullDescription = `
encoders:
  - segments: [s2, s0]
    dense: [9, 7]
attention: {segments: [s3, s0], tokens: 4, size: 6, heads: 2, output: 3}
dense: [13]
lstm: [11, 5]
policy_hidden: [6]
heads:
  - groups: [g1]
    dense: [5, 4]
value_hidden: [8]
`

func TestParseDescription(t *testing.T) {
	d, err := ParseDescription([]byte(fullDescription))
	require.NoError(t, err)
	require.Equal(t, allLayers, d)
	require.NoError(t, d.Validate(allLayersSpec))

	d, err = ParseDescription(nil)
	require.NoError(t, err)
	require.Equal(t, Description{}, d)
}

func TestDescriptionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDescription(t, drawSpec(t))
		for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
			doc, err := marshal(d)
			require.NoError(t, err)
			got, err := ParseDescription(doc)
			require.NoError(t, err)
			again, err := marshal(got)
			require.NoError(t, err)
			require.Equal(t, string(doc), string(again))
		}
	})
}

func TestParseDescriptionRefuses(t *testing.T) {
	for _, test := range []struct{ name, doc, message string }{
		{"unknown key", "dense: [1]\ndens: [2]", "line 2: dens: unknown key"},
		{"unknown key of an encoder", "encoders:\n- segments: [s0]\n  lstm: [1]", "line 3: encoders[0].lstm: unknown key"},
		{"repeated key", "dense: [1]\ndense: [2]", "line 2: dense: appears twice, first in line 1"},
		{"wrong type", "dense: many", "is not a list"},
		{"second document", "dense: [1]\n---\nlstm: [1]", "more than one document"},
		{"no YAML", "dense: [1", "did not find expected"},
		{"too long", strings.Repeat("#", strict.MaxBytes+1), "more than the limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseDescription([]byte(test.doc))
			require.ErrorContains(t, err, "network description: ")
			require.ErrorContains(t, err, test.message)
		})
	}
}

func TestDescriptionValidateNamesTheField(t *testing.T) {
	many := make([]int, maxLayers+1)
	for _, test := range []struct {
		message string
		change  func(d *Description)
	}{
		{"encoders[0].dense: an encoder needs at least one layer", func(d *Description) { d.Encoders[0].Dense = nil }},
		{"encoders[0].dense[1]: size -1", func(d *Description) { d.Encoders[0].Dense = []int{1, -1} }},
		{"encoders[0].segments: there must be at least one segment", func(d *Description) { d.Encoders[0].Segments = nil }},
		{`encoders[0].segments[1]: fake has no segment "bank", only s0, s1, s2, s3`,
			func(d *Description) { d.Encoders[0].Segments[1] = "bank" }},
		{`encoders[0].segments[1]: segment "s2" is already in encoders[0]`,
			func(d *Description) { d.Encoders[0].Segments[1] = "s2" }},
		{"encoders: 33 is more than the limit", func(d *Description) { d.Encoders = make([]Encoder, 33) }},
		{"dense[0]: size 0 is not in 1..8192", func(d *Description) { d.Dense[0] = 0 }},
		{"dense: 33 layers are more", func(d *Description) { d.Dense = many }},
		{"lstm[1]: size 8193", func(d *Description) { d.LSTM[1] = maxLayerSize + 1 }},
		{"attention.segments: there must be at least one segment", func(d *Description) { d.Attention.Segments = nil }},
		{`attention.segments[0]: fake has no segment "card"`, func(d *Description) { d.Attention.Segments[0] = "card" }},
		{`attention.segments[1]: segment "s3" is already in attention`,
			func(d *Description) { d.Attention.Segments[1] = "s3" }},
		{`attention.segments[1]: segment "s1" has 10 elements and not one for each of 4 tokens`,
			func(d *Description) { d.Attention.Segments[1] = "s1" }},
		{`attention.segments[0]: segment "s3" has 4 elements and not one for each of 5 tokens`,
			func(d *Description) { d.Attention.Tokens = 5 }},
		{"attention.size: 0 is not in 1..8192", func(d *Description) { d.Attention.Size = 0 }},
		{"attention.heads: 4 heads do not divide the size 6", func(d *Description) { d.Attention.Heads = 4 }},
		{"attention.heads: 0 heads", func(d *Description) { d.Attention.Heads = 0 }},
		{"attention.output: 8193 is not", func(d *Description) { d.Attention.Output = maxLayerSize + 1 }},
		{"heads: 33 is more than the limit", func(d *Description) { d.Heads = make([]Head, 33) }},
		{"heads[0].groups: there must be at least one group", func(d *Description) { d.Heads[0].Groups = nil }},
		{`heads[0].groups[0]: fake has no group "bid", only g0, g1, g2`,
			func(d *Description) { d.Heads[0].Groups[0] = "bid" }},
		{`heads[1].groups[0]: group "g1" is already in heads[0]`,
			func(d *Description) { d.Heads = append(d.Heads, d.Heads[0]) }},
		{"heads[0].dense[1]: size 0", func(d *Description) { d.Heads[0].Dense[1] = 0 }},
		{"policy_hidden[0]: size 0", func(d *Description) { d.PolicyHidden[0] = 0 }},
		{"value_hidden[0]: size 0", func(d *Description) { d.ValueHidden[0] = 0 }},
	} {
		t.Run(test.message, func(t *testing.T) {
			d, err := ParseDescription([]byte(fullDescription))
			require.NoError(t, err)
			test.change(&d)
			require.ErrorContains(t, d.Validate(allLayersSpec), "network description: "+test.message)
			_, err = NewLayout(d, allLayersSpec)
			require.ErrorContains(t, err, test.message)
		})
	}
}

// Tests that need every kind of layer take them from here.
func TestAllLayersHasEveryKind(t *testing.T) {
	fields := reflect.ValueOf(allLayers)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if name != "Outputs" && name != "Dueling" {
			require.False(t, fields.Field(i).IsZero(), "allLayers has no %s, and drawDescription perhaps neither", name)
		}
	}
}

// The example in the documentation is a complete and valid description.
func TestDocumentedDescription(t *testing.T) {
	doc, err := os.ReadFile("../docs/reference/networks.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(doc), "```yaml\n")
	require.True(t, found)
	example, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	d, err := ParseDescription([]byte(example))
	require.NoError(t, err)

	spec := makeSpec([]int{3, 3, 8, 24, 24}, []int{2, 4})
	for i, name := range []string{"scores", "active", "history", "hand", "table"} {
		spec.Segments[i].Name = name
	}
	spec.ActionGroups[0].Name = "bid"
	require.NoError(t, d.Validate(spec))
	fields := reflect.ValueOf(d)
	for i := range fields.NumField() {
		require.False(t, fields.Field(i).IsZero(), "%s is not in the example", fields.Type().Field(i).Name)
	}
}
