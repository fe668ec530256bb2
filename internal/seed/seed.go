// Package seed writes and reads seeds in JSON. They have 64 bits, but many programs, jq and JavaScript among them, keep
// a number in 53. A larger seed is therefore written as a string of its digits. Both forms are read.
package seed

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxExact is the largest seed that is written as a number.
const MaxExact = 1<<53 - 1

// Number is a seed in a document that this program has written. A large number is one of an older version.
type Number uint64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) { return Append(nil, uint64(n)), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	seed, _, err := Parse(text)
	*n = Number(seed)
	return err
}

// Asked is a seed in a question of another program. A large number is refused: it may have been rounded.
type Asked uint64

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Asked) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	seed, _, err := Parse(text)
	if err == nil && seed > MaxExact && text[0] != '"' {
		err = fmt.Errorf("the seed %d is above 2^53-1, beyond which programs round numbers: write it in quotes", seed)
	}
	*a = Asked(seed)
	return err
}

// MarshalJSON implements [json.Marshaler].
func (a Asked) MarshalJSON() ([]byte, error) { return Append(nil, uint64(a)), nil }

// Append appends a seed as it is written in JSON.
func Append(dst []byte, seed uint64) []byte {
	if seed <= MaxExact {
		return strconv.AppendUint(dst, seed, 10)
	}
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, seed, 10)
	return append(dst, '"')
}

// Parse reads a seed: a number or a string of digits. rounded says that it is a number such as programs write that have
// read another one and rounded it, so that it may not be the seed that was meant.
func Parse(text []byte) (seed uint64, rounded bool, err error) {
	digits, quoted := bytes.CutPrefix(text, []byte(`"`))
	if quoted {
		digits = bytes.TrimSuffix(digits, []byte(`"`))
	}
	if seed, err = strconv.ParseUint(string(digits), 10, 64); err != nil {
		return 0, false, errors.New("not an integer in 0..2^64-1")
	}
	return seed, !quoted && isRounded(seed), nil
}

// isRounded reports whether a number is what some program writes for a float: exactly, as Python does, with as few
// digits as needed, as JavaScript does, or with 17 digits, as jq does.
func isRounded(n uint64) bool {
	f, digits := float64(n), strconv.FormatUint(n, 10)
	if n <= MaxExact {
		return false
	}
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(f, 'e', 16, 64), "e")
	mantissa = strings.Replace(mantissa, ".", "", 1)
	return strconv.FormatFloat(f, 'f', 0, 64) == digits || strconv.FormatFloat(f, 'f', -1, 64) == digits ||
		strings.TrimRight(mantissa, "0") == strings.TrimRight(digits, "0")
}
