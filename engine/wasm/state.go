package wasm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"croupier/engine"
	"croupier/engine/described"
)

// patience is after how many decisions that were not observed a step no longer makes an observation along with it.
const patience = 8

// State is a position: the bytes of the module's state, and what its last step has told of it.
type State struct {
	described.Node
	game        *Game
	last        *instance // of the last call
	bytes       []byte
	observation []float32
	observed    int // the seat whose observation it is, -1 for none
	unobserved  int // decisions since the last one that was observed, up to patience
}

func (g *Game) newState(in *instance) *State {
	return &State{
		Node: g.NewNode(), game: g, last: in, bytes: make([]byte, g.stateSize),
		observation: make([]float32, g.Spec().ObservationSize), observed: -1,
	}
}

// begin has the module make the beginning, in a state of zeros.
func (s *State) begin() {
	in, err := s.game.enter(s.last)
	if err == nil {
		defer in.leave()
		if err = in.on(s.bytes, in.reset, s.game.Description); err == nil {
			err = s.read(in)
		}
	}
	if err != nil {
		s.game.Fail("export reset", nil, err)
	}
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { s.CopyFrom(s.game.start) }

// Apply makes the step. Its error is an *engine.IllegalError, or the *Fault of the game.
func (s *State) Apply(step int) error {
	if err := s.game.Failed(); err != nil {
		return err
	}
	if err := s.Possible(step); err != nil {
		return err
	}
	in, err := s.game.enter(s.last)
	if err == nil {
		s.last = in
		err = s.apply(in, step)
		in.leave()
	}
	if err != nil {
		return s.game.Fail(fmt.Sprintf("export step(%d)", step), s.History(), err)
	}
	s.Made(step)
	return nil
}

// apply makes a possible step.
func (s *State) apply(in *instance, step int) error {
	mover := s.Player()
	in.stack[0], in.stack[1] = uint64(step), bit(s.unobserved < patience)
	if err := in.on(s.bytes, in.step, s.game.Description); err != nil {
		return err
	}
	if err := s.readSeen(in, mover); err != nil {
		return err
	}
	if err := s.read(in); err != nil {
		return err
	}
	s.observed = -1
	if s.Player() >= 0 && s.unobserved < patience {
		s.unobserved++
		if err := in.readObservation(s.observation); err != nil {
			return err
		}
		s.observed = s.Player()
	}
	return nil
}

// readSeen keeps what each seat has seen of a step.
func (s *State) readSeen(in *instance, mover int) error {
	if !s.Hides() {
		return nil
	}
	for seat := range s.game.Spec().Seats {
		if err := s.Notice(seat, mover, int32(binary.LittleEndian.Uint32(in.seen[4*seat:]))); err != nil {
			return err
		}
	}
	return nil
}

// read reads the state and the node that a step has led to.
func (s *State) read(in *instance) error {
	copy(s.bytes, in.state)
	count := int(binary.LittleEndian.Uint32(in.node[4:]))
	if err := s.Turn(int(int32(binary.LittleEndian.Uint32(in.node))), count); err != nil {
		return err
	}
	for i := range count {
		if err := s.Add(int32(binary.LittleEndian.Uint32(in.steps[4*i:]))); err != nil {
			return err
		}
	}
	if s.Player() == engine.Chance {
		for i := range count {
			if err := s.Weigh(binary.LittleEndian.Uint32(in.weights[4*i:])); err != nil {
				return err
			}
		}
	}
	return s.readResults(in)
}

// readResults reads the scores, and at the end the returns.
func (s *State) readResults(in *instance) error {
	for i := range s.Points() {
		s.Points()[i] = int64(binary.LittleEndian.Uint64(in.scores[8*i:]))
	}
	if s.Player() != engine.Terminal {
		return nil
	}
	for seat := range s.game.Spec().Seats {
		if err := s.Result(seat, math.Float64frombits(binary.LittleEndian.Uint64(in.returns[8*seat:]))); err != nil {
			return err
		}
	}
	return s.Settled()
}

// Seen returns what a seat sees of a step.
func (s *State) Seen(seat, step int) int {
	if s.game.Spec().PerfectInformation {
		return step
	}
	what := engine.Hidden
	s.ask("seen", func(in *instance) error {
		v, err := in.about(s, in.see, seat, step)
		if err == nil {
			err = s.CanSee(seat, s.Player(), int32(v))
		}
		if err == nil {
			what = int(int32(v))
		}
		return err
	})
	return what
}

// about calls an export about the state.
func (in *instance) about(s *State, f api.Function, arguments ...int) (uint32, error) {
	for i, a := range arguments {
		in.stack[i] = uint64(uint32(int32(a)))
	}
	err := in.on(s.bytes, f, s.game.Description)
	return uint32(in.stack[0]), err
}

// ask has an instance answer about the state. A wrong answer is a fault of the game, which the next Apply returns.
func (s *State) ask(export string, answer func(*instance) error) bool {
	in, err := s.game.enter(s.last)
	if err == nil {
		s.last = in
		err = answer(in)
		in.leave()
	}
	if err != nil {
		s.game.Fail("export "+export, s.History(), err)
	}
	return err == nil
}

// Observe writes what a seat may know.
func (s *State) Observe(seat int, dst []float32) {
	dst = dst[:len(s.observation)]
	if seat == s.Player() {
		s.unobserved = 0
	}
	if s.observed != seat {
		s.observed = seat
		if !s.ask("observe", func(in *instance) error {
			if _, err := in.about(s, in.observe, seat); err != nil {
				return err
			}
			return in.readObservation(s.observation)
		}) {
			clear(s.observation)
		}
	}
	copy(dst, s.observation)
}

// InformationKey appends the state where every seat sees every step, else what the seat has seen.
func (s *State) InformationKey(seat int, buf []byte) []byte { return s.Key(seat, s.bytes, buf) }

// CopyFrom makes the state equal to src, but for the observation, which is made again when it is asked for.
func (s *State) CopyFrom(src engine.State) {
	o := src.(*State)
	if s == o {
		return
	}
	copy(s.bytes, o.bytes)
	s.CopyNode(&o.Node)
	s.observed = -1
}

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := s.game.newState(s.last)
	c.CopyFrom(s)
	return c
}

// ActionName names an action.
func (s *State) ActionName(action int) string { return s.Node.ActionName(action, s.named(action)) }

// OutcomeName names an outcome.
func (s *State) OutcomeName(outcome int) string { return s.Node.OutcomeName(outcome, s.named(outcome)) }

// named asks the module for the name of a step, "" if it gives none.
func (s *State) named(step int) (name string) {
	s.ask("name", func(in *instance) (err error) {
		if in.name == nil {
			return nil
		}
		if name, err = in.text(s, in.name, step); !described.Printable(name) {
			name, err = "", fmt.Errorf("the name of step %d has a line break or another control character", step)
		}
		return err
	})
	return name
}

// text returns the text whose address an export returns, "" for the address 0.
func (in *instance) text(s *State, f api.Function, arguments ...int) (string, error) {
	address, err := in.about(s, f, arguments...)
	if err != nil || address == 0 {
		return "", err
	}
	return in.zeroTerminated("text", address, maxText)
}

// String shows the position as the module writes it, or says who is to move.
func (s *State) String() (position string) {
	s.ask("text", func(in *instance) (err error) {
		if in.position != nil {
			position, err = in.text(s, in.position)
		}
		return err
	})
	return s.Position(position)
}
