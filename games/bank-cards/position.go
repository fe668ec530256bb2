package bankcards

import (
	"strconv"

	"croupier/engine"
)

// position is what the seat to move knows about the table now.
type position struct {
	Seat   int   `json:"seat"`                   // to move
	Turn   int16 `json:"turn"`                   // number of this turn, counting all players' turns from 1
	Hand   []int `json:"hand"`                   // own cards
	Counts []int `json:"counts"`                 // cards in every hand, by seat
	Pile   []int `json:"pile" strict:"optional"` // its cards in any order
	Top    int   `json:"top" strict:"optional"`  // the card on top of it; 0: none
	// Held are cards that must be in other hands, because they were not among the cards
	// that became the present deck.
	Held []int `json:"held" strict:"optional"`
	// Deck is how many cards it has. It follows from the rest, and may be left out of a position that is read.
	Deck *int `json:"deck" strict:"optional"`
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	if err := g.checkTurn(&p); err != nil {
		return nil, nil, err
	}
	var sets [3]cards // hand, pile, held
	var used cards
	for i, field := range [...]struct {
		name  string
		cards []int
	}{{"hand", p.Hand}, {"pile", p.Pile}, {"held", p.Held}} {
		for j, card := range field.cards {
			element := engine.Element(field.name, j)
			switch {
			case card < 1 || card > g.rules.Deck:
				return nil, nil, engine.FieldErrorf(element, "%d is not in 1..%d", card, g.rules.Deck)
			case used.has(card):
				return nil, nil, engine.FieldErrorf(element, "card %d appears twice", card)
			}
			used.add(card)
			sets[i].add(card)
		}
	}
	hand, pile, held := sets[0], sets[1], sets[2]
	if err := g.checkCards(&p, pile); err != nil {
		return nil, nil, err
	}
	s := &State{
		game: g, pile: pile, top: uint8(p.Top), fresh: g.all.without(held), turns: p.Turn - 1,
		player: int8(p.Seat), length: int16(g.rules.deals()), deck: g.all.without(pile).without(hand),
	}
	s.hands[p.Seat] = hand
	for seat, n := range p.Counts {
		if seat == p.Seat {
			continue
		}
		for range n { // any cards; Redeal replaces them
			s.hands[seat].add(s.deck.next())
		}
	}
	s.Redeal(p.Seat, rng)
	return s, nil, nil
}

// checkTurn checks the numbers.
func (g *Game) checkTurn(p *position) error {
	players := g.rules.Players
	switch {
	case p.Turn < 1 || p.Turn > maxTurns:
		return engine.FieldErrorf("turn", "%d is not in 1..%d", p.Turn, maxTurns)
	case p.Seat != (int(p.Turn)-1)%players:
		return engine.FieldErrorf("seat", "it is not to move in turn %d", p.Turn)
	case len(p.Counts) != players:
		return engine.FieldErrorf("counts", "%d entries for %d seats", len(p.Counts), players)
	case p.Counts[p.Seat] != len(p.Hand):
		return engine.FieldErrorf(engine.Element("counts", p.Seat), "%d, but the hand has %d cards", p.Counts[p.Seat],
			len(p.Hand))
	}
	for seat, n := range p.Counts {
		if n < 1 || n > g.rules.Deck {
			return engine.FieldErrorf(engine.Element("counts", seat), "no seat can hold %d cards while the game is on", n)
		}
	}
	return nil
}

// checkCards checks how the cards are shared out.
func (g *Game) checkCards(p *position, pile cards) error {
	inHands := 0
	for _, n := range p.Counts {
		inHands += n
	}
	switch {
	case inHands+len(p.Pile) > g.rules.Deck:
		return engine.FieldErrorf("counts", "%d cards in hands and %d on the pile are more than the deck's %d",
			inHands, len(p.Pile), g.rules.Deck)
	case p.Deck != nil && *p.Deck != g.rules.Deck-inHands-len(p.Pile):
		return engine.FieldErrorf("deck", "it has not %d cards: %d are in hands and %d on the pile, of %d",
			*p.Deck, inHands, len(p.Pile), g.rules.Deck)
	case len(p.Held) > inHands-len(p.Hand):
		return engine.FieldErrorf("held", "%d cards, the other hands have %d", len(p.Held), inHands-len(p.Hand))
	case len(p.Pile) == 0 && p.Top != 0, len(p.Pile) > 0 && (p.Top < 1 || p.Top > g.rules.Deck || !pile.has(p.Top)):
		return engine.FieldErrorf("top", "%d is not on the pile", p.Top)
	case g.rules.Strict && !pile.above(p.Top).empty():
		return engine.FieldErrorf("top", "%d cannot lie on a pile with %d", p.Top, pile.above(p.Top).lowest())
	}
	return nil
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, seat int) []byte {
	return engine.MarshalPosition(state.(*State).position(seat))
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, seat int) string {
	return engine.WriteLine(state.(*State).position(seat))
}

// Sections implements engine.Sectioned: "2 >3 | 4 | 7 30 52 | 4 9 | 50". The card on top of the pile is its last one.
func (p *position) Sections() []engine.Section {
	pile := engine.NumbersSection("pile", &p.Pile)
	read := pile.Read
	pile.Read = func(words []string) error {
		if err := read(words); err != nil {
			return err
		}
		p.Top = p.Pile[len(p.Pile)-1]
		return nil
	}
	pile.Write = func() []string {
		var words []string
		for _, card := range p.Pile {
			if card != p.Top {
				words = append(words, strconv.Itoa(card))
			}
		}
		if p.Top != 0 {
			words = append(words, strconv.Itoa(p.Top))
		}
		return words
	}
	return []engine.Section{
		engine.MoverSection(&p.Seat, engine.NumbersSection("counts", &p.Counts)),
		engine.NumberSection("turn", &p.Turn),
		engine.NumbersSection("hand", &p.Hand),
		pile,
		engine.NumbersSection("held", &p.Held),
	}
}

// position returns what the seat knows.
func (s *State) position(seat int) *position {
	g, deck := s.game, s.deck.len()
	p := position{
		Seat: seat, Turn: s.turns + 1, Hand: s.hands[seat].list(), Pile: append([]int{}, s.pile.list()...), Top: int(s.top),
		Held: append([]int{}, s.held(seat).list()...), Deck: &deck,
	}
	for _, hand := range s.hands[:g.rules.Players] {
		p.Counts = append(p.Counts, hand.len())
	}
	return &p
}

// list returns the cards of the set, ascending.
func (c cards) list() (values []int) {
	for !c.empty() {
		values = append(values, c.next())
	}
	return values
}

// ExamplePosition implements engine.Positioned: the first turn.
func (g *Game) ExamplePosition() []byte {
	deck := g.rules.Deck - g.rules.Players*g.rules.Hand
	p := position{Seat: 0, Turn: 1, Pile: []int{}, Held: []int{}, Deck: &deck}
	for i := range g.rules.Hand {
		p.Hand = append(p.Hand, 3+i*(g.rules.Deck-3)/g.rules.Hand)
	}
	for range g.rules.Players {
		p.Counts = append(p.Counts, g.rules.Hand)
	}
	return engine.MarshalPosition(p)
}

// Redeal implements engine.Redealer. With three or more players, a card known to be in one of
// the other hands may move to another of them.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	held := s.held(seat)
	free, others := s.deck, 0
	for other, hand := range s.hands[:s.game.rules.Players] {
		if other != seat {
			others += hand.len()
			free = cards{free[0] | hand[0], free[1] | hand[1]}
		}
	}
	free = free.without(held)
	inHands := held
	for range others - held.len() {
		card := free.at(rng.IntN(free.len()))
		free.remove(card)
		inHands.add(card)
	}
	s.deck = free
	for other := range s.game.rules.Players {
		if other == seat {
			continue
		}
		n := s.hands[other].len()
		s.hands[other] = cards{}
		for range n {
			card := inHands.at(rng.IntN(inHands.len()))
			inHands.remove(card)
			s.hands[other].add(card)
		}
	}
}
