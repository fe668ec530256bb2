package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"croupier/engine"
)

// patience is after how many decisions that nobody has observed a step no longer makes an observation along with it.
const patience = 8

// State is a position: the bytes of the module's state, and what its last step has told of it.
type State struct {
	game        *Game
	last        *instance // of the last call
	bytes       []byte
	player      int
	steps       []int32 // legal actions, or outcomes
	weights     []uint32
	total       uint64 // of the weights
	returns     []float64
	scores      []int64
	history     []int32
	seen        [][]byte // what each seat has seen, where information is hidden
	observation []float32
	observed    int // the seat whose observation it is, -1 for none
	unobserved  int // decisions since the last one that was observed, up to patience
}

func (g *Game) newState(in *instance) *State {
	s := &State{
		game: g, last: in, bytes: make([]byte, g.stateSize), returns: make([]float64, g.spec.Seats),
		observation: make([]float32, g.spec.ObservationSize), observed: -1,
	}
	if g.description.Scores {
		s.scores = make([]int64, g.spec.Seats)
	}
	if g.description.HiddenInformation {
		s.seen = make([][]byte, g.spec.Seats)
	}
	return s
}

// begin has the module make the beginning, in a state of zeros.
func (s *State) begin() {
	in, err := s.game.enter(s.last)
	if err == nil {
		defer in.leave()
		if err = in.on(s.bytes, in.reset, s.game.description); err == nil {
			err = s.read(in)
		}
	}
	if err != nil {
		s.game.fail("reset", nil, err)
	}
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { s.CopyFrom(s.game.start) }

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return s.player }

// LegalActions appends the legal actions of the seat to move.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	for _, step := range s.steps {
		buf = append(buf, int(step))
	}
	return buf
}

// Outcomes appends the outcomes of a chance node.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	for i, step := range s.steps {
		buf = append(buf, engine.Outcome{Index: int(step), Probability: float64(s.weights[i]) / float64(s.total)})
	}
	return buf
}

// SampleChance draws one of as many cases as the weights have together.
func (s *State) SampleChance(rng *engine.RNG) int {
	drawn := uint64(rng.IntN(int(s.total)))
	if s.total == uint64(len(s.steps)) {
		return int(s.steps[drawn])
	}
	for i, weight := range s.weights {
		if drawn < uint64(weight) {
			return int(s.steps[i])
		}
		drawn -= uint64(weight)
	}
	return int(s.steps[len(s.steps)-1])
}

// Apply makes the step. Its error is an *engine.IllegalError, or the *Fault of the game.
func (s *State) Apply(step int) error {
	if err := s.game.failed(); err != nil {
		return err
	}
	if err := s.possible(step); err != nil {
		return err
	}
	in, err := s.game.enter(s.last)
	if err == nil {
		s.last = in
		err = s.apply(in, step)
		in.leave()
	}
	if err != nil {
		return s.game.fail(fmt.Sprintf("step(%d)", step), s.history, err)
	}
	s.history = append(s.history, int32(step))
	return nil
}

func (s *State) possible(step int) error {
	switch {
	case int(int32(step)) == step && slices.Contains(s.steps, int32(step)):
		return nil
	case s.player == engine.Terminal:
		return &engine.IllegalError{Player: s.player, Action: step, Reason: "the game is over"}
	}
	return &engine.IllegalError{Player: s.player, Action: step, Reason: fmt.Sprintf("possible are %v", s.steps)}
}

// apply makes a possible step.
func (s *State) apply(in *instance, step int) error {
	mover := s.player
	in.stack[0], in.stack[1] = uint64(step), bit(s.unobserved < patience)
	if err := in.on(s.bytes, in.step, s.game.description); err != nil {
		return err
	}
	if err := s.readSeen(in, mover); err != nil {
		return err
	}
	if err := s.read(in); err != nil {
		return err
	}
	s.observed = -1
	if s.player >= 0 && s.unobserved < patience {
		s.unobserved++
		if err := in.readObservation(s.observation); err != nil {
			return err
		}
		s.observed = s.player
	}
	return nil
}

// readSeen keeps what each seat has seen of a step.
func (s *State) readSeen(in *instance, mover int) error {
	if s.seen == nil {
		return nil
	}
	for seat := range s.seen {
		what, err := s.whatSeen(int32(binary.LittleEndian.Uint32(in.seen[4*seat:])), seat, mover)
		if err != nil {
			return err
		}
		if what != engine.Unnoticed {
			s.seen[seat] = binary.AppendUvarint(append(s.seen[seat], byte(mover+1)), uint64(what+1))
		}
	}
	return nil
}

// whatSeen checks what a seat sees of a step of the mover.
func (s *State) whatSeen(what int32, seat, mover int) (int, error) {
	if what < engine.Unnoticed || what == engine.Unnoticed && (mover < 0 || mover == seat) {
		return 0, fmt.Errorf("seat %d cannot see %d of a step of player %d", seat, what, mover)
	}
	if what == engine.Unnoticed && !s.game.spec.Covert {
		return 0, fmt.Errorf("seat %d does not notice a step, but the description does not say covert", seat)
	}
	return int(what), nil
}

// read reads the state and the node that a step has led to.
func (s *State) read(in *instance) error {
	copy(s.bytes, in.state)
	player, count := int32(binary.LittleEndian.Uint32(in.node)), binary.LittleEndian.Uint32(in.node[4:])
	s.player = int(player)
	limit := s.game.spec.Actions
	switch {
	case s.player < engine.Terminal || s.player >= s.game.spec.Seats:
		return fmt.Errorf("there is no player %d", player)
	case s.player == engine.Terminal:
		limit = 0
	case s.player == engine.Chance:
		limit = s.game.spec.Outcomes
	}
	if int64(count) > int64(limit) || count == 0 && s.player != engine.Terminal {
		return fmt.Errorf("player %d has %d possible steps: there are at most %d, and at least one before the end", player,
			count, limit)
	}
	if err := s.readSteps(in, int(count), limit); err != nil {
		return err
	}
	return s.readResults(in)
}

func (s *State) readSteps(in *instance, count, limit int) error {
	before := int32(-1)
	s.steps, s.weights, s.total = s.steps[:0], s.weights[:0], 0
	for i := range count {
		step := int32(binary.LittleEndian.Uint32(in.steps[4*i:]))
		if step <= before || int(step) >= limit {
			return fmt.Errorf("possible step %d of player %d is %d after %d: they must ascend below %d", i, s.player, step,
				before, limit)
		}
		s.steps, before = append(s.steps, step), step
	}
	if s.player != engine.Chance {
		return nil
	}
	for i := range count {
		weight := binary.LittleEndian.Uint32(in.weights[4*i:])
		if s.total += uint64(weight); weight == 0 || s.total >= weightLimit {
			return fmt.Errorf("outcome %d has the weight %d: weights must be above 0 and their sum below 2^32", s.steps[i], weight)
		}
		s.weights = append(s.weights, weight)
	}
	return nil
}

// readResults reads the scores, and at the end the returns.
func (s *State) readResults(in *instance) error {
	if s.scores != nil {
		for i := range s.scores {
			s.scores[i] = int64(binary.LittleEndian.Uint64(in.scores[8*i:]))
		}
	}
	if s.player != engine.Terminal {
		clear(s.returns)
		return nil
	}
	sum := 0.0
	for i := range s.returns {
		v := math.Float64frombits(binary.LittleEndian.Uint64(in.returns[8*i:]))
		if !(math.Abs(v) <= s.game.spec.MaxReturn) {
			return fmt.Errorf("the return of seat %d is %v: the description says max_return %v", i, v, s.game.spec.MaxReturn)
		}
		s.returns[i] = v
		sum += v
	}
	if math.Abs(sum) > 1e-9 {
		return fmt.Errorf("the returns %v do not sum to 0", s.returns)
	}
	return nil
}

// Seen returns what a seat sees of a step.
func (s *State) Seen(seat, step int) int {
	if s.game.spec.PerfectInformation {
		return step
	}
	what := engine.Hidden
	s.ask("seen", func(in *instance) error {
		v, err := in.about(s, in.see, seat, step)
		if err == nil {
			what, err = s.whatSeen(int32(v), seat, s.player)
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
	err := in.on(s.bytes, f, s.game.description)
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
		s.game.fail(export, s.history, err)
	}
	return err == nil
}

// Observe writes what a seat may know.
func (s *State) Observe(seat int, dst []float32) {
	dst = dst[:len(s.observation)]
	if seat == s.player {
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
func (s *State) InformationKey(seat int, buf []byte) []byte {
	if s.seen == nil {
		return append(buf, s.bytes...)
	}
	return append(buf, s.seen[seat]...)
}

// Returns writes each seat's return.
func (s *State) Returns(dst []float64) { copy(dst, s.returns) }

// Scores appends the game's points, if it has any.
func (s *State) Scores(buf []int64) []int64 { return append(buf, s.scores...) }

// CopyFrom makes the state equal to src, but for the observation, which is made again when it is asked for.
func (s *State) CopyFrom(src engine.State) {
	o := src.(*State)
	if s == o {
		return
	}
	copy(s.bytes, o.bytes)
	s.player, s.total = o.player, o.total
	s.steps, s.weights = append(s.steps[:0], o.steps...), append(s.weights[:0], o.weights...)
	s.history = append(s.history[:0], o.history...)
	copy(s.returns, o.returns)
	copy(s.scores, o.scores)
	for seat := range s.seen {
		s.seen[seat] = append(s.seen[seat][:0], o.seen[seat]...)
	}
	s.observed = -1
}

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := s.game.newState(s.last)
	c.CopyFrom(s)
	return c
}

// ActionName names an action.
func (s *State) ActionName(action int) string {
	if name := s.named(action); name != "" {
		return name
	}
	return s.game.actionNames[action]
}

// OutcomeName names an outcome.
func (s *State) OutcomeName(outcome int) string {
	if name := s.named(outcome); name != "" {
		return name
	}
	if names := s.game.description.OutcomeNames; names != nil {
		return names[outcome]
	}
	return strconv.Itoa(outcome)
}

// named asks the module for the name of a step, "" if it gives none.
func (s *State) named(step int) (name string) {
	s.ask("name", func(in *instance) (err error) {
		if in.name == nil {
			return nil
		}
		if name, err = in.text(s, in.name, step); !printable(name) {
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
	if strings.TrimSpace(position) != "" {
		return position
	}
	switch s.player {
	case engine.Terminal:
		return fmt.Sprintf("The game is over, with the returns %v", s.returns)
	case engine.Chance:
		return "Chance is to move"
	}
	return fmt.Sprintf("Seat %d is to move", s.player)
}
