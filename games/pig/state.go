package pig

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"croupier/engine"
)

// State is a position.
type State struct {
	game   *Game
	scores [seats]int32
	turn   int32 // points of this turn
	seat   int8  // whose turn it is; at the end, the winner
	player int8  // seat, engine.Chance or engine.Terminal
	die    int8  // newest roll of this turn, 0 before the first
	before ended // how the turn before ended; for boards only
}

// ended is how a turn ended: with a 1, which loses its points, or by holding them. Both are false
// before the first turn has ended.
type ended struct {
	points     int32
	lost, held bool
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { *s = State{game: s.game} }

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// Turn returns the points of this turn.
func (s *State) Turn() int { return int(s.turn) }

// LegalActions appends roll and hold.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	return append(buf, Roll, Hold)
}

// Outcomes appends the six faces.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	for face := range faces {
		buf = append(buf, engine.Outcome{Index: face, Probability: 1.0 / faces})
	}
	return buf
}

// SampleChance rolls the die.
func (s *State) SampleChance(rng *engine.RNG) int { return rng.IntN(faces) }

// Apply makes the decision to roll or hold, or sets what the die shows.
func (s *State) Apply(step int) error {
	switch {
	case s.player >= 0 && step == Roll:
		s.player = engine.Chance
	case s.player >= 0 && step == Hold:
		s.hold()
	case s.player == engine.Chance && step == 0:
		s.pass(ended{points: s.turn, lost: true})
	case s.player == engine.Chance && uint(step) < faces:
		s.turn += int32(step + 1)
		s.die = int8(step + 1)
		s.player = s.seat
	default:
		return s.refuse(step)
	}
	return nil
}

func (s *State) refuse(step int) error {
	reason := "on its turn a player rolls (0) or holds (1)"
	switch s.player {
	case engine.Chance:
		reason = "the die shows 1 to 6, which are the outcomes 0 to 5"
	case engine.Terminal:
		reason = "the game is over"
	}
	return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
}

func (s *State) hold() {
	held := ended{points: s.turn, held: true}
	s.scores[s.seat] += s.turn
	if s.scores[s.seat] >= s.target() {
		s.turn, s.die, s.before = 0, 0, held
		s.player = engine.Terminal
		return
	}
	s.pass(held)
}

// pass gives the turn to the other seat after one that ended so.
func (s *State) pass(before ended) {
	s.turn, s.die, s.before = 0, 0, before
	s.seat = 1 - s.seat
	s.player = s.seat
}

func (s *State) target() int32 { return int32(s.game.rules.Target) }

// Seen returns the step: everything is public.
func (s *State) Seen(_, step int) int { return step }

// Returns gives +1 to the winner and -1 to the other.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.player == engine.Terminal {
		dst[s.seat], dst[1-s.seat] = 1, -1
	}
}

// Scores appends the held points.
func (s *State) Scores(buf []int64) []int64 {
	return append(buf, int64(s.scores[0]), int64(s.scores[1]))
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}

// InformationKey appends the position; it is the same for both seats.
func (s *State) InformationKey(_ int, buf []byte) []byte {
	buf = append(buf, byte(s.player), byte(s.seat))
	buf = binary.AppendUvarint(buf, uint64(s.scores[0]))
	buf = binary.AppendUvarint(buf, uint64(s.scores[1]))
	return binary.AppendUvarint(buf, uint64(s.turn))
}

// ActionName is "roll" or "hold".
func (s *State) ActionName(action int) string { return [...]string{"roll", "hold"}[action] }

// OutcomeName is what the die shows.
func (s *State) OutcomeName(outcome int) string { return strconv.Itoa(outcome + 1) }

// String shows the scores and the turn.
func (s *State) String() string {
	scores := fmt.Sprintf("%d : %d of %d, ", s.scores[0], s.scores[1], s.target())
	switch s.player {
	case engine.Terminal:
		return scores + fmt.Sprintf("seat %d has won", s.seat+1)
	case engine.Chance:
		return scores + fmt.Sprintf("seat %d rolls with %d in this turn", s.seat+1, s.turn)
	}
	return scores + fmt.Sprintf("seat %d has %d in this turn", s.seat+1, s.turn)
}
