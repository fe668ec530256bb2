package langestrasse

import (
	"encoding/binary"

	"croupier/engine"
)

// State is a position.
type State struct {
	tables   *tables
	standing Standing
	money    Money
	turn     int32  // points of the finished sets of the turn
	node     uint16 // the set with the roll; 0 when there is none
	set      uint8  // what is kept, an index of tables.sets
	player   int8   // whose turn it is at a decision, else engine.Chance or engine.Terminal
	past     past   // for boards only
}

// past is what boards show of the turns before this one, and nothing depends on.
type past struct {
	striche [seats]uint8 // of the whole game; a position that tells of one or more counts one
	seat    int8         // whose turn the newest was
	end     turnEnd
	set     uint8  // of a strich: what was kept of its set
	node    uint16 // of a strich: the throw
	totale  bool   // a strich of the first round
	points  int32  // scored, or lost with the strich
}

// turnEnd is how a turn ended.
type turnEnd uint8

const (
	noTurn  turnEnd = iota // there was none
	stopped                // the player stopped
	paired                 // with a Talheim
	struck                 // with a strich
)

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	*s = State{tables: s.tables, standing: Beginning(), player: engine.Chance}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// LegalActions appends the keeps, then the special throw if the roll is one.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	for _, m := range s.tables.at(s.node) {
		buf = append(buf, int(m.Action))
	}
	return buf
}

// Outcomes appends the sorted throws of the remaining dice.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	return append(buf, s.tables.odds[s.tables.left[s.set]]...)
}

// SampleChance rolls the remaining n dice as one number out of 6^n.
func (s *State) SampleChance(rng *engine.RNG) int {
	ways := s.tables.ways[s.tables.left[s.set]]
	return int(ways[rng.IntN(len(ways))])
}

// Apply rolls the dice or keeps some.
func (s *State) Apply(step int) error {
	switch s.player {
	case engine.Chance:
		if uint(step) >= uint(len(s.tables.odds[s.tables.left[s.set]])) {
			return s.refuse(step)
		}
		s.rolled(step)
		return nil
	case engine.Terminal:
		return s.refuse(step)
	}
	for _, m := range s.tables.at(s.node) {
		if int(m.Action) == step {
			s.move(m)
			return nil
		}
	}
	return s.refuse(step)
}

// rolled asks the player what to keep, or ends his turn with a strich.
func (s *State) rolled(outcome int) {
	node := s.tables.base[s.set] + uint16(outcome)
	if len(s.tables.at(node)) > 0 {
		s.node, s.player = node, s.standing.Seat
		return
	}
	s.past.strich(s, node)
	s.endTurn(0, true)
}

// move keeps dice and rolls on, begins a new set, or ends the turn.
func (s *State) move(m Move) {
	if m.Stops() {
		s.past.scored(s, m)
		s.endTurn(s.turn+int32(m.Points), false)
		return
	}
	if m.Action == Straight {
		s.money.fromOthers(int(s.standing.Seat), s.tables.straightMoney(s.set))
	}
	if m.Fills() {
		s.turn += int32(m.Points)
	}
	s.set, s.node, s.player = m.Next, 0, engine.Chance
}

// endTurn scores the turn and gives the dice to the next player, or ends the game.
func (s *State) endTurn(points int32, strich bool) {
	money, over := s.standing.EndTurn(points, strich)
	s.money.add(&money)
	s.turn, s.set, s.node, s.player = 0, 0, 0, engine.Chance
	if over {
		s.player = engine.Terminal
	}
}

// Seen returns the step: everything is public.
func (s *State) Seen(_, step int) int { return step }

// Returns writes the money in units of 100 ct.
func (s *State) Returns(dst []float64) {
	for seat, ct := range s.money {
		dst[seat] = 0
		if s.player == engine.Terminal {
			dst[seat] = float64(ct) / unit
		}
	}
}

// Scores appends the points.
func (s *State) Scores(buf []int64) []int64 {
	for _, score := range s.standing.Points {
		buf = append(buf, int64(score))
	}
	return buf
}

// InformationKey appends the position; it is the same for all seats.
func (s *State) InformationKey(_ int, buf []byte) []byte {
	buf = append(buf, byte(s.player), byte(s.standing.Seat), s.standing.Round, s.set, s.standing.Strich)
	buf = binary.LittleEndian.AppendUint16(buf, s.node)
	buf = binary.AppendUvarint(buf, uint64(s.turn))
	for seat, score := range s.standing.Points {
		buf = binary.AppendUvarint(buf, uint64(score))
		buf = binary.AppendVarint(buf, int64(s.money[seat]))
	}
	return buf
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}
