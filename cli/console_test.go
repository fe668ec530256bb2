package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		parts []string
		width int
		want  []string
	}{
		{nil, 10, nil},
		{[]string{"one", "two"}, 9, []string{"one | two"}},
		{[]string{"one", "two"}, 8, []string{"one", "two"}},
		{[]string{"a", "b", "…", "d"}, 9, []string{"a | b | …", "d"}},
		{[]string{"too long a part", "x"}, 8, []string{"too long", "x"}},
	} {
		require.Equal(t, test.want, wrap(test.parts, test.width))
	}
}

func TestConsoleKeepsTheStatusBelow(t *testing.T) {
	var out bytes.Buffer
	c := &console{out: &out, live: true}
	_, err := c.Write([]byte("first\n"))
	require.NoError(t, err)
	long := string(bytes.Repeat([]byte("x"), 60))
	c.status([]string{long, long})
	_, err = c.Write([]byte("second\n"))
	require.NoError(t, err)
	c.status(nil)
	const one = "\r\x1b[K"
	const two = one + "\x1b[A" + one
	rows := long + "\n" + long
	require.Equal(t, "first\n"+rows+two+"second\n"+rows+two, out.String())
}
