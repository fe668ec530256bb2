package leduc

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// State is a position: the history and what follows from it.
type State struct {
	steps  [maxHistory]int8
	length int8
	player int8
	start  int8 // index in steps of the first move of the current round
	raises int8 // made in the current round
	paid   [2]int8
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	*s = State{player: engine.Chance, start: deals, paid: [2]int8{ante, ante}}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// Round returns 0 before the public card is dealt and 1 afterwards.
func (s *State) Round() int {
	if s.start > deals {
		return 1
	}
	return 0
}

// Private returns the card of a seat, or engine.Hidden before it is dealt.
func (s *State) Private(seat int) int {
	if int(s.length) <= seat {
		return engine.Hidden
	}
	return int(s.steps[seat])
}

// Public returns the public card, or engine.Hidden before it is dealt.
func (s *State) Public() int {
	if s.start == deals {
		return engine.Hidden
	}
	return int(s.steps[s.start-1])
}

// FacingRaise reports whether the seat to move has paid less than the other.
func (s *State) FacingRaise() bool { return s.player >= 0 && s.paid[s.player] < s.paid[1-s.player] }

// LegalActions appends fold when facing a raise, call, and raise while it is allowed.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	if s.FacingRaise() {
		buf = append(buf, Fold)
	}
	buf = append(buf, Call)
	if s.raises < maxRaises {
		buf = append(buf, Raise)
	}
	return buf
}

// Outcomes appends the cards that are left, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	for card := range cards {
		if !s.dealt(card) {
			buf = append(buf, engine.Outcome{Index: card, Probability: 1 / float64(cards-s.private())})
		}
	}
	return buf
}

// SampleChance draws one of the cards that are left by its place among them.
func (s *State) SampleChance(rng *engine.RNG) int {
	card := rng.IntN(cards - s.private())
	switch s.private() {
	case 1:
		if card >= int(s.steps[0]) {
			card++
		}
	case 2:
		low, high := min(s.steps[0], s.steps[1]), max(s.steps[0], s.steps[1])
		if card >= int(low) {
			card++
		}
		if card >= int(high) {
			card++
		}
	}
	return card
}

// private returns how many private cards have been dealt.
func (s *State) private() int { return int(min(s.length, deals)) }

func (s *State) dealt(card int) bool {
	for _, c := range s.steps[:s.private()] {
		if int(c) == card {
			return true
		}
	}
	return false
}

// Apply deals a card or makes a move.
func (s *State) Apply(step int) error {
	if reason := s.refuse(step); reason != "" {
		return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
	}
	s.steps[s.length] = int8(step)
	s.length++
	if s.player == engine.Chance {
		s.afterDeal()
	} else {
		s.afterMove(step)
	}
	return nil
}

// refuse reports why a step is impossible, or "".
func (s *State) refuse(step int) string {
	switch {
	case s.player == engine.Terminal:
		return "the game is over"
	case s.player == engine.Chance:
		if step < 0 || step >= cards {
			return "the cards are 0 to 5"
		}
		if s.dealt(step) {
			return "the card has already been dealt"
		}
	case step < Fold || step > Raise:
		return "the actions are 0 (fold), 1 (call) and 2 (raise)"
	case step == Fold && !s.FacingRaise():
		return "there is no raise to fold to"
	case step == Raise && s.raises == maxRaises:
		return "this round has already had two raises"
	}
	return ""
}

// afterDeal lets seat 0 begin a round after the second private and the public card.
func (s *State) afterDeal() {
	if s.length < deals {
		return
	}
	s.player = 0
	s.start = s.length
	s.raises = 0
}

// afterMove takes the payment and passes the turn on. A call ends the round, but a check that
// opens it does not.
func (s *State) afterMove(action int) {
	seat, other := s.player, 1-s.player
	s.player = other
	switch {
	case action == Fold:
		s.player = engine.Terminal
	case action == Raise:
		s.raises++
		s.paid[seat] = s.paid[other] + int8(smallRaise*(1+s.Round()))
	default:
		s.paid[seat] = s.paid[other]
		if s.length-1 == s.start {
			return
		}
		if s.player = engine.Chance; s.Round() == 1 {
			s.player = engine.Terminal
		}
	}
}

// Seen hides the private card of the other seat.
func (s *State) Seen(seat, step int) int {
	if s.length < deals && int(s.length) != seat {
		return engine.Hidden
	}
	return step
}

// Observe writes the seat (one-hot), the rank of its card and of the public card (one-hot,
// zeros before the deal), the chips that it and the other seat have paid (out of at most 13),
// and for each round each of up to four moves (one-hot call, raise; zeros for moves to come).
// Suits are left out: they never change who wins, so positions that differ only in suits are
// the same position to a network.
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	clear(dst)
	dst[seat] = 1
	dst = dst[seats:]
	if card := s.Private(seat); card != engine.Hidden {
		dst[card/suits] = 1
	}
	dst = dst[ranks:]
	if card := s.Public(); card != engine.Hidden {
		dst[card/suits] = 1
	}
	dst = dst[ranks:]
	dst[0] = float32(s.paid[seat]) / maxPaid
	dst[1] = float32(s.paid[1-seat]) / maxPaid
	dst = dst[seats:]
	if s.start > deals {
		observeMoves(s.steps[deals:s.start-1], dst)
	}
	observeMoves(s.steps[s.start:max(s.start, s.length)], dst[s.Round()*maxMoves*movePlanes:])
}

// observeMoves marks the moves of one round; a fold, which ends the game, is left out.
func observeMoves(moves []int8, dst []float32) {
	for i, move := range moves {
		if move != Fold {
			dst[movePlanes*i+int(move)-Call] = 1
		}
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

// Returns writes what each seat has won, in chips. The seat that has paid less has folded.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.player != engine.Terminal {
		return
	}
	first, second := s.paid[0], s.paid[1]
	won := float64(min(first, second))
	switch compared := int(first) - int(second); {
	case compared == 0:
		won *= float64(s.showdown())
	case compared < 0:
		won = -won
	}
	dst[0], dst[1] = won, -won
}

// showdown returns 1 if seat 0 wins, -1 if seat 1 wins and 0 for equal ranks.
func (s *State) showdown() int {
	first, second, public := s.steps[0]/suits, s.steps[1]/suits, s.steps[s.start-1]/suits
	switch {
	case first == second:
		return 0
	case first == public || second != public && first > second:
		return 1
	}
	return -1
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

// ActionName says fold, check, call or raise.
func (s *State) ActionName(action int) string {
	if action == Call && !s.FacingRaise() {
		return "check"
	}
	return [...]string{"fold", "call", "raise"}[action]
}

// OutcomeName names the card: rank J, Q or K and suit s or h.
func (s *State) OutcomeName(card int) string {
	return string([]byte{"JQK"[card/suits], "sh"[card%suits]})
}

// String shows the cards, the moves of both rounds (f, c, r), and the returns at the end.
func (s *State) String() string {
	var b strings.Builder
	name := func(card int) string {
		if card == engine.Hidden {
			return "?"
		}
		return s.OutcomeName(card)
	}
	for seat := range 2 {
		fmt.Fprintf(&b, "seat %d: %s, paid %d; ", seat+1, name(s.Private(seat)), s.paid[seat])
	}
	fmt.Fprintf(&b, "public: %s; moves: ", name(s.Public()))
	for i := deals; i < int(s.length); i++ {
		if s.Round() == 1 && i == int(s.start)-1 {
			b.WriteByte('/')
		} else {
			b.WriteByte("fcr"[s.steps[i]])
		}
	}
	if s.player == engine.Terminal {
		var returns [2]float64
		s.Returns(returns[:])
		fmt.Fprintf(&b, "; returns: %+g, %+g", returns[0], returns[1])
	}
	return b.String()
}
