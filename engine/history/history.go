// Package history reads, writes, plays and replays games in the notation that all games share:
// one JSON object per line.
//
//	{"game":"bank","rules":{"players":2,"rounds":1},"seed":7,"history":[5,0,0,1,0,1,0,6,1],"returns":[1,-1],"scores":[77,73]}
//
// "game" and "history" are required. "rules" may be partial (a missing key keeps its default);
// "seed", "returns" and "scores" may be absent. The history lists everything that happened,
// actions of seats and outcomes of chance, in order, so it replays without the seed. A seed is
// any uint64, from 2^53 on a string of its digits: programs that read JSON numbers as doubles would
// round it. Larger numbers are read, too.
//
// A [Simulator] plays games to records, [Append] and a [Reader] write and read them, and a
// [Replayer] checks one against its game. [Write] and [Check] play and check whole files.
package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"croupier/engine"
	"croupier/internal/seed"
)

// Record is one game.
type Record struct {
	Game    string
	Rules   json.RawMessage // a JSON object; nil: the defaults
	Seed    *uint64         // nil: not known
	History []int           // actions and outcomes in order
	Returns []float64       // by seat, in Spec.HistoryUnit; nil: not given
	Scores  []int64         // by seat, empty for a game without; nil: not given

	rounded bool // the seed may have been rounded by another program; a replay finds out
}

// Error locates a mistake in a file of histories.
type Error struct {
	Line int // from 1; 0 if there is no file
	Step int // from 0; -1 if no step is at fault
	Err  error
}

func (e *Error) Error() string {
	var place []string
	if e.Line > 0 {
		place = append(place, "line "+strconv.Itoa(e.Line))
	}
	if e.Step >= 0 {
		place = append(place, "step "+strconv.Itoa(e.Step))
	}
	return fmt.Sprintf("%s: %v", strings.Join(place, ", "), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func stepError(step int, format string, args ...any) error {
	return &Error{Step: step, Err: fmt.Errorf(format, args...)}
}

// recordedReturns writes the state's returns to dst in the unit of histories.
func recordedReturns(spec *engine.Spec, s engine.State, dst []float64) {
	s.Returns(dst)
	if spec.HistoryUnit == 0 {
		return
	}
	for seat := range dst {
		dst[seat] /= spec.HistoryUnit
	}
}

// Append appends the record as one line, with its newline.
func Append(dst []byte, r *Record) []byte {
	name, err := json.Marshal(r.Game)
	if err != nil {
		panic(err) // a string always marshals
	}
	dst = append(dst, `{"game":`...)
	dst = append(dst, name...)
	if r.Rules != nil {
		dst = append(dst, `,"rules":`...)
		dst = append(dst, r.Rules...)
	}
	if r.Seed != nil {
		dst = append(dst, `,"seed":`...)
		dst = seed.Append(dst, *r.Seed)
	}
	dst = append(dst, `,"history":`...)
	dst = appendArray(dst, r.History, appendInt)
	if r.Returns != nil {
		dst = append(dst, `,"returns":`...)
		dst = appendArray(dst, r.Returns, appendFloat)
	}
	if r.Scores != nil {
		dst = append(dst, `,"scores":`...)
		dst = appendArray(dst, r.Scores, appendInt)
	}
	return append(dst, "}\n"...)
}

func appendArray[T any](dst []byte, values []T, one func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, v)
	}
	return append(dst, ']')
}

func appendInt[T int | int64](dst []byte, v T) []byte {
	return strconv.AppendInt(dst, int64(v), 10)
}

// appendFloat writes the shortest decimal that reads back as the same float64.
func appendFloat(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
