package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/engine/described"
)

// State is a position: the value that the program has made of it, and what it has reported of it. After Apply the step
// may be on its way.
type State struct {
	game         *Game
	lane         *lane
	node         described.Node
	raw          json.RawMessage
	key          string      // of the position, "" for raw
	observation  []float32   // of the seat to move, nil if the program has not sent it
	observations [][]float32 // of all seats, once they were asked for
	pending      *item       // the step that is on its way
	ahead        *item       // steps that were foreseen
	consumed     int         // of these
}

func (g *Game) newState(l *lane) *State { return &State{game: g, lane: l, node: g.NewNode()} }

// at returns the node, once the step that was on its way is made. After a fault of the game it is the one before.
func (s *State) at() *described.Node {
	if it := s.pending; it != nil {
		s.pending = nil
		s.lane.wait(it)
		s.take(it, 0)
	}
	return &s.node
}

// take makes a step of the path of an item that is done.
func (s *State) take(it *item, i int) {
	err := it.err
	if err == nil && i >= len(it.nodes) {
		err = s.game.Fail(s.lane.named(), it.history(), fmt.Errorf("its answer lacks the node after a possible step"))
	}
	if err != nil {
		return // the next Apply returns it
	}
	step := it.steps[i]
	if err := s.follow(&it.nodes[i], s.node.Player()); err != nil {
		s.game.Fail(s.lane.named(), append(slices.Clone(s.node.History()), int32(step)), err)
		return
	}
	s.node.Made(step)
}

// follow makes the node that of the program.
func (s *State) follow(w *node, mover int) error {
	if n, size := len(w.Observation), s.game.Spec().ObservationSize; n > 0 {
		if err := observed(w.Observation, size); err != nil {
			return err
		}
	}
	if err := w.write(&s.node, s.game.Description, mover); err != nil {
		return err
	}
	s.raw, s.key, s.observation, s.observations = w.State, w.Key, w.Observation, nil
	return nil
}

// observed checks an observation.
func observed(v []float32, size int) error {
	if err := counted("observation", len(v), size); err != nil {
		return err
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("number %d of the observation is %v", i, x)
		}
	}
	return nil
}

// Pending implements engine.Deferred.
func (s *State) Pending() bool { return s.pending != nil }

// Foresee implements engine.Deferred.
func (s *State) Foresee(steps []int) {
	s.at()
	if len(steps) < 2 {
		return // one alone would be taken for a possible one
	}
	before := slices.Clone(s.node.History())
	s.ahead, s.consumed = &item{game: s.game, before: before, state: s.raw, steps: slices.Clone(steps)}, 0
	s.lane.put(s.ahead)
}

// Apply makes the step, or sends it on its way. Its error is an *engine.IllegalError, or the *described.Fault of the
// game.
func (s *State) Apply(step int) error {
	n := s.at()
	if err := s.game.Failed(); err != nil {
		return err
	}
	if err := n.Possible(step); err != nil {
		return err
	}
	if it := s.ahead; it != nil {
		if s.foreseen(it, step) {
			return s.game.Failed()
		}
		s.ahead = nil
	}
	s.pending = &item{game: s.game, before: n.History(), state: s.raw, steps: []int{step}}
	s.lane.put(s.pending)
	return nil
}

// foreseen makes a step that was foreseen, and reports whether it was.
func (s *State) foreseen(it *item, step int) bool {
	if s.consumed == len(it.steps) || it.steps[s.consumed] != step {
		return false
	}
	s.lane.wait(it)
	s.take(it, s.consumed)
	s.consumed++
	return true
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { s.CopyFrom(s.game.start) }

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) {
	o := src.(*State)
	if s == o {
		return
	}
	s.at()
	s.node.CopyNode(o.at())
	s.raw, s.key, s.observation, s.observations = o.raw, o.key, o.observation, o.observations
	s.ahead = nil
}

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := s.game.newState(s.lane)
	c.CopyFrom(s)
	return c
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return s.at().Player() }

// LegalActions appends the legal actions of the seat to move.
func (s *State) LegalActions(buf []int) []int { return s.at().LegalActions(buf) }

// Outcomes appends the outcomes of a chance node.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome { return s.at().Outcomes(buf) }

// SampleChance draws one of as many cases as the weights have together.
func (s *State) SampleChance(rng *engine.RNG) int { return s.at().SampleChance(rng) }

// Returns writes each seat's return.
func (s *State) Returns(dst []float64) { s.at().Returns(dst) }

// Scores appends the game's points, if it has any.
func (s *State) Scores(buf []int64) []int64 { return s.at().Scores(buf) }

// InformationKey appends the position's key, or the program's value, where every seat sees every step, else what the
// seat has seen.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	n, position := s.at(), []byte(s.raw)
	if s.key != "" {
		position = []byte(s.key)
	}
	return n.Key(seat, position, buf)
}

// Seen returns what a seat sees of a step.
func (s *State) Seen(seat, step int) int {
	if s.game.Spec().PerfectInformation {
		return step
	}
	what := engine.Hidden
	s.ask(request{Type: askSeen, Step: &step}, func(a *answer) error {
		err := counted("seen", len(a.Seen), s.game.Spec().Seats)
		if err == nil {
			err = s.node.CanSee(seat, s.node.Player(), a.Seen[seat])
		}
		if err == nil {
			what = int(a.Seen[seat])
		}
		return err
	})
	return what
}

// Observe writes what a seat may know.
func (s *State) Observe(seat int, dst []float32) {
	n := s.at()
	dst = dst[:s.game.Spec().ObservationSize]
	if seat == n.Player() && s.observation != nil {
		copy(dst, s.observation)
		return
	}
	if s.observations == nil && !s.ask(request{Type: askObserve}, s.observe) {
		clear(dst)
		return
	}
	copy(dst, s.observations[seat])
}

// observe keeps the observations of all seats.
func (s *State) observe(a *answer) error {
	err := counted("observations", len(a.Observations), s.game.Spec().Seats)
	for _, v := range a.Observations {
		if err == nil {
			err = observed(v, s.game.Spec().ObservationSize)
		}
	}
	if err == nil {
		s.observations = a.Observations
	}
	return err
}

// ask asks a question about the state. A wrong answer is a fault of the game, which the next Apply returns.
func (s *State) ask(r request, use func(*answer) error) bool {
	n := s.at()
	if s.game.Failed() != nil {
		return false
	}
	r.State = s.raw
	a, line, err := s.lane.ask(&r)
	if err == nil {
		err = use(a)
	}
	if err != nil {
		s.game.Fail(line, n.History(), err)
	}
	return err == nil
}

// ActionName names an action.
func (s *State) ActionName(action int) string { return s.at().ActionName(action, s.named(action)) }

// OutcomeName names an outcome.
func (s *State) OutcomeName(outcome int) string { return s.at().OutcomeName(outcome, s.named(outcome)) }

// named asks the program for the name of a step, "" if it gives none.
func (s *State) named(step int) (name string) {
	s.ask(request{Type: askName, Step: &step}, func(a *answer) error {
		if !described.Printable(a.Text) {
			return fmt.Errorf("the name of step %d has a line break or another control character", step)
		}
		name = a.Text
		return nil
	})
	return name
}

// String shows the position as the program writes it, or says who is to move.
func (s *State) String() (position string) {
	s.ask(request{Type: askText}, func(a *answer) error {
		position = string(bytes.TrimRight([]byte(a.Text), "\n"))
		return nil
	})
	return s.at().Position(position)
}
