package banluck

import (
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
)

// View is a position as an eye sees it, for boards.
type View struct {
	Dealer int        `json:"dealer"` // his seat, the last one
	Hands  []HandView `json:"hands"`  // by seat
	// Surrendered: the dealer has, so that every bet was returned.
	Surrendered bool `json:"surrendered"`

	eye int
}

// HandView is a hand as an eye sees it. All hands lie open when the game is over.
type HandView struct {
	// Cards in the order in which they came, as OutcomeName writes them: "10H", "AS"; "?" for one
	// face down. The suits of a hand that was opened can be seen, and never matter.
	Cards []string `json:"cards"`
	Open  bool     `json:"open"` // everybody sees the cards

	// What follows is of a hand whose cards the eye sees, of two or more.

	Total int  `json:"total,omitempty"`
	Soft  bool `json:"soft,omitempty"`
	Bust  bool `json:"bust,omitempty"`
	// Class is the name of a special hand, Pays what it wins in units.
	Class string `json:"class,omitempty"`
	Pays  int    `json:"pays,omitempty"`
	// Result of a player in units; nil before it is certain for everybody.
	Result *int `json:"result,omitempty"`
}

var _ engine.Viewed = (*Game)(nil)

// View implements engine.Viewed with a [View].
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	over := s.player == engine.Terminal
	v := View{Dealer: int(g.dealer), eye: eye, Surrendered: over && s.last() == isAction|Surrender}
	open := s.openTo(eye)
	for seat := range g.spec.Seats {
		h := HandView{Cards: []string{}, Open: over || open>>seat&1 == 1}
		known := h.Open || seat == eye || eye == engine.Everything
		for _, card := range s.cardsOf(seat) {
			name := "?"
			if known {
				name = s.OutcomeName(card)
			}
			h.Cards = append(h.Cards, name)
		}
		if known && len(h.Cards) >= dealt {
			h.count(g, s.hands[seat])
		}
		if seat < v.Dealer && (over || s.revealed(seat)) {
			result := int(s.results[seat])
			h.Result = &result
		}
		v.Hands = append(v.Hands, h)
	}
	return v
}

// count enters what a hand is worth.
func (h *HandView) count(g *Game, hand Hand) {
	w := g.Worth(hand)
	h.Total, h.Soft, h.Bust = int(w.Total), w.Soft, w.Total > limit
	if w.Class != Regular {
		h.Class, h.Pays = w.Class.String(), int(g.pays[w.Class])
	}
}

// last returns the newest step without its seat, 0 at the beginning.
func (s *State) last() event {
	if s.length == 0 {
		return 0
	}
	return s.events[s.length-1] & 0xff
}

// revealed tells whether the dealer has opened and settled the player. Players with Ban Ban or Ban
// Luck are settled, too, but nobody notices when: the dealer may be thinking about surrender.
func (s *State) revealed(seat int) bool {
	bonus := s.bonuses()
	return s.opened&^bonus>>seat&1 == 1
}

// String tells in words what the eye sees.
func (v View) String() string {
	var b strings.Builder
	for seat, h := range v.Hands {
		name := engine.SeatName(seat, v.eye)
		if seat == v.Dealer {
			name = "dealer"
			if v.eye == seat {
				name = "you, the dealer"
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", name, h)
	}
	return b.String()
}

// String tells the hand in words.
func (h HandView) String() string {
	text := strings.Join(h.Cards, " ")
	if len(h.Cards) > 0 && !slices.ContainsFunc(h.Cards, func(c string) bool { return c != "?" }) {
		text = fmt.Sprintf("%d cards face down", len(h.Cards))
	}
	if h.Total > 0 {
		text += fmt.Sprintf(" = %d", h.Total)
	}
	for _, is := range []struct {
		so   bool
		name string
	}{{h.Bust, "bust"}, {h.Soft && h.Class == "", "soft"}, {h.Class != "", h.Class}} {
		if is.so {
			text += ", " + is.name
		}
	}
	if h.Result != nil {
		text += fmt.Sprintf(", result %+d", *h.Result)
	}
	return text
}

// Stage implements engine.Staged.
func (v View) Stage() string {
	own := HandView{}
	if v.eye >= 0 {
		own = v.Hands[v.eye]
	}
	switch {
	case v.Hands[v.Dealer].Open:
		return "over"
	case len(v.Hands[v.Dealer].Cards) < 2:
		return "deal"
	case v.eye != v.Dealer:
		return "draw"
	case own.Total == 16 || own.Total == 17:
		return "reveal"
	}
	return "dealer"
}
