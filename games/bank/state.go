package bank

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"croupier/engine"
)

// State is a position. Seats are bits of the masks.
type State struct {
	game   *Game
	bank   int64
	totals [maxSeats]int64
	round  int32          // finished rounds
	roll   int32          // rolls in this round
	player int8           // seat to move, engine.Chance or engine.Terminal
	dice   uint8          // outcome of the newest roll of this round, or noDice
	active uint8          // seats that have not banked in this round
	asking uint8          // active seats that still have to answer in this phase
	banked uint8          // seats that have banked in this phase
	leads  [maxSeats]int8 // as the round began: -1 behind, 0 near, 1 ahead, see near
	before roundEnd       // how the round before ended; for boards only
}

// roundEnd is how a round ended.
type roundEnd struct {
	bank  int64 // at the end; lost if seven
	dice  uint8 // outcome of its last roll
	seven bool  // and not because everybody had banked
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	*s = State{game: s.game, player: engine.Chance, dice: noDice, active: s.game.all}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// LegalActions appends pass and bank: only active seats are ever asked.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	return append(buf, Pass, Bank)
}

// Outcomes appends the 21 pairs.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	return append(buf, odds[:]...)
}

// SampleChance rolls two dice, as one number of 36.
func (s *State) SampleChance(rng *engine.RNG) int { return int(sample[rng.IntN(len(sample))]) }

// Apply answers for the seat to move, or rolls.
func (s *State) Apply(step int) error {
	switch {
	case s.player >= 0 && uint(step) <= Bank:
		s.answer(step)
	case s.player == engine.Chance && uint(step) < outcomes:
		s.rolled(step)
	default:
		return s.refuse(step)
	}
	return nil
}

func (s *State) refuse(step int) error {
	reason := "the player who is asked passes (0) or banks (1)"
	switch s.player {
	case engine.Chance:
		reason = "a roll is one of the 21 pairs of dice, numbered 0 to 20"
	case engine.Terminal:
		reason = "the game is over"
	}
	return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
}

// rolled changes the bank and begins the decision phase, or ends the round.
func (s *State) rolled(outcome int) {
	s.roll++
	s.dice = uint8(outcome)
	roll := &pairs[outcome]
	switch safe := s.roll <= safeRolls; {
	case roll.seven() && !safe:
		s.endRound(true)
		return
	case roll.seven():
		s.bank += safeSeven
	case roll.doubles() && !safe:
		s.bank *= 2
	default:
		s.bank += roll.sum
	}
	s.bank = min(s.bank, MaxBank)
	s.asking = s.active
	s.player = firstFrom(s.asking, s.opener(s.roll))
}

// opener is the seat at which asking begins after the given roll of the present round. Rolls
// count from 1.
func (s *State) opener(roll int32) int {
	if s.game.rules.Repoll {
		return 0
	}
	return int(s.round+roll-1) % s.game.rules.Players
}

// firstFrom returns the first seat of a non-empty mask at or after the given seat, round the
// table.
func firstFrom(mask uint8, seat int) int8 {
	if rest := mask >> seat << seat; rest != 0 {
		mask = rest
	}
	return int8(bits.TrailingZeros8(mask))
}

// answer passes or banks for the seat to move and finds who is next.
func (s *State) answer(action int) {
	seat := int(s.player)
	bit := uint8(1) << seat
	s.asking &^= bit
	if action == Bank {
		s.totals[seat] += s.bank
		s.active &^= bit
		s.banked |= bit
		if s.active == 0 {
			s.endRound(false)
			return
		}
		if s.game.rules.Repoll {
			s.asking = s.active
		}
	}
	if s.asking == 0 {
		s.banked = 0
		s.player = engine.Chance
		return
	}
	s.player = firstFrom(s.asking, seat)
}

// endRound begins the next round, or ends the game, after a seven or when all have banked.
func (s *State) endRound(seven bool) {
	s.before = roundEnd{bank: s.bank, dice: s.dice, seven: seven}
	s.round++
	s.bank, s.roll, s.dice = 0, 0, noDice
	s.active, s.asking, s.banked = s.game.all, 0, 0
	s.player = engine.Chance
	if int(s.round) == s.game.rules.Rounds {
		s.player = engine.Terminal
	}
	s.noteLeads()
}

// Seen returns the step: everything is public.
func (s *State) Seen(_, step int) int { return step }

// Returns shares +1 among the highest totals and -1 among the others.
func (s *State) Returns(dst []float64) {
	dst = dst[:s.game.rules.Players]
	clear(dst)
	if s.player != engine.Terminal {
		return
	}
	totals := s.totals[:len(dst)]
	highest, winners := int64(-1), 0
	for _, total := range totals {
		if total > highest {
			highest, winners = total, 0
		}
		if total == highest {
			winners++
		}
	}
	if winners == len(dst) {
		return
	}
	for seat, total := range totals {
		dst[seat] = -1 / float64(len(dst)-winners)
		if total == highest {
			dst[seat] = 1 / float64(winners)
		}
	}
}

// Scores appends the totals.
func (s *State) Scores(buf []int64) []int64 {
	return append(buf, s.totals[:s.game.rules.Players]...)
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}

// InformationKey appends the position; it is the same for all seats.
func (s *State) InformationKey(_ int, buf []byte) []byte {
	buf = append(buf, byte(s.player), s.dice, s.active, s.asking, s.banked)
	buf = binary.AppendUvarint(buf, uint64(s.round))
	buf = binary.AppendUvarint(buf, uint64(s.roll))
	buf = binary.AppendUvarint(buf, uint64(s.bank))
	for _, total := range s.totals[:s.game.rules.Players] {
		buf = binary.AppendUvarint(buf, uint64(total))
	}
	return buf
}

// ActionName is "pass" or "bank".
func (s *State) ActionName(action int) string { return [...]string{"pass", "bank"}[action] }

// OutcomeName shows the dice: "2-5".
func (s *State) OutcomeName(outcome int) string {
	return fmt.Sprintf("%d-%d", pairs[outcome].low, pairs[outcome].high)
}

// roller is the seat shown as rolling the dice next (at a chance node) or as having rolled
// them. A random roller is drawn from a hash of round and roll.
func (s *State) roller() int {
	roll := s.roll
	if s.player == engine.Chance {
		roll++
	}
	if s.game.rules.Roller == roundRobin {
		return int(s.round+roll-1) % s.game.rules.Players
	}
	return int(engine.GameSeed(uint64(s.round), "bank/roller", uint64(roll)) % uint64(s.game.rules.Players))
}

// String shows the round, the bank and the totals.
func (s *State) String() string {
	var b strings.Builder
	if s.player == engine.Terminal {
		b.WriteString("game over\n")
	} else {
		fmt.Fprintf(&b, "round %d of %d, ", s.round+1, s.game.rules.Rounds)
		if s.player == engine.Chance {
			fmt.Fprintf(&b, "seat %d rolls number %d", s.roller()+1, s.roll+1)
		} else {
			fmt.Fprintf(&b, "seat %d rolled %s (number %d)", s.roller()+1, s.OutcomeName(int(s.dice)), s.roll)
		}
		fmt.Fprintf(&b, ", bank %d\n", s.bank)
	}
	for seat, total := range s.totals[:s.game.rules.Players] {
		fmt.Fprintf(&b, "seat %d: %d%s\n", seat+1, total, s.status(seat))
	}
	return b.String()
}

func (s *State) status(seat int) string {
	bit := uint8(1) << seat
	switch {
	case s.player == engine.Terminal:
		return ""
	case int(s.player) == seat:
		return ", is asked"
	case s.banked&bit != 0:
		return ", has banked now"
	case s.active&bit == 0:
		return ", has banked"
	case s.player >= 0 && s.asking&bit == 0:
		return ", has passed"
	}
	return ""
}
