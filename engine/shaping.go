package engine

// Shaping is a term of reward shaping: something that a player does in a game for
// which a learner may give it an extra reward.
type Shaping struct {
	Name string // in settings
	Doc  string // one line for people: when it happens, and to whom
	// Weight is what the source of the term proposes, in units of Spec.MaxReturn.
	Weight float64
}

// Shaped says that a term happened to a seat.
type Shaped struct {
	Term int // index in Shapings
	Seat int
}

// Shaper is a game that has terms of reward shaping. They are of the learner alone:
// returns, scores and ratings know nothing of them.
type Shaper interface {
	Game
	// Shapings lists the terms. The caller must not change them.
	Shapings() []Shaping
	// Shape appends what happens when the seat to move takes the legal action at the
	// state, without changing the state.
	Shape(s State, action int, buf []Shaped) []Shaped
}
