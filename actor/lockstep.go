package actor

import (
	"slices"

	"croupier/player"
)

// LockStep makes an actor play the games of each version of the weights, and no others, before the next version comes:
// games then follow from the seed alone, not from the order of workers. One worker plays the training games, and waits
// between an iteration's last game and the next version; the others play matches of the arena.
type LockStep struct {
	Samples int    // with which an iteration of the learner begins
	MaxLag  uint64 // versions by which a game may be behind for the learner to take it
}

// round is what a worker in lock-step does between two versions of the weights.
type round struct {
	LockStep
	newest  *player.Player // nil before the first weights
	samples int            // that the learner has got for its next iteration
	over    bool           // these are enough
	held    []trained
}

// trained is a finished training game.
type trained struct {
	number  uint64
	learner *player.Player
	record  *episode
}

// begins reports whether the worker may continue with these weights. They begin a new round when they are new.
func (r *round) begins(learner *player.Player) bool {
	if learner != nil && (r.newest == nil || learner.Version > r.newest.Version) {
		r.newest, r.over = learner, false
	}
	return r.newest != nil && !r.over
}

// hold keeps a game that was over in the same step as the last one of the round, for the next round.
func (r *round) hold(g trained) {
	copied := *g.record
	copied.seats, copied.history = slices.Clone(copied.seats), slices.Clone(copied.history)
	copied.logProbs, copied.returns = slices.Clone(copied.logProbs), slices.Clone(copied.returns)
	g.record = &copied
	r.held = append(r.held, g)
}

// release returns a game that was held, if one is left and the round continues.
func (r *round) release() (g trained, ok bool) {
	if r.over || len(r.held) == 0 {
		return g, false
	}
	g, r.held = r.held[0], r.held[1:]
	return g, true
}

// sent counts a game as the learner does, and reports whether the round is over.
func (r *round) sent(g trained) bool {
	if g.learner.Stage == r.newest.Stage && r.newest.Version-g.learner.Version <= r.MaxLag {
		r.samples += g.record.samples
	}
	if r.samples >= r.Samples {
		r.samples, r.over = 0, true
	}
	return r.over
}
