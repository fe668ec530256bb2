package sealed

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type entry struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
}

// forms are the kinds of files, each with what reads it.
var forms = map[string]struct {
	seal func(entry) ([]byte, error)
	open func(text []byte, e *entry) (Condition, error)
	none string // without a checksum
}{
	"line": {
		func(e entry) ([]byte, error) { return Line(e) },
		func(text []byte, e *entry) (Condition, error) { return OpenLine(text, e) },
		`{"number":7,"name":"seven"}` + "\n",
	},
	"padded line": {
		func(e entry) ([]byte, error) { return PaddedLine(e, 80) },
		func(text []byte, e *entry) (Condition, error) { return OpenLine(text, e) },
		`{"number":7,"name":"seven"}            ` + "\n",
	},
	"document": {
		func(e entry) ([]byte, error) { return Document(e) },
		func(text []byte, e *entry) (Condition, error) { return OpenDocument(text, e) },
		"{\n  \"number\": 7,\n  \"name\": \"seven\"\n}\n",
	},
	"text": {
		func(e entry) ([]byte, error) { doc, err := json.Marshal(e); return Text(append(doc, '\n')), err },
		func(text []byte, e *entry) (Condition, error) {
			lines, c := OpenText(text)
			if c == Damaged {
				return c, ErrDamaged
			}
			return c, json.Unmarshal(lines, e)
		},
		`{"number":7,"name":"seven"}` + "\n",
	},
}

// Whichever bit is flipped, of the content or of the checksum, what was sealed is not taken for intact, nor for
// something that has no checksum.
func TestEveryFlippedBitIsSeen(t *testing.T) {
	want := entry{7, "seven"}
	for name, f := range forms {
		text, err := f.seal(want)
		require.NoError(t, err)
		var got entry
		c, err := f.open(text, &got)
		require.NoError(t, err, name)
		require.Equal(t, Intact, c, name)
		require.Equal(t, want, got, name)
		for i := range text {
			for bit := range 8 {
				damaged := bytes.Clone(text)
				damaged[i] ^= 1 << bit
				var e entry
				c, err := f.open(damaged, &e)
				require.Error(t, err, "%s: byte %d, bit %d", name, i, bit)
				require.NotEqual(t, Intact, c)
				require.Zero(t, e)
			}
		}
		c, err = f.open([]byte(f.none), &got)
		require.NoError(t, err, name)
		require.Equal(t, Unsealed, c, name)
		require.Equal(t, want, got, name)
	}
}

func TestHalfALineIsNotOpened(t *testing.T) {
	line, err := Line(entry{7, "seven"})
	require.NoError(t, err)
	for i := range len(line) - 1 {
		require.False(t, Open(line[:i], &entry{}))
	}
	require.True(t, Open(line[:len(line)-1], &entry{}), "without its newline")
	require.False(t, Open([]byte(`{"number":7,"name":"seven"}`), &entry{}), "without a checksum")
}

func TestOnlyObjectsAreSealed(t *testing.T) {
	for _, v := range []any{struct{}{}, 1, []int{1}} {
		_, err := Line(v)
		require.Error(t, err)
		_, err = Document(v)
		require.Error(t, err)
	}
}

func TestPaddedLinesHaveOneLength(t *testing.T) {
	for _, e := range []entry{{7, "seven"}, {1 << 40, ""}} {
		line, err := PaddedLine(e, 80)
		require.NoError(t, err)
		require.Len(t, line, 80)
	}
}

// A list knows its length in each of its lines.
func TestListKnowsItsLength(t *testing.T) {
	list, err := List([]entry{{1, "one"}, {2, "two"}})
	require.NoError(t, err)
	lines := bytes.SplitAfter(list, []byte("\n"))
	require.Len(t, lines, 3)
	for i, line := range lines[:2] {
		var e entry
		require.True(t, Open(line, &e))
		require.Equal(t, i+1, e.Number)
		require.Equal(t, 2, Listed(line))
		line[3] ^= 1
		require.Zero(t, Listed(line), "a damaged line says nothing")
	}
	alone, err := Line(entry{1, "one"})
	require.NoError(t, err)
	require.Zero(t, Listed(alone), "a line of no list")
	list, err = List([]entry{})
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = List([]int{1})
	require.Error(t, err)
	_, err = List([]any{func() {}})
	require.Error(t, err)
}

// The end of a file is the checksum of the rest, as sha256sum prints it.
func TestEnd(t *testing.T) {
	file := End(append([]byte("hello\n"), make([]byte, EndBytes)...))
	require.Equal(t, "hello\n5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03", string(file))
}
