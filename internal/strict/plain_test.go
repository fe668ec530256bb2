package strict_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/strict"
)

// Errors about JSON say where or which field, in no programmer's words.
func TestJSONThatCannotBeReadIsExplained(t *testing.T) {
	type part struct {
		Games int `json:"games"`
	}
	type document struct {
		Name string `json:"name"`
		Part part   `json:"part"`
	}
	for text, want := range map[string]string{
		"":                          "its JSON is cut off",
		`{"name": "x`:               "its JSON is cut off",
		`{"name": x}`:               "it is not JSON from byte 10 on",
		"\xd6lfleck":                "it is not JSON from byte 1 on",
		`{} {}`:                     "it is not JSON from byte 4 on",
		`[]`:                        "the JSON is of the wrong kind (array)",
		`{"name": 3}`:               "name: a number is of the wrong kind",
		`{"part": {"games": "a"}}`:  "part.games: a string is of the wrong kind",
		`{"part": {"games": 1e40}}`: "part.games: a number 1e40 is of the wrong kind",
	} {
		require.EqualError(t, strict.Unmarshal([]byte(text), &document{}), want, text)
	}
	var d document
	require.NoError(t, strict.Unmarshal([]byte(`{"name": "Ö", "part": {"games": 3}}`), &d))
	require.Equal(t, document{"Ö", part{3}}, d)
	decoder := json.NewDecoder(strings.NewReader(`{"name": "x", "games": 3}`))
	decoder.DisallowUnknownFields()
	require.EqualError(t, strict.PlainJSON(decoder.Decode(&document{})), "games: unknown key")
	require.NoError(t, strict.PlainJSON(nil))
	other := errors.New("something else")
	require.Equal(t, other, strict.PlainJSON(other))
}
