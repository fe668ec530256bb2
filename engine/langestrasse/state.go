package langestrasse

import (
	"encoding/binary"

	"croupier/engine"
)

// State is a position.
type State struct {
	tables *tables
	scores [seats]int32
	money  [seats]int32 // ct
	turn   int32        // points of the finished sets of the turn
	node   uint16       // the set with the roll; 0 when there is none
	set    uint8        // what is kept, an index of tables.sets
	round  uint8        // from 1
	seat   int8         // whose turn it is
	player int8         // the same at a decision, else engine.Chance or engine.Terminal
	strich uint8        // mask of the seats that have had one
}

// Reset puts the state back to the beginning.
func (s *State) Reset() {
	*s = State{tables: s.tables, round: 1, player: engine.Chance}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// LegalActions appends the keeps, and the special throw if the roll is one.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	for _, m := range s.tables.at(s.node) {
		buf = append(buf, int(m.action))
	}
	return buf
}

// Outcomes appends the sorted throws of the dice that are left.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	return append(buf, s.tables.odds[s.tables.left[s.set]]...)
}

// SampleChance rolls the dice that are left, as one number of 6^n.
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
		if int(m.action) == step {
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
		s.node, s.player = node, s.seat
		return
	}
	s.strich |= 1 << s.seat
	if s.round == 1 {
		s.fromOthers(int(s.seat), -totaleMoney)
	}
	s.endTurn(0)
}

// move keeps dice and rolls on, begins a new set, or ends the turn.
func (s *State) move(m move) {
	if m.stops() {
		s.endTurn(s.turn + int32(m.points))
		return
	}
	if m.action == Straight {
		s.fromOthers(int(s.seat), s.straightMoney())
	}
	if m.fills() {
		s.turn += int32(m.points)
	}
	s.set, s.node, s.player = m.next, 0, engine.Chance
}

// straightMoney is what each other player pays for a Lange Strasse of this set.
func (s *State) straightMoney() int32 {
	if s.tables.sets[s.set].super {
		return superMoney
	}
	return straightMoney
}

// fromOthers pays the seat that many ct from each other.
func (s *State) fromOthers(seat int, ct int32) {
	for other := range s.money {
		s.money[other] -= ct
	}
	s.money[seat] += seats * ct
}

// pay moves ct from one seat to another.
func (s *State) pay(from, to int, ct int32) {
	s.money[from] -= ct
	s.money[to] += ct
}

// endTurn scores the turn and gives the dice to the next player, or ends the game.
func (s *State) endTurn(points int32) {
	s.scores[s.seat] += points
	s.turn, s.set, s.node, s.player = 0, 0, 0, engine.Chance
	if s.seat++; s.seat < seats {
		return
	}
	s.seat = 0
	if s.reached() || s.round == lastRound {
		s.player = engine.Terminal
		s.settle()
		return
	}
	s.round++
}

// reached tells whether somebody has the target, so that this round is the last.
func (s *State) reached() bool { return max(s.scores[0], s.scores[1], s.scores[2]) >= target }

// settle pays the money of the end.
func (s *State) settle() {
	rank := s.ranking()
	winner := rank[0]
	s.pay(rank[1], winner, secondMoney)
	s.pay(rank[2], winner, thirdMoney)
	if s.round <= fastRounds {
		s.fromOthers(winner, fastMoney)
	}
	for seat := range seats {
		if s.strich>>seat&1 == 0 {
			s.fromOthers(seat, cleanMoney)
		}
		if s.reached() && s.scores[seat] < half {
			s.pay(seat, winner, halfMoney)
		}
	}
}

// ranking returns the seats by points, of equals the earlier one first.
func (s *State) ranking() (rank [seats]int) {
	for seat := range seats {
		place := 0
		for other, score := range s.scores {
			if score > s.scores[seat] || score == s.scores[seat] && other < seat {
				place++
			}
		}
		rank[place] = seat
	}
	return rank
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
	for _, score := range s.scores {
		buf = append(buf, int64(score))
	}
	return buf
}

// InformationKey appends the position; it is the same for all seats.
func (s *State) InformationKey(_ int, buf []byte) []byte {
	buf = append(buf, byte(s.player), byte(s.seat), s.round, s.set, s.strich)
	buf = binary.LittleEndian.AppendUint16(buf, s.node)
	buf = binary.AppendUvarint(buf, uint64(s.turn))
	for seat, score := range s.scores {
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
