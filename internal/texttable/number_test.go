package texttable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersHaveNoExponentsAndNoSignedZero(t *testing.T) {
	for _, test := range []struct {
		v    float64
		want string
	}{{0, "0.0000"}, {-1e-9, "0.0000"}, {-0.00006, "-0.0001"}, {1234567.5, "1234567.5000"}, {1e-5, "0.0000"}} {
		require.Equal(t, test.want, Number(test.v, 4))
	}
	require.Equal(t, "0", Number(-0.3, 0))
	for _, test := range []struct {
		v    float64
		want string
	}{{0, "0"}, {9.9e-7, "below 0.000001"}, {1e-6, "0.000001"}, {0.25, "0.250000"}} {
		require.Equal(t, test.want, Size(test.v, 6))
	}
}
