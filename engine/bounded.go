package engine

// Bounded is a state of a game in rounds (hands, turns), between which nothing is left but what every seat sees:
// scores, whose deal it is, what may be used again. So at a boundary any seat's observation is all that the rest of the
// game depends on, whatever led there.
type Bounded interface {
	State
	// Boundary reports whether a round is about to begin. That is at a chance node; the first one of the game is a
	// boundary, too.
	Boundary() bool
}
