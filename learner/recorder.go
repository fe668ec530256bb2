package learner

import "croupier/engine"

// recorder gathers the agent's decisions in one game, by seat, with the shaping rewards
// that followed them. It belongs to one goroutine.
type recorder struct {
	seats   []decisions
	shapers []*shaper // by stage of the curriculum
	shaper  *shaper   // of the current game
}

// newRecorder returns a recorder for the games of a curriculum, given by stage number.
func newRecorder(c Config, games []engine.Game) *recorder {
	r := &recorder{seats: make([]decisions, games[0].Spec().Seats)}
	for i := range r.seats {
		r.seats[i].spec = games[0].Spec()
	}
	for _, g := range games {
		r.shapers = append(r.shapers, newShaper(c.Shaping, g))
	}
	return r
}

func (r *recorder) begin(stage uint32) {
	for i := range r.seats {
		r.seats[i].clear()
	}
	r.shaper = r.shapers[stage]
}

func (r *recorder) visit(s engine.State, seat, action int, legal []int, logProb float32, own bool) {
	if own {
		r.seats[seat].add(s, seat, action, legal, logProb)
	}
	if r.shaper != nil {
		r.shaper.reward(s, action, r.seats)
	}
}
