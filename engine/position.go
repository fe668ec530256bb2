package engine

import (
	"encoding/json"
	"fmt"
	"slices"
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
	return nil, fmt.Errorf("%s has no written positions: advice on them, serving its agents and agents of other people are "+
		"not possible in this game", game.Spec().Name)
}

// Redealer is a State of a game with hidden information.
type Redealer interface {
	State
	// Redeal replaces what the seat, which is to move, does not know with a uniform draw among the
	// deals that are consistent with what it knows.
	Redeal(seat int, rng *RNG)
}

// Retracer is a Redealer that knows what was decided since its cards were dealt. How likely that was
// with other cards tells likely deals from unlikely ones, which Redeal does not.
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
	// Fate says what a single step, from before to after, has decided about the danger to the
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
// the document tell its line.
func FieldErrorf(field, format string, args ...any) error {
	return strict.Errorf(field, format, args...)
}

// Element returns the path of an element of a list: "counts[2]".
func Element(field string, i int) string { return strict.Element(field, i) }
