package banluck

import (
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// position is what the seat to move knows.
type position struct {
	Seat   int          `json:"seat"`             // to move; the dealer's is the last one
	Hand   []string     `json:"hand"`             // its cards in the order in which it got them
	Others []otherSeats `json:"others,omitempty"` // seats that have something to tell
	// Revealed is how many cards the dealer had when he revealed; 0: he has not.
	Revealed int `json:"revealed_with,omitempty"`
}

// otherSeats says what is known of another seat. One that is not listed has two cards
// that nobody sees.
type otherSeats struct {
	Seat  int      `json:"seat"`
	Cards int      `json:"cards,omitempty"` // how many it has
	Open  []string `json:"open,omitempty"`  // its cards, where they are opened
}

// outline is what a seat knows of a hand: what every deal of the position has in common.
type outline struct {
	game     *Game
	seat     int
	cards    [maxSeats][]int // known ones, in order where the seat knows it; nil: hidden
	sizes    [maxSeats]int
	revealed int
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := strict.JSON(document).DecodeWhole(&p); err != nil {
		return nil, nil, err
	}
	o, err := g.outline(&p)
	if err != nil {
		return nil, nil, err
	}
	s := &State{game: g}
	if err := o.deal(s, rng); err != nil {
		return nil, nil, err
	}
	return s, nil, nil
}

func (g *Game) outline(p *position) (*outline, error) {
	dealer := int(g.dealer)
	if p.Seat < 0 || p.Seat > dealer {
		return nil, strict.Errorf("seat", "%d is not in 0..%d", p.Seat, dealer)
	}
	o := &outline{game: g, seat: p.Seat, revealed: p.Revealed}
	for seat := range dealer + 1 {
		o.sizes[seat] = dealt
	}
	used := map[int]bool{}
	hand, err := parseCards("hand", p.Hand, used)
	if err != nil {
		return nil, err
	}
	o.know(p.Seat, hand)
	listed := map[int]bool{p.Seat: true}
	for i, other := range p.Others {
		field := strict.Element("others", i)
		if other.Seat < 0 || other.Seat > dealer || listed[other.Seat] {
			return nil, strict.Errorf(field+".seat", "%d is no other seat, or is there twice", other.Seat)
		}
		listed[other.Seat] = true
		if err := o.other(field, &other, used); err != nil {
			return nil, err
		}
	}
	return o, o.check()
}

func (o *outline) know(seat int, hand []int) { o.cards[seat], o.sizes[seat] = hand, len(hand) }

// other takes over what is known of another seat.
func (o *outline) other(field string, p *otherSeats, used map[int]bool) error {
	switch {
	case p.Open != nil && p.Cards != 0 && p.Cards != len(p.Open):
		return strict.Errorf(field+".cards", "%d, but %d are open", p.Cards, len(p.Open))
	case p.Open != nil:
		if p.Seat == int(o.game.dealer) {
			return strict.Errorf(field+".open", "the dealer's hand is never open while somebody is to move")
		}
		hand, err := parseCards(field+".open", p.Open, used)
		if err != nil {
			return err
		}
		o.know(p.Seat, hand)
	case p.Cards < dealt || p.Cards > MaxCards:
		return strict.Errorf(field+".cards", "%d is not in %d..%d", p.Cards, dealt, MaxCards)
	default:
		o.sizes[p.Seat] = p.Cards
	}
	if p.Seat > o.seat && o.sizes[p.Seat] != dealt {
		return strict.Errorf(field, "seat %d acts after seat %d and has %d cards yet", p.Seat, o.seat, dealt)
	}
	return nil
}

// parseCards reads cards that no other hand has. What they show is all that matters: of
// the cards of a value the first that is free is taken.
func parseCards(field string, names []string, used map[int]bool) (hand []int, err error) {
	if len(names) < dealt || len(names) > MaxCards {
		return nil, strict.Errorf(field, "%d cards: a hand has %d to %d", len(names), dealt, MaxCards)
	}
	for i, name := range names {
		value, ok := parseValue(name)
		if !ok {
			return nil, strict.Errorf(strict.Element(field, i), "%q is no card: a card is 2..9, T (10, J, Q, K are the same) or A, with or without C, D, H, S", name)
		}
		card := slices.IndexFunc(valueOf[:], func(v uint8) bool { return int(v) == value })
		for card < cards && (used[card] || CardValue(card) != value) {
			card++
		}
		if card == cards {
			return nil, strict.Errorf(strict.Element(field, i), "there are not so many cards that count as %s", name)
		}
		used[card] = true
		hand = append(hand, card)
	}
	return hand, nil
}

// parseValue returns the value of a card that is named with or without its suit.
func parseValue(name string) (int, bool) {
	rank := name
	if n := len(name); n > 1 && strings.IndexByte("CDHS", name[n-1]) >= 0 {
		rank = name[:n-1]
	}
	switch rank {
	case "T", "10", "J", "Q", "K":
		return Ten, true
	case "A":
		return Ace, true
	}
	if len(rank) == 1 && rank >= "2" && rank <= "9" {
		return int(rank[0] - '2'), true
	}
	return 0, false
}

// check finds a hand that has nothing to choose, and opened hands that could not be.
func (o *outline) check() error {
	g, isDealer := o.game, o.seat == int(o.game.dealer)
	w := g.Worth(handOf(o.cards[o.seat]))
	if o.revealed != 0 && (!isDealer || !g.rules.Reveal || o.revealed < dealt || o.revealed > o.sizes[o.seat]) {
		return strict.Errorf("revealed_with", "%d cards: the dealer of these rules, in this position, cannot have revealed with them", o.revealed)
	}
	for seat, hand := range o.cards {
		if seat == o.seat || hand == nil {
			continue
		}
		bonus := len(hand) == dealt && g.Worth(handOf(hand)).Class >= BanLuck
		if !bonus && (o.revealed == 0 || len(hand) == dealt) {
			return strict.Errorf("others", "the hand of seat %d is open, but is neither Ban Ban nor Ban Luck nor was it revealed", seat)
		}
	}
	if isDealer && g.Surrenderable(handOf(o.cards[o.seat])) {
		return nil
	}
	if isDealer && (w.Total <= forfeit || w.Total >= mustStand) || w.Total >= limit || w.Class >= BanLuck || o.sizes[o.seat] == MaxCards {
		return strict.Errorf("hand", "with a total of %d in %d cards there is nothing to choose", w.Total, o.sizes[o.seat])
	}
	return nil
}

func handOf(list []int) (h Hand) {
	for _, card := range list {
		h = h.With(CardValue(card))
	}
	return h
}

// maxDeals bounds the search for a deal that is consistent: the rarest kind of position,
// four players with five cards each, takes hundreds.
const maxDeals = 100_000

// deal makes s a state of a random deal of the outline: the hidden cards are drawn until
// everybody could have done what he has done.
func (o *outline) deal(s *State, rng *engine.RNG) error {
	var deck []int
	known := slices.Concat(o.cards[:]...)
	for card := range cards {
		if !slices.Contains(known, card) {
			deck = append(deck, card)
		}
	}
	var hands [maxSeats][]int
	for seat := range hands {
		hands[seat] = slices.Clone(o.cards[seat])
	}
	for range maxDeals {
		next := 0
		for seat := range int(o.game.dealer) + 1 {
			switch {
			case seat == o.seat:
			case o.cards[seat] != nil: // an open hand does not tell its order
				shuffle(hands[seat], len(hands[seat]), rng)
			default:
				hands[seat] = deck[next : next+o.sizes[seat]]
				shuffle(deck[next:], o.sizes[seat], rng)
				next += o.sizes[seat]
			}
		}
		if o.replay(s, &hands) {
			return nil
		}
	}
	return strict.Errorf("", "no deal leads to this position: not all of the seats can have got their number of cards by their own choice")
}

// shuffle puts n cards of the list, drawn at random, first.
func shuffle(list []int, n int, rng *engine.RNG) {
	for i := range n {
		j := i + rng.IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}

// replay plays the hand with the cards of each seat. It returns whether that leads to
// the position.
func (o *outline) replay(s *State, hands *[maxSeats][]int) bool {
	dealer := int(o.game.dealer)
	s.Reset()
	for {
		switch seat := int(s.player); {
		case seat == engine.Terminal:
			return false
		case seat == engine.Chance:
			size := s.hands[s.turn].Size()
			if size == len(hands[s.turn]) {
				return false // the rules draw more than there are
			}
			s.deal(hands[s.turn][size])
		case o.reached(s, dealer):
			return o.same(s)
		default:
			s.act(o.choice(s, len(hands[seat]), dealer))
		}
	}
}

// reached tells whether the seat of the position is asked with all of its cards.
func (o *outline) reached(s *State, dealer int) bool {
	if int(s.player) != o.seat || s.hands[o.seat].Size() != o.sizes[o.seat] {
		return false
	}
	if o.seat != dealer || s.legal == surrendering {
		return true
	}
	return o.revealed != o.sizes[o.seat] || s.opened&^s.bonuses() != 0
}

// choice is what the seat to move did on the way to the position.
func (o *outline) choice(s *State, size, dealer int) int {
	drawn := s.hands[s.player].Size()
	switch {
	case s.legal == surrendering:
		return Continue
	case int(s.player) == dealer && drawn == o.revealed && s.legal == revealing:
		return Reveal
	case drawn < size:
		return Hit
	}
	return Stand
}

// same tells whether the sizes and the opened hands are those of the position.
func (o *outline) same(s *State) bool {
	open := s.openTo(o.seat)
	for seat := range int(o.game.dealer) {
		if s.hands[seat].Size() != o.sizes[seat] {
			return false
		}
		if seat != o.seat && (open>>seat&1 == 1) != (o.cards[seat] != nil) {
			return false
		}
	}
	return o.revealed == 0 || s.opened&^s.bonuses() != 0
}

// outline returns what the seat knows.
func (s *State) outline(seat int) *outline {
	o := &outline{game: s.game, seat: seat}
	open := s.openTo(seat)
	for other := range int(s.game.dealer) + 1 {
		o.sizes[other] = s.hands[other].Size()
		if other == seat || open>>other&1 == 1 {
			o.cards[other] = s.cardsOf(other)
		}
	}
	for i, e := range s.events[:s.length] {
		if e.isAction() && e.action() == Reveal {
			o.revealed = o.sizes[s.game.dealer]
			for _, later := range s.events[i:s.length] {
				if !later.isAction() {
					o.revealed--
				}
			}
		}
	}
	return o
}

// cardsOf returns the cards of a seat in the order in which it got them.
func (s *State) cardsOf(seat int) (list []int) {
	for _, e := range s.events[:s.length] {
		if e.seat() == seat && !e.isAction() {
			list = append(list, e.action())
		}
	}
	return list
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, seat int) []byte {
	s := state.(*State)
	o := s.outline(seat)
	p := position{Seat: seat, Hand: names(o.cards[seat]), Revealed: o.revealed}
	for other := range int(g.dealer) + 1 {
		switch {
		case other == seat:
		case o.cards[other] != nil:
			p.Others = append(p.Others, otherSeats{Seat: other, Open: strings.Split(s.hands[other].String(), "-")})
		case o.sizes[other] != dealt:
			p.Others = append(p.Others, otherSeats{Seat: other, Cards: o.sizes[other]})
		}
	}
	return engine.MarshalPosition(p)
}

// names writes what cards show.
func names(hand []int) (list []string) {
	for _, card := range hand {
		list = append(list, Hand(0).With(CardValue(card)).String())
	}
	return list
}

// ExamplePosition implements engine.Positioned.
func (g *Game) ExamplePosition() []byte { return []byte(`{"seat": 0, "hand": ["7", "9"]}`) }

// Redeal implements engine.Redealer.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	if s.outline(seat).deal(s, rng) != nil {
		panic("banluck: a state that no deal leads to")
	}
}

// Past implements engine.Past.
func (s *State) Past(buf []int) []int {
	for _, e := range s.events[:s.length] {
		buf = append(buf, e.action())
	}
	return buf
}

// Hazard implements engine.Hazardous.
func (g *Game) Hazard() string { return "bust" }

// Fate implements engine.Hazardous: a seat's own cards go over 21, or others draw or all is over.
func (g *Game) Fate(_, after engine.State, seat int) engine.Fate {
	s := after.(*State)
	switch {
	case g.Worth(s.hands[seat]).Total > limit:
		return engine.Struck
	case int(s.turn) != seat || s.player == engine.Terminal:
		return engine.Safe
	}
	return engine.Open
}
