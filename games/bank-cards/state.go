package bankcards

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// State is a position with its history, which the information keys need.
type State struct {
	game  *Game
	hands [maxSeats]cards
	deck  cards
	pile  cards
	// fresh is the deck as it was when last made. A card that is neither in it nor on the pile has
	// been in somebody's hand ever since.
	fresh  cards
	top    uint8 // of the pile; 0 when it is empty
	turns  int16 // finished turns
	player int8  // seat to move, engine.Chance or engine.Terminal
	length int16
	steps  [maxHistory]uint8
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	*s = State{game: s.game, deck: s.game.all, fresh: s.game.all, player: engine.Chance}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// receiver is the seat that gets the next card or whose turn it is.
func (s *State) receiver() int {
	if rules := &s.game.rules; int(s.length) < rules.deals() {
		return int(s.length) / rules.Hand
	}
	return int(s.turns) % s.game.rules.Players
}

// playable returns the cards of a hand that may be played on the present pile.
func (s *State) playable(hand cards) cards {
	if s.game.rules.Strict {
		return hand.above(int(s.top))
	}
	return hand
}

// LegalActions appends pass or draw, then the cards that may be played.
func (s *State) LegalActions(buf []int) []int {
	if s.player < 0 {
		return buf
	}
	first := Pass
	if s.canDraw() {
		first = Draw
	}
	buf = append(buf, first)
	for c := s.playable(s.hands[s.player]); !c.empty(); {
		buf = append(buf, play+c.next())
	}
	return buf
}

func (s *State) canDraw() bool { return !s.deck.empty() || !s.pile.empty() }

// Outcomes appends the cards of the deck, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	p := 1 / float64(s.deck.len())
	for c := s.deck; !c.empty(); {
		buf = append(buf, engine.Outcome{Index: c.next(), Probability: p})
	}
	return buf
}

// SampleChance draws a card by its place in the deck.
func (s *State) SampleChance(rng *engine.RNG) int { return s.deck.at(rng.IntN(s.deck.len())) }

// Apply deals a card, or plays, draws or passes.
func (s *State) Apply(step int) error {
	if reason := s.refuse(step); reason != "" {
		return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
	}
	seat := s.receiver()
	s.steps[s.length] = uint8(step)
	s.length++
	switch {
	case s.player == engine.Chance:
		s.deck.remove(step)
		s.hands[seat].add(step)
		if deals := s.game.rules.deals(); int(s.length) > deals {
			s.endTurn(seat)
		} else if int(s.length) == deals {
			s.player = 0
		}
	case step == Draw:
		if s.deck.empty() {
			s.deck, s.fresh = s.pile, s.pile
			s.pile, s.top = cards{}, 0
		}
		s.player = engine.Chance
	case step == Pass:
		s.endTurn(seat)
	default:
		card := step - play
		s.hands[seat].remove(card)
		s.pile.add(card)
		s.top = uint8(card)
		s.endTurn(seat)
	}
	return nil
}

// refuse reports why a step is impossible, or "".
func (s *State) refuse(step int) string {
	switch {
	case s.player == engine.Terminal:
		return "the game is over"
	case s.player == engine.Chance && (step < 1 || step > s.game.rules.Deck || !s.deck.has(step)):
		return "the card is not in the deck"
	case s.player == engine.Chance:
		return ""
	case step == Pass && s.canDraw():
		return "you may pass only when no card can be drawn"
	case step == Draw && !s.canDraw():
		return "there is no card to draw: deck and pile are empty"
	case step == Pass || step == Draw:
		return ""
	case step < 0 || step > play+s.game.rules.Deck:
		return fmt.Sprintf("the actions are 0 (pass), 1 (draw) and 2 to %d (play card 1 to %d)",
			play+s.game.rules.Deck, s.game.rules.Deck)
	case !s.hands[s.player].has(step - play):
		return fmt.Sprintf("you do not hold card %d", step-play)
	case !s.playable(s.hands[s.player]).has(step - play):
		return fmt.Sprintf("card %d is not higher than the %d on the pile", step-play, s.top)
	}
	return ""
}

// endTurn passes the turn on, or ends the game.
func (s *State) endTurn(seat int) {
	s.turns++
	s.player = int8(s.receiver())
	if s.hands[seat].empty() || s.turns == maxTurns {
		s.player = engine.Terminal
	}
}

// winner returns the seat with the fewest cards; the lowest sum, then the earliest seat, breaks
// ties. An empty hand has the fewest.
func (s *State) winner() (best int) {
	for seat, hand := range s.hands[:s.game.rules.Players] {
		fewer := hand.len() - s.hands[best].len()
		if fewer < 0 || fewer == 0 && hand.sum() < s.hands[best].sum() {
			best = seat
		}
	}
	return best
}

// Seen hides the cards that others are dealt or draw.
func (s *State) Seen(seat, step int) int {
	if s.player == engine.Chance && s.receiver() != seat {
		return engine.Hidden
	}
	return step
}

// InformationKey appends one byte for each step made: 0 for a card that another seat
// got, otherwise the step + 1.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	deals, players, hand := s.game.rules.deals(), s.game.rules.Players, s.game.rules.Hand
	turn, drawn := 0, false
	for i, step := range s.steps[:s.length] {
		hidden := false
		switch {
		case i < deals:
			hidden = i/hand != seat
		case drawn:
			hidden = turn%players != seat
			drawn = false
			turn++
		case step == Draw:
			drawn = true
		default:
			turn++
		}
		if hidden {
			buf = append(buf, 0)
		} else {
			buf = append(buf, step+1)
		}
	}
	return buf
}

// Returns writes 1 for the winner and an equal loss for the others.
func (s *State) Returns(dst []float64) {
	dst = dst[:s.game.rules.Players]
	clear(dst)
	if s.player != engine.Terminal {
		return
	}
	for seat := range dst {
		dst[seat] = -1 / float64(len(dst)-1)
	}
	dst[s.winner()] = 1
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

// ActionName says pass, draw or which card is played.
func (s *State) ActionName(action int) string {
	switch action {
	case Pass:
		return "pass"
	case Draw:
		return "draw"
	}
	return fmt.Sprintf("play %d", action-play)
}

// OutcomeName names the card.
func (s *State) OutcomeName(card int) string { return fmt.Sprintf("card %d", card) }

// String shows the turn, deck and pile, and all hands.
func (s *State) String() string {
	var b strings.Builder
	switch rules := &s.game.rules; {
	case s.player == engine.Terminal:
		fmt.Fprintf(&b, "game over after %d turns, seat %d wins", s.turns, s.winner()+1)
	case int(s.length) < rules.deals():
		fmt.Fprintf(&b, "seat %d is dealt card %d of %d", s.receiver()+1, int(s.length)%rules.Hand+1, rules.Hand)
	case s.player == engine.Chance:
		fmt.Fprintf(&b, "turn %d: seat %d draws", s.turns+1, s.receiver()+1)
	default:
		fmt.Fprintf(&b, "turn %d: seat %d to move", s.turns+1, s.player+1)
	}
	fmt.Fprintf(&b, "; deck %d cards; pile %d cards, top %d\n", s.deck.len(), s.pile.len(), s.top)
	for seat, hand := range s.hands[:s.game.rules.Players] {
		fmt.Fprintf(&b, "seat %d: %s\n", seat+1, hand)
	}
	return b.String()
}
