package visible

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"runs/вечер 晚上\n\tBüro": "runs/вечер 晚上\n\tBüro", "": "",
		"a\x1b[2Jb":         `a\x1b[2Jb`,
		"bell\a\r\x7f\x00":  `bell\a\r\x7f\x00`,
		"\u009b31m":         `\u009b31m`,
		"txt\u202egnp.exe":  `txt\u202egnp.exe`,
		"half \xd0, \x80":   `half \xd0, \x80`,
		"replaced \ufffd":   `replaced \ufffd`,
		"\x1bэ\x05 and 👩‍👧": "\\x1bэ\\x05 and 👩‍👧",
	} {
		require.Equal(t, want, Text(text))
		var out bytes.Buffer
		n, err := fmt.Fprint(Writer{&out}, text)
		require.NoError(t, err)
		require.Equal(t, len(text), n)
		require.Equal(t, want, out.String())
	}
	_, err := Writer{failing{}}.Write([]byte("\x1b"))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.Join(iotest.ErrTimeout) }
