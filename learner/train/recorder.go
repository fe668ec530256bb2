package train

import (
	"math"

	"croupier/engine"
)

// Episode is a game that was played.
type Episode struct {
	Stage    uint32   // of the curriculum
	Seed     uint64   // of the game
	History  []byte   // never changes
	Versions []uint64 // of the deciding weights, by seat; 0 where the agent did not sit
	Steps    Steps    // of the game, from its beginning
}

// Steps are the steps of a game, which are read once.
type Steps interface {
	// Next reads the next step and returns whether there was one.
	Next(s *Step) bool
	// End returns the results after the last step, by seat and in units of its game's Spec.MaxReturn. They hold until
	// the next game. The error says in what the game is not what it seemed.
	End() (results []float32, err error)
}

// Step is an action that was taken, or what chance brought, at a state. State and Legal hold until the next step is
// read.
type Step struct {
	State   engine.State // before it
	Seat    int          // engine.Chance for chance
	Action  int          // that was taken, or chance's outcome
	Legal   []int        // actions; none for chance
	LogProb float32      // of the action under the policy that played, in nats, where the agent decided
	Own     bool         // the agent decided
}

// seatRows holds what one seat of the agent decided in one game. Its samples are the decisions
// with at least two legal actions. A forced decision, one with a single legal action, is a
// row only where a network with memory has to see it.
type seatRows struct {
	Decisions
	made    int // decisions, forced ones included
	samples int
	newest  int // row of the newest sample; none before the first
}

func (r *seatRows) clear() {
	r.Decisions.clear()
	r.made, r.samples, r.newest = 0, 0, none
}

// count counts a decision.
func (r *seatRows) count(legal []int) (choice bool) {
	r.made++
	if choice = len(legal) > 1; choice {
		r.samples++
	}
	return choice
}

// visit adds a decision at a state; memory reports whether the network has one.
func (r *seatRows) visit(s engine.State, seat, action int, legal []int, logProb float32, memory bool) {
	choice := r.count(legal)
	if choice {
		r.newest = r.Len()
	}
	if choice || memory {
		r.add(s, seat, action, legal, logProb)
	}
	if r.newest != none {
		r.Spans[r.newest]++
	}
}

// credit adds a shaping reward that follows the newest decision. It belongs to the newest
// sample, discounted for the forced decisions since; before the first sample it belongs to
// none, since no choice led to it.
func (r *seatRows) credit(reward, gamma float32) {
	if r.newest != none {
		r.Rewards[r.newest] += power(gamma, r.Spans[r.newest]-1) * reward
	}
}

// power returns the discount over a number of decisions.
func power(gamma float32, decisions int32) float32 {
	return float32(math.Pow(float64(gamma), float64(decisions)))
}

// Rows are what the agent decided in one game, with the shaping rewards that followed. They belong to their recorder,
// and hold until its next game.
type Rows struct {
	episode *Episode
	results []float32 // by seat
	seats   []seatRows
	counted bool            // decisions are counted only: a caller that needs them reads the history again
	chance  *controlVariate // nil: chance is not looked at
}

// Recorder turns games into rows. It belongs to one goroutine.
type Recorder struct {
	rows    Rows
	step    Step
	memory  bool      // of the network
	shapers []*shaper // by stage of the curriculum
	shaper  *shaper   // of the current game

	chanceRecorders []*chanceRecorder // by stage; nil: chance is not looked at
	chance          *chanceRecorder   // of the current game

	teachers []*teacher  // by stage; nil: there is none
	teacher  *teacher    // of the current game
	taught   func() bool // teachers are asked
}

// newRecorder returns a recorder for the games of a curriculum, given by stage number.
func newRecorder(c Config, games []engine.Game, memory bool) *Recorder {
	r := &Recorder{rows: Rows{seats: make([]seatRows, games[0].Spec().Seats)}, memory: memory}
	for i := range r.rows.seats {
		r.rows.seats[i].spec = games[0].Spec()
	}
	for _, g := range games {
		r.shapers = append(r.shapers, newShaper(c, g))
	}
	return r
}

// Record reads a game. The error is that of its steps.
func (r *Recorder) Record(e *Episode) (*Rows, error) {
	r.begin(e)
	for e.Steps.Next(&r.step) {
		r.visit(&r.step)
	}
	results, err := e.Steps.End()
	if err != nil {
		return nil, err
	}
	return r.end(results), nil
}

func (r *Recorder) begin(e *Episode) {
	r.rows.episode = e
	for i := range r.rows.seats {
		r.rows.seats[i].clear()
	}
	r.shaper = r.shapers[e.Stage]
	if r.chanceRecorders != nil {
		r.chance = r.chanceRecorders[e.Stage]
		r.chance.begin(e.Seed)
	}
	if r.teacher = nil; r.teachers != nil && r.taught() {
		r.teacher = r.teachers[e.Stage]
		r.teacher.begin(e.Seed)
	}
}

func (r *Recorder) visit(s *Step) {
	seats := r.rows.seats
	switch {
	case r.rows.counted:
		if s.Own {
			seats[s.Seat].count(s.Legal)
		}
		return
	case s.Seat == engine.Chance:
		if r.chance != nil {
			r.chance.see(s.State, s.Action, seats)
		}
		return
	}
	if r.chance != nil && len(s.Legal) > 1 {
		r.chance.choose(s.State, s.Seat)
	}
	if s.Own {
		d := &seats[s.Seat]
		d.visit(s.State, s.Seat, s.Action, s.Legal, s.LogProb, r.memory)
		if r.teacher != nil && len(d.TeacherTargets) < len(d.Legal) {
			d.TeacherTargets = r.teacher.show(s.State, s.Legal, d.TeacherTargets)
		}
	}
	if r.shaper != nil {
		r.shaper.reward(s.State, s.Action, seats)
	}
}

// end returns the rows of the game that was read, with its results.
func (r *Recorder) end(results []float32) *Rows {
	r.rows.results = results
	if r.chance != nil {
		r.chance.end(results)
		r.rows.chance = &r.chance.controlVariate
	}
	return &r.rows
}
