// Package sealed writes JSON objects as lines that carry their own checksum, for files that are only
// appended to: whoever reads one passes over lines that are not intact, and counts them.
//
//	{"sequence":7,"source":"learner","crc32c":"e3069283"}
//
// The checksum is that of the line before `,"crc32c"`.
package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

var (
	table   = crc32.MakeTable(crc32.Castagnoli)
	seal    = []byte(`,"crc32c":"`)
	sealEnd = []byte(`"}`)
)

const digits = 8 // of a checksum

// Line returns the value, which JSON writes as an object with members, as a sealed line.
func Line(v any) ([]byte, error) {
	doc, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(doc) < 3 || doc[0] != '{' {
		return nil, errors.New("a sealed line is an object with members")
	}
	body := doc[:len(doc)-1]
	sum := crc32.Checksum(body, table)
	line := append(body, seal...)
	line = fmt.Appendf(line, "%0*x", digits, sum)
	return append(append(line, sealEnd...), '\n'), nil
}

// Open reads a line, with or without its newline, into v. It reports false for one that is not intact.
func Open(line []byte, v any) bool {
	line = bytes.TrimSuffix(line, []byte("\n"))
	at := len(line) - len(seal) - digits - len(sealEnd)
	if at < 0 || !bytes.HasPrefix(line[at:], seal) || !bytes.HasSuffix(line, sealEnd) {
		return false
	}
	sum, err := strconv.ParseUint(string(line[at+len(seal):at+len(seal)+digits]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(line[:at], table) {
		return false
	}
	return json.Unmarshal(append(bytes.Clone(line[:at]), '}'), v) == nil
}
