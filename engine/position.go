package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"croupier/internal/strict"
)

// Positioned is a Game whose positions people can write down, to ask what to do there.
//
// A position is a JSON object that holds what the seat to move knows, and no more. It is
// read strictly (package strict); the page of the game describes it.
type Positioned interface {
	Game
	// ParsePosition returns the state of a position, in which a seat is to move. What the seat
	// does not know is drawn by [Redealer.Redeal]; games of perfect information do not use rng.
	// Notes say what was assumed or corrected. The error is a *strict.Error, which names the field
	// that is wrong, impossible or in contradiction to another.
	ParsePosition(document []byte, rng *RNG) (s State, notes []string, err error)
	// FormatPosition writes what the seat, which is to move in s, knows. Parsing it gives
	// the same legal actions, observation and position again.
	FormatPosition(s State, seat int) []byte
	// ExamplePosition returns a position that people can start from. It is possible under the
	// game's rules, whatever they are.
	ExamplePosition() []byte
}

// Written returns the game as one whose positions can be written down. Most games are; the error says in a sentence
// what is not possible with another one.
func Written(game Game) (Positioned, error) {
	if g, ok := game.(Positioned); ok {
		return g, nil
	}
	return nil, fmt.Errorf("%s has no written positions: advice on them and agents of other people are not possible in "+
		"this game", game.Spec().Name)
}

// PositionOf returns the state of a position, in which a seat is to move, and the history that leads there if it is
// known. A game that is not [Positioned] is asked by what has happened: {"history": [4, "square 0"]}. Notes and errors
// are those of [Positioned.ParsePosition].
func PositionOf(game Game, document []byte, rng *RNG) (s State, history []int, notes []string, err error) {
	if g, ok := game.(Positioned); ok {
		if s, notes, err = g.ParsePosition(document, rng); err != nil {
			return nil, nil, nil, err
		}
		if past, ok := s.(Past); ok {
			history = past.Past([]int{})
		}
		return s, history, notes, nil
	}
	happened, err := readHistory(document)
	if err != nil {
		return nil, nil, nil, err
	}
	s, history = game.NewState(), []int{}
	for i, given := range happened {
		step, err := readStep(s, given)
		if err == nil {
			err = s.Apply(step)
		}
		if err != nil {
			return nil, nil, nil, FieldErrorf(Element("history", i), "%w", err)
		}
		history = append(history, step)
	}
	switch s.Player() {
	case Terminal:
		return nil, nil, nil, FieldErrorf("history", "the game is over then")
	case Chance:
		return nil, nil, nil, FieldErrorf("history", "chance is to move then: there is nothing to decide")
	}
	return s, history, nil, nil
}

// readHistory reads the steps, numbers or names, of {"history": [4, "square 0"]}.
func readHistory(document []byte) ([]any, error) {
	var h struct {
		History []any `json:"history"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil || d.More() || h.History == nil {
		return nil, FieldErrorf("history", `it is a list of the steps so far, by number or name: {"history": [4, "square 0"]}`)
	}
	return h.History, nil
}

// readStep reads a step, its number or its name.
func readStep(s State, given any) (int, error) {
	if number, err := strconv.Atoi(fmt.Sprint(given)); err == nil {
		return number, nil
	}
	name, ok := given.(string)
	if !ok {
		return 0, fmt.Errorf("%v is neither the number of a step nor its name", given)
	}
	var names []string
	for _, action := range s.LegalActions(nil) {
		if names = append(names, s.ActionName(action)); names[len(names)-1] == name {
			return action, nil
		}
	}
	for _, o := range s.Outcomes(nil) {
		if names = append(names, s.OutcomeName(o.Index)); names[len(names)-1] == name {
			return o.Index, nil
		}
	}
	return 0, fmt.Errorf("%q is not possible there, only %s", name, strings.Join(names, ", "))
}

// ExampleOf returns a position of the game that people can start from, as [PositionOf] reads it.
func ExampleOf(game Game) []byte {
	if g, ok := game.(Positioned); ok {
		return g.ExamplePosition()
	}
	s, history := game.NewState(), []int{}
	for s.Player() == Chance {
		outcome := s.Outcomes(nil)[0].Index
		if err := s.Apply(outcome); err != nil {
			break // a fault of the game, which playing reports
		}
		history = append(history, outcome)
	}
	return MarshalPosition(map[string]any{"history": history})
}

// Redealer is a State of a game with hidden information.
type Redealer interface {
	State
	// Redeal replaces what the seat, which is to move, does not know with a uniform draw among the
	// deals that are consistent with what it knows.
	Redeal(seat int, rng *RNG)
}

// Retracer is a Redealer that knows what was decided since its cards were dealt. How likely that was
// with other cards distinguishes likely deals from unlikely ones, which Redeal does not.
type Retracer interface {
	Redealer
	// Retrace visits the decisions since the present deal in order, each with the state before it,
	// which is only lent, and with the action taken.
	Retrace(visit func(before State, action int))
}

// Past is a State that knows its own history.
type Past interface {
	State
	// Past appends the history that leads from the beginning of the game to the state.
	Past(buf []int) []int
}

// Fate is the outcome of a danger so far.
type Fate int

// The fates.
const (
	Open   Fate = iota // not yet decided
	Safe               // over without harm
	Struck             // the worst has happened
)

// Hazardous is a Game in which a decision can have one worst consequence, such as a bust.
type Hazardous interface {
	Game
	// Hazard names it.
	Hazard() string
	// Fate reports what a single step, from before to after, has decided about the danger to the
	// seat.
	Fate(before, after State, seat int) Fate
}

// ActionNamed returns the legal action of that name at a decision. The error names the
// field that holds the name.
func ActionNamed(s State, name, field string) (int, error) {
	var names []string
	for _, action := range s.LegalActions(nil) {
		if s.ActionName(action) == name {
			return action, nil
		}
		names = append(names, s.ActionName(action))
	}
	if names == nil {
		return 0, strict.Errorf(field, "no seat is to move there")
	}
	return 0, strict.Errorf(field, "%q is not possible there, only %s", name, ListNames(names))
}

// ListNames lists names of steps for people. Semicolons separate them where one has a comma:
// "keep 1, roll; keep 5, roll".
func ListNames(names []string) string {
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, ",") }) {
		return strings.Join(names, "; ")
	}
	return strings.Join(names, ", ")
}

// MarshalPosition encodes a position of a game.
func MarshalPosition(position any) []byte {
	document, err := json.Marshal(position)
	if err != nil {
		panic(fmt.Sprintf("engine: a position does not marshal: %v", err))
	}
	return document
}

// ReadPosition reads the JSON of a position into a struct. Every key must be there and none be null, unless its tag
// says omitempty. A struct that is [Sectioned] is also read from one line. Errors name the field.
func ReadPosition(document []byte, into any) error {
	if p, ok := into.(Sectioned); ok {
		if line, ok := lineIn(document); ok {
			return readLine(line, p)
		}
	}
	return strict.JSON(document).DecodeWhole(into)
}

// FieldErrorf returns an error about a field of rules or of a position, which its path names: "counts[2]". Readers of
// the document give its line.
func FieldErrorf(field, format string, args ...any) error {
	return strict.Errorf(field, format, args...)
}

// Element returns the path of an element of a list: "counts[2]".
func Element(field string, i int) string { return strict.Element(field, i) }
