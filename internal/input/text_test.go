package input

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// utf16Of writes a text in UTF-16 with its mark.
func utf16Of(order binary.AppendByteOrder, text string) (data []byte) {
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

// A text is the same however it was saved, read at once or bit by bit.
func TestTextIsRead(t *testing.T) {
	for _, text := range []string{"", "a", "ab", "abc", "{\"größe\": \"𝄞\"}\r\n"} {
		for name, data := range map[string][]byte{
			"plain": []byte(text), "mark": []byte("\ufeff" + text),
			"little": utf16Of(binary.LittleEndian, text), "big": utf16Of(binary.BigEndian, text),
		} {
			got, err := Text(data)
			require.NoError(t, err, name)
			require.Equal(t, text, string(got), name)
			for _, in := range []io.Reader{
				bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data)),
			} {
				got, err := io.ReadAll(iotest.OneByteReader(TextReader(in)))
				require.NoError(t, err, name)
				require.Equal(t, text, string(got), name)
			}
		}
	}
}

func TestTextThatCannotBeRead(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("seed: 1\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	_, err = ReadText(path, 1000)
	require.EqualError(t, err, path+": it is compressed with gzip: unpack it first")
	_, err = io.ReadAll(TextReader(&packed))
	require.ErrorIs(t, err, ErrGzip)

	_, err = Text([]byte("\xff\xfea\x00b"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "half a character")
	// half a pair, which eats the next character as the standard library does
	got, err := Text([]byte("\xff\xfe\x00\xd8a\x00"))
	require.NoError(t, err)
	require.Equal(t, "\ufffd", string(got))
	_, err = io.ReadAll(TextReader(iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	_, err = ReadText(path, 3)
	require.ErrorContains(t, err, "more than the limit of 3")
	require.NoError(t, os.WriteFile(path, []byte("\ufeffwords"), 0o600))
	got, err = ReadText(path, 10)
	require.NoError(t, err)
	require.Equal(t, "words", string(got))
	got, err = io.ReadAll(TextReader(strings.NewReader("\xef\xbb"))) // no mark
	require.NoError(t, err)
	require.Equal(t, "\xef\xbb", string(got))
}
