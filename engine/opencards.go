package engine

// OpenValue is what a position is worth if all cards were open and every seat played its best.
type OpenValue struct {
	// Leads are what each seat will have more than the others when this part of the game (a hand)
	// ends, in the unit that OpenCards.OpenUnit names, what it has already included. They sum to 0.
	Leads []float64
	// Moves are the legal actions with the lead that each leaves to the seat to move, ascending.
	Moves []OpenMove
}

// OpenMove is an action and what it leads to.
type OpenMove struct {
	Action int     // a legal one
	Lead   float64 // of the seat to move, in OpenCards.OpenUnit
}

// OpenCards is a Game of hidden cards in which, afterwards, one can say what the cards allowed: in a
// replay with all cards open, at each step. What it says is no advice, because no player could know it.
type OpenCards interface {
	Game
	// OpenUnit names what leads are counted in, in words: "points of the hand".
	OpenUnit() string
	// OpenSolver returns a function that values positions, which belongs to one goroutine; asked about
	// one after the other it is faster than again. ok is false where there is no such value, as
	// before the play of a hand.
	OpenSolver() func(s State) (v OpenValue, ok bool)
}
