package strict

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type shape struct {
	Count   int8     `json:"count"`
	Names   []string `json:"names"`
	On      bool     `json:"on,omitempty"`
	Inner   []inner  `json:"inner,omitempty"`
	Maybe   *int     `json:"maybe,omitempty"`
	Nothing int      `json:"nothing,omitempty"`
	Written []int    `json:"written" strict:"optional"`
}

func TestDecodeWhole(t *testing.T) {
	got, three := shape{Nothing: 7}, 3
	require.NoError(t, JSON(` {"names": ["a", "b"], "count": -4, "inner": [{"depth": 1}], "maybe": 3} `).DecodeWhole(&got))
	require.Equal(t, shape{Count: -4, Names: []string{"a", "b"}, Inner: []inner{{1}}, Maybe: &three, Nothing: 7}, got)
}

func TestDecodeWholeNamesTheField(t *testing.T) {
	for document, message := range map[string]string{
		``:                             "the document is empty",
		`[]`:                           "a list is not an object",
		`{"count": 1`:                  "not JSON: its JSON is cut off",
		`{"count": 1, "names": []`:     "not JSON: its JSON is cut off",
		`{"count": 1, "names": []} {}`: "there is something after the JSON value",
		`{"count": 1}`:                 "names: is missing",
		`{"Count": 1, "names": []}`:    "Count: unknown key (did you mean count?); the keys are count, names, on, inner, maybe, nothing, written",
		`{"count": 1, "count": 2}`:     "count: appears twice",
		`{"count": 1.5, "names": []}`:  "count: 1.5 is not a whole number",
		`{"count": 1e3, "names": []}`:  "count: 1e3 is out of range",
		`{"count": 128, "names": []}`:  "count: 128 is out of range",
		`{"count": 99999999999999999999, "names": []}`:      "is out of range",
		`{"count": "1", "names": []}`:                       `count: "1" is not a whole number`,
		`{"count": null, "names": []}`:                      "count: null is not a whole number",
		`{"count": 1, "names": "a"}`:                        `names: "a" is not a list`,
		`{"count": 1, "names": ["a", 2]}`:                   "names[1]: 2 is not a text",
		`{"count": 1, "names": [], "on": 1}`:                "on: 1 is not true or false",
		`{"count": 1, "names": [], "inner": [1]}`:           "inner[0]: 1 is not an object",
		`{"count": 1, "names": [], "inner": [{}]}`:          "inner[0].depth: is missing",
		`{"count": 1, "names": [], "inner": [{"deep": 1}]}`: "inner[0].deep: unknown key; the only one is depth",
		strings.Repeat("[", 100):                            "nested too deeply",
		strings.Repeat(" ", MaxBytes+1):                     "more than the limit",
	} {
		err := JSON(document).DecodeWhole(&shape{})
		require.ErrorContains(t, err, message, "%.80q", document)
		require.NotContains(t, err.Error(), "\n")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"count": 1, "names": ["a"], "inner": [{"depth": 2}], "maybe": 1}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		var s shape
		if err := JSON(document).DecodeWhole(&s); err != nil {
			require.ErrorAs(t, err, new(*Error), "%v", err)
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
