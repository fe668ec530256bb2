package messages

import (
	"slices"

	"croupier/engine"
)

// Replay is an episode that is played again step by step, which verifies it. It is its verifier's, of which it is the
// only one at a time.
//
// A step is a decision of any seat or what chance brought. Between two calls of Next its fields and methods tell of the
// newest one, which is not applied to the state yet.
type Replay struct {
	Seat    int     // engine.Chance for chance
	Action  int     // or the outcome
	Agent   *Agent  // the seat's; nil for chance
	LogProb float32 // with which the agent chose, if it is learning

	verifier  *Verifier
	episode   *Episode
	agents    []*Agent
	steps     int // in all
	next      int // number of the next one
	decisions int // of learning agents, so far
	err       error
}

// Next moves to the next step. It returns false after the last, and where the episode is refused; it is not called
// again then. What was gathered of an episode that is refused is to be discarded.
func (r *Replay) Next() bool {
	if r.next > 0 && r.err == nil {
		r.err = r.apply()
	}
	switch {
	case r.err != nil:
		return false
	case r.next == r.steps:
		r.err = r.verifier.end(r.episode, r.steps, r.decisions)
		return false
	}
	r.Action = StepAt(r.episode.History, r.verifier.width, r.next)
	r.err = r.check()
	r.next++
	return r.err == nil
}

// Err reports why the episode is refused, a *Refusal, after Next has returned false. It is nil if the episode is
// accepted.
func (r *Replay) Err() error { return r.err }

// Rest reads what is left of the episode and returns whether it is accepted, as Err does.
func (r *Replay) Rest() error {
	for r.Next() {
	}
	return r.err
}

// State returns the state before the step. It must not be changed.
func (r *Replay) State() engine.State { return r.verifier.state }

// Legal returns the legal actions at a decision, valid until Next.
func (r *Replay) Legal() []int {
	if r.Agent == nil {
		return nil
	}
	return r.verifier.legal
}

// check reads the next step's fields and checks it against the state.
func (r *Replay) check() (err error) {
	v := r.verifier
	r.Seat, r.Agent, r.LogProb = v.state.Player(), nil, 0
	switch r.Seat {
	case engine.Terminal:
		return Refuse(ReasonLength, "%d steps, the game was over after %d", r.steps, r.next)
	case engine.Chance:
		if want := v.state.SampleChance(&v.chance); r.Action != want {
			return Refuse(ReasonChance, "step %d: outcome %d, the seed yields %d", r.next, r.Action, want)
		}
		return nil
	}
	r.Agent = r.agents[r.episode.Seats[r.Seat]]
	v.legal = v.state.LegalActions(v.legal[:0])
	if _, ok := slices.BinarySearch(v.legal, r.Action); !ok {
		return Refuse(ReasonIllegal, "step %d: action %d of seat %d", r.next, r.Action, r.Seat+1)
	}
	if r.Agent.Learning {
		r.LogProb, err = decisionLogProb(r.episode, r.decisions)
		r.decisions++
	}
	return err
}

// apply applies the newest step to the state.
func (r *Replay) apply() error {
	v := r.verifier
	if v.meter != nil {
		v.meter.MeasureStep(r.Action, v.sums)
	}
	if err := v.state.Apply(r.Action); err != nil {
		return Refuse(ReasonIllegal, "step %d: %v", r.next-1, err)
	}
	return nil
}
