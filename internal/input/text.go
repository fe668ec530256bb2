package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"croupier/internal/regular"
)

// The bytes at the beginning of a file that say how it is written.
var (
	markUTF8    = []byte("\xef\xbb\xbf")
	markUTF16LE = []byte("\xff\xfe")
	markUTF16BE = []byte("\xfe\xff")
	markGzip    = []byte("\x1f\x8b")
)

// ErrGzip is the error for a file of text that is compressed.
var ErrGzip = errors.New("it is compressed with gzip: unpack it first")

// ReadText is [regular.Read] for a file of text, which is decoded as [Text] does.
func ReadText(path string, most int64) ([]byte, error) {
	data, err := regular.Read(path, most)
	if err != nil {
		return nil, err
	}
	if data, err = Text(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Text returns what a file of text holds, in UTF-8 and without a byte-order mark. Editors and shells of Windows write
// the mark, and also UTF-16.
func Text(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, markUTF8):
		return data[len(markUTF8):], nil
	case marked(data):
		return io.ReadAll(TextReader(bytes.NewReader(data)))
	}
	return data, nil
}

// marked reports whether data begin as gzip or UTF-16 does.
func marked(data []byte) bool {
	return bytes.HasPrefix(data, markGzip) || bytes.HasPrefix(data, markUTF16LE) || bytes.HasPrefix(data, markUTF16BE)
}

// TextReader returns a reader of in that decodes as [Text] does.
func TextReader(in io.Reader) io.Reader { return &textReader{in: bufio.NewReader(in)} }

type textReader struct {
	in    *bufio.Reader
	from  io.Reader // in, decoded; nil before the first read
	order binary.ByteOrder
	left  []byte // decoded, but not read yet
	err   error
}

func (t *textReader) Read(p []byte) (int, error) {
	if t.from == nil {
		if err := t.begin(); err != nil {
			return 0, err
		}
	}
	return t.from.Read(p)
}

// begin finds out how the text is written.
func (t *textReader) begin() error {
	head, err := t.in.Peek(len(markUTF8))
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return err
	}
	t.from = t.in
	switch {
	case bytes.HasPrefix(head, markGzip):
		return ErrGzip
	case bytes.HasPrefix(head, markUTF8):
		_, err = t.in.Discard(len(markUTF8))
		return err
	case bytes.HasPrefix(head, markUTF16LE):
		t.order = binary.LittleEndian
	case bytes.HasPrefix(head, markUTF16BE):
		t.order = binary.BigEndian
	default:
		return nil
	}
	_, err = t.in.Discard(len(markUTF16LE))
	t.from = readerFunc(t.readUTF16)
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// readUTF16 reads one character, or the rest of one.
func (t *textReader) readUTF16(p []byte) (int, error) {
	if len(t.left) == 0 && t.err == nil {
		var r rune
		if r, t.err = t.unit(); t.err == nil {
			if utf16.IsSurrogate(r) {
				var second rune
				second, t.err = t.unit()
				r = utf16.DecodeRune(r, second)
			}
			t.left = utf8.AppendRune(t.left, r)
		}
	}
	if len(t.left) == 0 {
		return 0, t.err
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

// unit reads the next two bytes.
func (t *textReader) unit() (rune, error) {
	var two [2]byte
	_, err := io.ReadFull(t.in, two[:])
	return rune(t.order.Uint16(two[:])), err
}
