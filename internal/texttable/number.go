package texttable

import (
	"math"
	"strconv"
	"strings"
)

// Number writes a number with that many decimals: never with an exponent, and 0 never with a
// sign.
func Number(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Size writes a number that is not negative, like an error or a bound, with that many decimals:
// just "0" if there is nothing, and "below 0.0001" if there is less than can be shown.
func Size(v float64, decimals int) string {
	least := math.Pow10(-decimals)
	switch {
	case v == 0:
		return "0"
	case v < least:
		return "below " + Number(least, decimals)
	}
	return Number(v, decimals)
}
