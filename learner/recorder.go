package learner

import (
	"math"

	"croupier/engine"
)

// record holds what one seat of the agent decided in one game. Its samples are the decisions
// with at least two legal actions. A forced decision, one with a single legal action, is a
// row only where a network with memory has to see it.
type record struct {
	decisions
	made    int // decisions, forced ones included
	samples int
	newest  int // row of the newest sample; none before the first
}

func (r *record) clear() {
	r.decisions.clear()
	r.made, r.samples, r.newest = 0, 0, none
}

// visit adds a decision at a state; memory says whether the network has one.
func (r *record) visit(s engine.State, seat, action int, legal []int, logProb float32, memory bool) {
	r.made++
	choice := len(legal) > 1
	if choice {
		r.samples++
		r.newest = r.len()
	}
	if choice || memory {
		r.add(s, seat, action, legal, logProb)
	}
	if r.newest != none {
		r.spans[r.newest]++
	}
}

// credit adds a shaping reward that follows the newest decision. It belongs to the newest
// sample, discounted for the forced decisions since; before the first sample it belongs to
// none, since no choice led to it.
func (r *record) credit(reward, gamma float32) {
	if r.newest != none {
		r.rewards[r.newest] += power(gamma, r.spans[r.newest]-1) * reward
	}
}

// power returns the discount over a number of decisions.
func power(gamma float32, decisions int32) float32 {
	return float32(math.Pow(float64(gamma), float64(decisions)))
}

// recorder gathers the agent's decisions in one game, by seat, with the shaping rewards
// that followed them. It belongs to one goroutine.
type recorder struct {
	seats   []record
	memory  bool      // of the network
	shapers []*shaper // by stage of the curriculum
	shaper  *shaper   // of the current game

	chanceRecorders []*chanceRecorder // by stage; nil: chance is not looked at
	chance          *chanceRecorder   // of the current game

	teachers []*teacher // by stage; nil: there is none
	teacher  *teacher   // of the current game
}

// newRecorder returns a recorder for the games of a curriculum, given by stage number.
func newRecorder(c Config, games []engine.Game, memory bool) *recorder {
	r := &recorder{seats: make([]record, games[0].Spec().Seats), memory: memory}
	for i := range r.seats {
		r.seats[i].spec = games[0].Spec()
	}
	for _, g := range games {
		r.shapers = append(r.shapers, newShaper(c, g))
	}
	return r
}

func (r *recorder) begin(stage uint32, seed uint64) {
	for i := range r.seats {
		r.seats[i].clear()
	}
	r.shaper = r.shapers[stage]
	if r.chanceRecorders != nil {
		r.chance = r.chanceRecorders[stage]
		r.chance.begin(seed)
	}
	if r.teacher = nil; r.teachers != nil {
		r.teacher = r.teachers[stage]
		r.teacher.begin(seed)
	}
}

func (r *recorder) visit(s engine.State, seat, action int, legal []int, logProb float32, own bool) {
	if seat == engine.Chance {
		if r.chance != nil {
			r.chance.see(s, action, r.seats)
		}
		return
	}
	if r.chance != nil && len(legal) > 1 {
		r.chance.choose(s, seat)
	}
	if own {
		d := &r.seats[seat]
		d.visit(s, seat, action, legal, logProb, r.memory)
		if r.teacher != nil && len(d.teacherTargets) < len(d.legal) {
			d.teacherTargets = r.teacher.show(s, legal, d.teacherTargets)
		}
	}
	if r.shaper != nil {
		r.shaper.reward(s, action, r.seats)
	}
}
