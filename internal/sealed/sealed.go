// Package sealed gives what a run keeps its own checksum, which its reader checks.
//
// A file that is only appended to consists of lines, each a JSON object. A reader passes over lines that are not
// intact, and counts them:
//
//	{"sequence":7,"source":"learner","crc32c":"e3069283"}
//
// A list is replaced as a whole when it changes. It consists of such lines, and each says how many there are, so that
// one that was emptied or cut can be distinguished from a whole one:
//
//	{"number":1,"agent":"main@1","lines":2,"crc32c":"e3069283"}
//
// A document is one indented JSON object. Its checksum is its last member:
//
//	{
//	  "id": "evening",
//	  "crc32c": "e3069283"
//	}
//
// A text, which people may edit, has it in its last line, as a comment of YAML:
//
//	seed: 1
//	# crc32c e3069283: of the lines above
//
// The checksum is that of all bytes before it, in a line or document before the comma. Version 0.1 wrote documents,
// texts and some lines without one: they are read as they are. A damaged checksum is distinguished from none,
// because a few bytes of it are still there.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"croupier/internal/strict"
)

var table = crc32.MakeTable(crc32.Castagnoli)

// digits is the length of a checksum.
const digits = 8

// form is how a kind of file writes its checksum: what is before and behind the digits.
type form struct{ before, behind string }

var (
	lineForm     = form{`,"crc32c":"`, `"}`}
	documentForm = form{",\n  \"crc32c\": \"", "\"\n}\n"}
	textForm     = form{"# crc32c ", ": of the lines above\n"}
)

// Condition reports whether something is as it was written.
type Condition int

// The conditions of what is read.
const (
	Damaged  Condition = iota
	Unsealed           // it has no checksum
	Intact
)

// ErrDamaged is the error of what is not as it was written.
var ErrDamaged = errors.New("its checksum is not that of its content: it is damaged, or was changed by hand")

// seal appends the checksum of a body.
func (f form) seal(body []byte) []byte {
	sum := crc32.Checksum(body, table)
	body = append(body, f.before...)
	body = fmt.Appendf(body, "%0*x", digits, sum)
	return append(body, f.behind...)
}

// nearly is the most bytes of a checksum, without its digits, that may be others for it to be a damaged one.
const nearly = 2

// open returns what the checksum at the end of the text is of.
func (f form) open(text []byte) (body []byte, c Condition) {
	at := len(text) - len(f.before) - digits - len(f.behind)
	if at < 0 {
		return text, Unsealed
	}
	body = text[:at:at]
	if bytes.Equal(f.seal(body)[at:], text[at:]) {
		return body, Intact
	}
	behind := text[len(text)-len(f.behind):]
	if differing(text[at:], f.before)+differing(behind, f.behind) <= nearly {
		return nil, Damaged
	}
	return text, Unsealed
}

// differing counts the bytes in which the text differs from its beginning as it ought to be.
func differing(text []byte, ought string) (n int) {
	for i := range len(ought) {
		if text[i] != ought[i] {
			n++
		}
	}
	return n
}

// Line returns the value, which JSON writes as an object with members, as a sealed line.
func Line(v any) ([]byte, error) { return PaddedLine(v, 0) }

// PaddedLine is Line, filled up with spaces to at least the given number of bytes, so that it replaces an earlier one
// in its place.
func PaddedLine(v any, length int) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if body, err = opened(body, "}"); err != nil {
		return nil, err
	}
	spaces := length - len(body) - len(lineForm.before) - digits - len(lineForm.behind) - 1
	body = append(body, bytes.Repeat([]byte(" "), max(0, spaces))...)
	return append(lineForm.seal(body), '\n'), nil
}

// List returns the values, each of which JSON writes as an object with members, as the lines of a list.
func List[T any](values []T) (list []byte, err error) {
	for _, v := range values {
		body, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if body, err = opened(body, "}"); err != nil {
			return nil, err
		}
		body = fmt.Appendf(body, `,"lines":%d`, len(values))
		list = append(append(list, lineForm.seal(body)...), '\n')
	}
	return list, nil
}

// Listed returns how many lines the list has that a line is of. It is 0 where the line does not say, as those of lists
// of earlier versions.
func Listed(line []byte) int {
	var list struct {
		Lines int `json:"lines"`
	}
	if _, err := OpenLine(line, &list); err != nil {
		return 0
	}
	return list.Lines
}

// opened returns an object without its end.
func opened(doc []byte, end string) ([]byte, error) {
	if len(doc) < 3 || doc[0] != '{' {
		return nil, errors.New("a sealed value is an object with members")
	}
	return bytes.TrimSuffix(doc, []byte(end)), nil
}

// Open reads a line, with or without its newline, into v. It reports false for one that is not intact.
func Open(line []byte, v any) bool {
	c, err := OpenLine(line, v)
	return c == Intact && err == nil
}

// OpenLine is Open that also reads lines without a checksum.
func OpenLine(line []byte, v any) (Condition, error) {
	body, c := lineForm.open(bytes.TrimSuffix(line, []byte("\n")))
	return c, read(body, "}", c, v)
}

// Document returns the value, which JSON writes as an object with members, as a sealed document.
func Document(v any) ([]byte, error) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	if body, err = opened(body, "\n}"); err != nil {
		return nil, err
	}
	return documentForm.seal(body), nil
}

// OpenDocument reads a document, which may have no checksum, into v.
func OpenDocument(doc []byte, v any) (Condition, error) {
	body, c := documentForm.open(doc)
	return c, read(body, "\n}", c, v)
}

// read reads an object whose end was taken away with its checksum.
func read(body []byte, end string, c Condition, v any) error {
	switch c {
	case Damaged:
		return ErrDamaged
	case Intact:
		body = append(body, end...)
	}
	return strict.Unmarshal(body, v)
}

// Text returns lines with their checksum.
func Text(lines []byte) []byte { return textForm.seal(bytes.Clone(lines)) }

// OpenText returns the lines of a text without their checksum.
func OpenText(text []byte) (lines []byte, c Condition) {
	lines, c = textForm.open(text)
	return lines, c
}

// EndBytes is the length of what [End] writes.
const EndBytes = 2 * sha256.Size

// End writes into the last EndBytes bytes of a file the SHA-256 of all before them, in hexadecimal. Programs of all
// kinds check such a file in a line, whatever its format.
func End(file []byte) []byte {
	end := len(file) - EndBytes
	sum := sha256.Sum256(file[:end])
	hex.Encode(file[end:], sum[:])
	return file
}
