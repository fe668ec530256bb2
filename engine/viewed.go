package engine

import "strconv"

// Eyes that are no seat's; see [Viewed].
const (
	Public     = -1 // sees what everybody sees: a spectator
	Everything = -2 // sees all that is hidden, too: after a game, or where nobody plays
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
