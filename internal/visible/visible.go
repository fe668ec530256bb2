// Package visible shows text of strangers: names of files, directories, agents and machines, and what programs say.
// What would steer a terminal, or turn the direction of the text round, is written as an escape sequence of Go, as in
// \x1b.
package visible

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes a text visible. It may have several lines and tabs.
func Text(s string) string {
	if !strings.ContainsFunc(s, hidden) { // which an invalid byte is, too
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		case hidden(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a character steers the terminal or the direction of the text.
func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

// Writer makes all text visible that is written to another writer. A character is not cut between two calls.
type Writer struct{ io.Writer }

func (w Writer) Write(p []byte) (int, error) {
	text := Text(string(p))
	if text == string(p) {
		return w.Writer.Write(p)
	}
	if _, err := io.WriteString(w.Writer, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
