package engine

import (
	"strconv"
	"time"
)

// Eyes that are no seat's; see [Viewed].
const (
	Public     = -1 // sees what everybody sees: a spectator
	Everything = -2 // sees all that is hidden, too: after a game, or without players
)

// Viewed is a Game whose positions can be shown on a board, at every node: where a seat is to
// move, where chance is, and after the end.
type Viewed interface {
	Game
	// View returns what an eye sees of the state: a seat, Public or Everything. It is a struct that
	// marshals to a JSON object; the game's board (web/boards) reads it, and the page of the game
	// describes it. What a seat sees depends on nothing that is hidden from it, and what Public
	// sees on nothing that is hidden from anybody; but once the game is over, everybody sees what is
	// laid open at its end, such as the hands at a showdown. Of a step that a seat sees it may show
	// all, also what State.Seen leaves out because it never matters, such as a suit.
	//
	// A view that is a fmt.Stringer is also what a terminal shows; of other games it shows the
	// position as [Positioned] writes it.
	View(s State, eye int) any
}

// SeatName names a seat to whom an eye looks, for a view in words: "you", or "seat 2" for the
// second.
func SeatName(seat, eye int) string {
	if seat == eye {
		return "you"
	}
	return "seat " + strconv.Itoa(seat+1)
}

// SeatTitle is SeatName at the beginning of a sentence: "You", or "Seat 2".
func SeatTitle(seat, eye int) string {
	if seat == eye {
		return "You"
	}
	return "Seat " + strconv.Itoa(seat+1)
}

// Telling is a State that says in words what a seat sees of a step, for games in which that is
// neither the whole name of the step nor nothing.
type Telling interface {
	State
	// SeenName names what the seat sees of the given (legal) step at this state, which is neither
	// Hidden from it nor Unnoticed.
	SeenName(seat, step int) string
}

// Timed is a Game in which people have a limited time to decide unless they wish otherwise.
type Timed interface {
	Game
	// Patience is how long a person may think about a decision.
	Patience() time.Duration
	// Fallback returns the action of a person whose time is over: one of the legal ones of the seat
	// to move.
	Fallback(s State) int
}

// Dominant is a Game with decisions that need no thought: one action is at least as good as every other one, whatever
// comes. People are not asked about them.
type Dominant interface {
	Game
	// Dominant returns that action of the seat to move, and whether there is one.
	Dominant(s State) (action int, ok bool)
}

// Polled is what View returns in a game that asks several seats one after another whether they do something now. People
// at one screen are asked all at once.
type Polled interface {
	// Poll returns the seats that are still asked, the one to move first, and the actions of a seat that does it and of
	// one that does not.
	Poll() (seats []int, does, doesNot int)
}

// Parted is what View returns in a game that is played in parts.
type Parted interface {
	// Part names the present part: "hand 3", "round 2".
	Part() string
}

// Staged is what View returns in a game whose rules are explained in steps about stages of it.
type Staged interface {
	// Stage names the present stage as far as the eye knows it: "auction". Pages open the rules there.
	Stage() string
}
