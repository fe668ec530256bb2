package sealed

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

type entry struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
}

func TestEveryFlippedBitIsSeen(t *testing.T) {
	want := entry{7, "seven"}
	line, err := Line(want)
	require.NoError(t, err)
	var got entry
	require.True(t, Open(line, &got))
	require.Equal(t, want, got)
	for i := range len(line) - 1 {
		for bit := range 8 {
			damaged := bytes.Clone(line)
			damaged[i] ^= 1 << bit
			var e entry
			// A letter of the checksum in capitals is the same number.
			require.False(t, Open(damaged, &e) && e != want, "byte %d, bit %d", i, bit)
		}
		require.False(t, Open(line[:i], &got), "half a line")
	}
	_, err = Line(struct{}{})
	require.Error(t, err)
	_, err = Line(1)
	require.Error(t, err)
}
