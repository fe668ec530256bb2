package sealed

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line that is opened is one whose checksum is right; what is sealed is opened as it was, and with any byte of it
// changed it is not.
func FuzzLine(f *testing.F) {
	line, err := Line(map[string]any{"sequence": 7, "source": "learner"})
	require.NoError(f, err)
	f.Add(line, 3, byte(1))
	f.Add([]byte(`{"a":1}`), 0, byte(0xff))
	f.Add([]byte(`{,"crc32c":"00000000"}`), 0, byte(1))
	f.Fuzz(func(t *testing.T, content []byte, at int, flip byte) {
		var v any
		_ = Open(content, &v)
		line, err := Line(json.RawMessage(content))
		if err != nil {
			return
		}
		var again json.RawMessage
		require.True(t, Open(line, &again))
		require.True(t, Open(line[:len(line)-1], &again), "without its newline")
		require.JSONEq(t, string(content), string(again))
		if flip == 0 || at < 0 || at >= len(line)-1 {
			return
		}
		line[at] ^= flip
		require.False(t, Open(line, &again))
	})
}
