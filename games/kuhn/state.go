package kuhn

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// State is a position: the history itself and the seat to move.
type State struct {
	steps  [maxHistory]int8 // two cards, then the moves; seats alternate from seat 0
	length int8
	player int8
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { *s = State{player: engine.Chance} }

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// Card returns the card of a seat, or engine.Hidden before it is dealt.
func (s *State) Card(seat int) int {
	if int(s.length) <= seat {
		return engine.Hidden
	}
	return int(s.steps[seat])
}

// FacingBet reports whether the other seat has bet and the seat to move must answer.
func (s *State) FacingBet() bool {
	return s.player >= 0 && s.length > deals && s.steps[s.length-1] == Bet
}

// LegalActions appends pass and bet, which are always possible.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	return append(buf, Pass, Bet)
}

// Outcomes appends the cards that are left, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	for card := range cards {
		if !s.dealt(card) {
			buf = append(buf, engine.Outcome{Index: card, Probability: 1 / float64(cards-int(s.length))})
		}
	}
	return buf
}

// SampleChance draws one of the cards that are left by its rank among them.
func (s *State) SampleChance(rng *engine.RNG) int {
	card := rng.IntN(cards - int(s.length))
	if s.length > 0 && card >= int(s.steps[0]) {
		card++
	}
	return card
}

// Apply deals a card or makes a move.
func (s *State) Apply(step int) error {
	if reason := s.refuse(step); reason != "" {
		return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
	}
	s.steps[s.length] = int8(step)
	s.length++
	switch moves := s.steps[deals:max(s.length, deals)]; {
	case s.length < deals:
	case len(moves) == maxMoves, len(moves) == 2 && (moves[0] == Bet || moves[1] == Pass):
		s.player = engine.Terminal
	default:
		s.player = int8(len(moves) % 2)
	}
	return nil
}

// refuse reports why a step is impossible, or "".
func (s *State) refuse(step int) string {
	switch {
	case s.player == engine.Terminal:
		return "the game is over"
	case s.player != engine.Chance:
		if step < Pass || step > Bet {
			return "the actions are 0 (pass) and 1 (bet)"
		}
	case step < 0 || step >= cards:
		return "the cards are 0 to 2"
	case s.dealt(step):
		return "the card has already been dealt"
	}
	return ""
}

func (s *State) dealt(card int) bool { return s.length > 0 && int(s.steps[0]) == card }

// Seen hides the card of the other seat.
func (s *State) Seen(seat, step int) int {
	if s.length < deals && int(s.length) != seat {
		return engine.Hidden
	}
	return step
}

// Observe writes the seat (one-hot), its card (one-hot, zeros before the deal), the antes that
// it and the other seat have paid (out of at most 2), and each of up to three moves (one-hot
// pass, bet; zeros for moves to come).
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	clear(dst)
	dst[seat] = 1
	dst = dst[seats:]
	if card := s.Card(seat); card != engine.Hidden {
		dst[card] = 1
	}
	dst = dst[cards:]
	dst[0] = float32(s.paid(seat)) / maxPaid
	dst[1] = float32(s.paid(1-seat)) / maxPaid
	dst = dst[seats:]
	for i := deals; i < int(s.length); i++ {
		dst[2*(i-deals)+int(s.steps[i])] = 1
	}
}

// InformationKey appends one byte for each step made: 0 for the other seat's card,
// otherwise the step + 1.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	for i, step := range s.steps[:s.length] {
		if i < deals && i != seat {
			step = engine.Hidden
		}
		buf = append(buf, byte(step+1))
	}
	return buf
}

// paid returns the antes in the pot from a seat: 1, and 1 more if it has bet or called.
func (s *State) paid(seat int) int {
	paid := 1
	for i := deals + seat; i < int(s.length); i += 2 {
		paid += int(s.steps[i])
	}
	return paid
}

// Returns writes what each seat has won, in antes. The seat that has paid less has folded.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.player != engine.Terminal {
		return
	}
	first, second := s.paid(0), s.paid(1)
	won := float64(min(first, second))
	if first < second || first == second && s.steps[0] < s.steps[1] {
		won = -won
	}
	dst[0], dst[1] = won, -won
}

// Scores appends nothing: the game has no points of its own.
func (s *State) Scores(buf []int64) []int64 { return buf }

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}

// ActionName says check, fold, bet or call.
func (s *State) ActionName(action int) string {
	switch {
	case action == Pass && s.FacingBet():
		return "fold"
	case action == Pass:
		return "check"
	case s.FacingBet():
		return "call"
	}
	return "bet"
}

// OutcomeName names the card: J, Q or K.
func (s *State) OutcomeName(outcome int) string { return "JQK"[outcome : outcome+1] }

// String shows both cards, the moves (p and b), and the returns at the end.
func (s *State) String() string {
	var b strings.Builder
	for seat := range deals {
		card := "?"
		if c := s.Card(seat); c != engine.Hidden {
			card = s.OutcomeName(c)
		}
		fmt.Fprintf(&b, "seat %d: %s, paid %d; ", seat+1, card, s.paid(seat))
	}
	b.WriteString("moves: ")
	for i := deals; i < int(s.length); i++ {
		b.WriteByte("pb"[s.steps[i]])
	}
	if s.player == engine.Terminal {
		var returns [2]float64
		s.Returns(returns[:])
		fmt.Fprintf(&b, "; returns: %+g, %+g", returns[0], returns[1])
	}
	return b.String()
}
