package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"croupier/internal/seed"
)

// MaxLine is the length in bytes of the longest line that is read.
const MaxLine = 16 << 20

// Reader reads records line by line.
type Reader struct {
	lines *bufio.Scanner
	line  int
	games int
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), MaxLine)
	return &Reader{lines: lines}
}

// Line returns the number of the line read last, from 1.
func (r *Reader) Line() int { return r.line }

// Games returns how many records have been read.
func (r *Reader) Games() int { return r.games }

// Read fills rec, whose History is reused, from the next line that is not blank.
// It returns io.EOF at the end, and an [*Error] for a line that is not a record.
func (r *Reader) Read(rec *Record) error {
	for r.lines.Scan() {
		r.line++
		line := bytes.TrimSpace(r.lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := Decode(line, rec); err != nil {
			return atLine(r.line, err)
		}
		r.games++
		return nil
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return atLine(r.line+1, fmt.Errorf("longer than %d bytes", MaxLine))
	case err != nil:
		return atLine(r.line+1, fmt.Errorf("reading: %w", err))
	}
	return io.EOF
}

// atLine gives an error its line.
func atLine(line int, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{Line: line, Step: e.Step, Err: e.Err}
	}
	return &Error{Line: line, Step: -1, Err: err}
}

// Decode reads one record strictly: an unknown or repeated key, a value of the wrong type, or
// anything after the object is an error. It does not check the game; see [Replayer]. An entry
// of the history that is not an integer gives an [*Error] that names the step.
func Decode(line []byte, rec *Record) error {
	*rec = Record{History: rec.History[:0]}
	dec := json.NewDecoder(bytes.NewReader(line))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	seen := make(map[string]bool, 6)
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not a JSON object: %w", noEOF(err))
		}
		key := token.(string)
		if seen[key] {
			return fmt.Errorf("key %q appears twice", key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("%q: %w", key, noEOF(err))
		}
		if err := rec.set(key, value); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("not a JSON object: %w", noEOF(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON object")
	}
	for _, key := range []string{"game", "history"} {
		if !seen[key] {
			return fmt.Errorf("key %q is missing", key)
		}
	}
	return nil
}

// noEOF reports the end of a line inside an object as unexpected.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// set sets the field of that key to the value, which is valid JSON.
func (r *Record) set(key string, value json.RawMessage) (err error) {
	index := -1
	switch key {
	case "game":
		if value[0] != '"' {
			return errors.New(`"game" is not a string`)
		}
		return json.Unmarshal(value, &r.Game)
	case "rules":
		if value[0] != '{' {
			return errors.New(`"rules" is not an object`)
		}
		r.Rules = value
	case "seed":
		n, rounded, err := seed.Parse(value)
		if err != nil {
			return fmt.Errorf(`"seed" is %.40s, %w`, value, err)
		}
		r.Seed, r.rounded = &n, rounded
	case "history":
		r.History, index, err = parseArray(r.History[:0], value, parseInteger[int])
	case "returns":
		r.Returns, _, err = parseArray([]float64{}, value, parseFloat)
	case "scores":
		r.Scores, _, err = parseArray([]int64{}, value, parseInteger[int64])
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", key, err)
		if index >= 0 {
			return &Error{Step: index, Err: err}
		}
	}
	return err
}

// parseArray appends the elements of a JSON array of plain values to dst. On error it returns
// the index of the element at fault, or -1.
func parseArray[T any](dst []T, array []byte, parse func([]byte) (T, error)) ([]T, int, error) {
	if array[0] != '[' {
		return dst, -1, errors.New("not an array")
	}
	rest := bytes.TrimSpace(array[1 : len(array)-1])
	for more := len(rest) > 0; more; {
		var element []byte
		element, rest, more = bytes.Cut(rest, []byte{','})
		v, err := parse(bytes.TrimSpace(element))
		if err != nil {
			return dst, len(dst), err
		}
		dst = append(dst, v)
	}
	return dst, -1, nil
}

func parseInteger[T int | int64](b []byte) (T, error) {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40s is not an integer", b)
	}
	return T(v), nil
}

func parseFloat(b []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return 0, fmt.Errorf("%.40s is not a number", b)
	}
	return v, nil
}
