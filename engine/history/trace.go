package history

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"croupier/engine"
)

// Trace writes what a replay sees, one JSON object per line: for every node in order
//
//	{"game_index":0,"step":0,"player":-1,"outcomes":[[0,0.02777777777777778],…],"taken":5}
//	{"game_index":0,"step":1,"player":0,"legal":[0,1],"position":">0 0","taken":0}
//
// and for the end of every game
//
//	{"game_index":0,"end":true,"returns":[1,-1],"scores":[77,73]}
//
// Legal actions and outcomes ascend, player -1 is chance. The position is what the player knows, in one line, of games
// that have such lines ([engine.Lined]). The writer should be
// buffered: every line is a Write of its own.
type Trace struct {
	w        io.Writer
	played   engine.Game // by the record that is checked
	line     []byte
	legal    []int
	outcomes []engine.Outcome
	// before holds the outcomes whose text is cached: most chance nodes of a game are like the one
	// before, and printing floats is what takes time.
	before  []engine.Outcome
	printed []byte
}

// NewTrace returns a Trace that writes to w.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// Node writes the node s, which is the given step of the given game, and the step taken there.
func (t *Trace) Node(game, step int, s engine.State, taken int) error {
	t.begin(game)
	t.line = append(t.line, `,"step":`...)
	t.line = strconv.AppendInt(t.line, int64(step), 10)
	t.line = append(t.line, `,"player":`...)
	t.line = strconv.AppendInt(t.line, int64(s.Player()), 10)
	if s.Player() == engine.Chance {
		t.line = append(t.line, `,"outcomes":`...)
		t.line = append(t.line, t.printOutcomes(s)...)
	} else {
		t.legal = s.LegalActions(t.legal[:0])
		t.line = append(t.line, `,"legal":`...)
		t.line = appendArray(t.line, t.legal, appendInt)
		if position := t.position(s); position != "" {
			t.line = append(t.line, `,"position":`...)
			t.line = appendText(t.line, position)
		}
	}
	t.line = append(t.line, `,"taken":`...)
	t.line = strconv.AppendInt(t.line, int64(taken), 10)
	return t.end()
}

// End writes the results by seat of the given game.
func (t *Trace) End(game int, returns []float64, scores []int64) error {
	t.begin(game)
	t.line = append(t.line, `,"end":true,"returns":`...)
	t.line = appendArray(t.line, returns, appendFloat)
	t.line = append(t.line, `,"scores":`...)
	t.line = appendArray(t.line, scores, appendInt)
	return t.end()
}

func (t *Trace) begin(game int) {
	t.line = append(t.line[:0], `{"game_index":`...)
	t.line = strconv.AppendInt(t.line, int64(game), 10)
}

func (t *Trace) end() error {
	t.line = append(t.line, "}\n"...)
	_, err := t.w.Write(t.line)
	return err
}

func (t *Trace) printOutcomes(s engine.State) []byte {
	t.outcomes = s.Outcomes(t.outcomes[:0])
	if t.printed == nil || !slices.Equal(t.outcomes, t.before) {
		t.before = append(t.before[:0], t.outcomes...)
		t.printed = appendArray(t.printed[:0], t.outcomes, appendOutcome)
	}
	return t.printed
}

// position is what the seat to move knows, in one line, "" where the game is unknown or has no such lines.
func (t *Trace) position(s engine.State) string {
	if t.played == nil {
		return ""
	}
	return engine.LineOf(t.played, s)
}

// appendText appends a text as JSON, with <, > and & as they are.
func appendText(dst []byte, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

func appendOutcome(dst []byte, o engine.Outcome) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(o.Index), 10)
	dst = append(dst, ',')
	dst = appendFloat(dst, o.Probability)
	return append(dst, ']')
}
