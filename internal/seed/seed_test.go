package seed

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every seed survives JSON, and no number is written that a reader could round.
func TestSeedsSurvive(t *testing.T) {
	for _, n := range []uint64{0, 7, MaxExact, MaxExact + 1, 1<<63 + 1, 1<<64 - 1} {
		for _, v := range []any{Number(n), Asked(n)} {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			require.Equal(t, n > MaxExact, text[0] == '"', "%s", text)
			var number Number
			require.NoError(t, json.Unmarshal(text, &number))
			require.EqualValues(t, n, number)
			var asked Asked
			require.NoError(t, json.Unmarshal(text, &asked))
			require.EqualValues(t, n, asked)
		}
		var old Number
		require.NoError(t, json.Unmarshal(strconv.AppendUint(nil, n, 10), &old), "of older versions")
		require.EqualValues(t, n, old)
	}
	var given struct{ A, B *Asked }
	require.NoError(t, json.Unmarshal([]byte(`{"A":null,"B":5}`), &given))
	require.Nil(t, given.A)
	require.EqualValues(t, 5, *given.B)
	number := Number(3)
	require.NoError(t, number.UnmarshalJSON([]byte("null")))
	require.EqualValues(t, 3, number)
}

func TestWrongSeeds(t *testing.T) {
	for _, text := range []string{`-1`, `1e3`, `1.5`, `"x"`, `""`, `18446744073709551616`, `true`, `[1]`} {
		var number Number
		require.ErrorContains(t, json.Unmarshal([]byte(text), &number), "not an integer in 0..2^64-1", text)
		var asked Asked
		require.ErrorContains(t, json.Unmarshal([]byte(text), &asked), "not an integer in 0..2^64-1", text)
	}
	var asked Asked
	require.ErrorContains(t, json.Unmarshal([]byte("9007199254740993"), &asked), "write it in quotes")
}

// Whatever a program of 53 bits makes of a large number is recognised: Python's exact form, JavaScript's shortest one,
// and jq's 17 digits. Of untouched numbers only few look like that.
func TestRoundedSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	suspected := 0
	for range 10_000 {
		n := rng.Uint64() | 1<<60
		f := float64(n)
		exact, shortest := strconv.FormatFloat(f, 'f', 0, 64), strconv.FormatFloat(f, 'f', -1, 64)
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', 16, 64), "e+")
		zeros, err := strconv.Atoi(exponent)
		require.NoError(t, err)
		digits := strings.Replace(mantissa, ".", "", 1) + strings.Repeat("0", zeros-16)
		for _, text := range []string{exact, shortest, digits} {
			if _, rounded, err := Parse([]byte(text)); err == nil { // else it became 2^64
				require.True(t, rounded, text)
			}
			_, rounded, _ := Parse([]byte(`"` + text + `"`))
			require.False(t, rounded, "in quotes it is a text")
		}
		if _, rounded, err := Parse(strconv.AppendUint(nil, n, 10)); rounded {
			require.NoError(t, err)
			suspected++
		}
	}
	require.Less(t, suspected, 50)
	_, rounded, err := Parse([]byte("12345678901234567000")) // JavaScript, of 12345678901234567890
	require.NoError(t, err)
	require.True(t, rounded)
}
