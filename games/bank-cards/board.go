package bankcards

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// View is what an eye sees of a position, for boards. Cards are numbers; lists are empty, not
// null, where there is nothing.
type View struct {
	// Eye is the seat that looks, engine.Public or engine.Everything.
	Eye int `json:"eye"`
	// Phase is "deal", "turn", "draw" (the seat of Turn gets a card) or "over".
	Phase string `json:"phase"`
	// Turn is the number of this turn of all seats together, from 1; MaxTurns are the most of a
	// game. After the end it is the number of the last one.
	Turn     int `json:"turn"`
	MaxTurns int `json:"max_turns"`
	// Player is the seat whose turn it is, or which is dealt a card; -1 after the end.
	Player int        `json:"player"`
	Seats  []SeatView `json:"seats"`
	Top    int        `json:"top"`  // of the pile; 0: empty
	Pile   []int      `json:"pile"` // its cards, ascending
	Deck   int        `json:"deck"` // number of cards in it
	// Turns over: the next draw makes the pile the new deck.
	TurnsOver bool `json:"turns_over"`
	// Highest is the highest card there is.
	Highest int  `json:"highest"`
	Strict  bool `json:"strict"` // only higher cards may be played
	// Known are the cards that must be in hands other than the eye's own, because they were not
	// among those that became the present deck.
	Known []int `json:"known"`
	// Draw and Pass are the actions.
	Draw int `json:"draw"`
	Pass int `json:"pass"`
}

// SeatView is what an eye sees of a seat.
type SeatView struct {
	Cards int        `json:"cards"` // in hand
	Held  []HeldCard `json:"hand"`  // ascending; those that the eye sees: all or none
	Wins  bool       `json:"wins"`  // after the end
}

// HeldCard is a card in a hand and the action that plays it, legal or not.
type HeldCard struct {
	Card   int `json:"card"`
	Action int `json:"action"`
}

// View implements engine.Viewed; it returns a View.
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := View{
		Eye: eye, Phase: s.phase(), Turn: int(s.turns) + 1, MaxTurns: maxTurns, Player: s.receiver(),
		Top: int(s.top), Pile: append([]int{}, s.pile.list()...), Deck: s.deck.len(),
		TurnsOver: s.deck.empty() && !s.pile.empty(), Highest: g.rules.Deck, Strict: g.rules.Strict, Draw: Draw, Pass: Pass,
		Known: append([]int{}, s.knownTo(eye).list()...),
	}
	for seat, hand := range s.hands[:g.rules.Players] {
		seen := SeatView{Cards: hand.len(), Held: []HeldCard{}}
		if eye == seat || eye == engine.Everything {
			for _, card := range hand.list() {
				seen.Held = append(seen.Held, HeldCard{card, play + card})
			}
		}
		v.Seats = append(v.Seats, seen)
	}
	if s.player == engine.Terminal {
		v.Turn, v.Player = int(s.turns), -1
		v.Seats[s.winner()].Wins = true
	}
	return v
}

// knownTo returns the cards that, as far as the eye can know, must be in other hands.
func (s *State) knownTo(eye int) cards {
	if eye >= 0 {
		return s.held(eye)
	}
	return s.game.all.without(s.fresh).without(s.pile)
}

// phase names what the next step is about.
func (s *State) phase() string {
	switch {
	case s.player == engine.Terminal:
		return "over"
	case int(s.length) < s.game.rules.deals():
		return "deal"
	case s.player == engine.Chance:
		return "draw"
	}
	return "turn"
}

// String shows the view in words, a line for each thing, for the terminal.
func (v View) String() string {
	var b strings.Builder
	switch v.Phase {
	case "over":
		for seat, s := range v.Seats {
			if s.Wins {
				fmt.Fprintf(&b, "The game is over after %d turns. %s won.\n", v.Turn, v.who(seat))
			}
		}
	case "deal":
		b.WriteString("The cards are dealt.\n")
	case "draw":
		fmt.Fprintf(&b, "Turn %d of at most %d: %s drew a card.\n", v.Turn, v.MaxTurns, strings.ToLower(v.who(v.Player)))
	default:
		fmt.Fprintf(&b, "Turn %d of at most %d: %s to move.\n", v.Turn, v.MaxTurns, strings.ToLower(v.who(v.Player)))
	}
	if v.Top == 0 {
		fmt.Fprintf(&b, "The pile is empty; %d in the deck.\n", v.Deck)
	} else {
		fmt.Fprintf(&b, "On the pile: %d (%d in it); %d in the deck.\n", v.Top, len(v.Pile), v.Deck)
		fmt.Fprintf(&b, "In the pile: %s\n", numbers(v.Pile))
	}
	if len(v.Known) > 0 {
		fmt.Fprintf(&b, "In other hands: %s\n", numbers(v.Known))
	}
	for seat, s := range v.Seats {
		fmt.Fprintf(&b, "%s: %s\n", v.who(seat), s.words())
	}
	return b.String()
}

func (s *SeatView) words() string {
	if len(s.Held) == 0 {
		return fmt.Sprintf("cards in hand: %d", s.Cards)
	}
	var held []int
	for _, c := range s.Held {
		held = append(held, c.Card)
	}
	return numbers(held)
}

// numbers writes cards in their order.
func numbers(cards []int) string {
	var names []string
	for _, card := range cards {
		names = append(names, fmt.Sprint(card))
	}
	return strings.Join(names, " ")
}

// who names a seat for the eye. Seats are counted from 1 for people.
func (v *View) who(seat int) string {
	if seat == v.Eye {
		return "You"
	}
	return fmt.Sprintf("Seat %d", seat+1)
}

// Stage implements engine.Staged.
func (v View) Stage() string {
	switch {
	case v.Phase == "turn" && v.Deck == 0:
		return "empty-deck"
	case v.Phase == "turn" && v.Top == 0:
		return "empty-pile"
	}
	return v.Phase
}
