package engine

// Shaping is a term of reward shaping: something a player does for which a learner may give it
// an extra reward.
type Shaping struct {
	Name string // in settings
	Doc  string // one line for people: when it happens, and to whom
	// Weight is the reward that the source of the term proposes, in units of Spec.MaxReturn. It is not the one that is
	// used: that is in the settings (learner.shaping), 0 unless they name it.
	Weight float64
}

// Shaped reports that a term happened to a seat.
type Shaped struct {
	Term int // index in Shapings
	Seat int // that is rewarded
}

// Shaper is a game with terms of reward shaping. Only the learner uses them: they never affect
// returns, scores or ratings.
type Shaper interface {
	Game
	// Shapings lists the terms. The caller must not change them.
	Shapings() []Shaping
	// Shape appends the terms that occur when the seat to move takes the legal action, without
	// changing the state.
	Shape(s State, action int, buf []Shaped) []Shaped
}
