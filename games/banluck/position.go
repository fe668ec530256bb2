package banluck

import (
	"slices"
	"strings"

	"croupier/engine"
)

// position is what the seat to move knows.
type position struct {
	Seat   int          `json:"seat"`                     // to move; the dealer has the last one
	Hand   []string     `json:"hand"`                     // its cards in the order in which it got them
	Others []otherSeats `json:"others" strict:"optional"` // the other seats
	// Revealed is how many cards the dealer had when he revealed; 0 if he has not.
	Revealed int `json:"revealed_with" strict:"optional"`
}

// otherSeats says what is known about another seat. A seat that is not listed in a position that is read has two hidden
// cards.
type otherSeats struct {
	Seat  int      `json:"seat"`
	Cards int      `json:"cards" strict:"optional"` // how many it has; may be left out where they are open
	Open  []string `json:"open" strict:"optional"`  // its cards, if they are open; else empty
}

// outline is what a seat knows about a hand: what all deals that fit the position have in
// common.
type outline struct {
	game     *Game
	seat     int
	cards    [maxSeats][]int // known cards, in order if the seat knows it; nil: hidden
	sizes    [maxSeats]int
	revealed int
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
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
		return nil, engine.FieldErrorf("seat", "%d is not in 0..%d", p.Seat, dealer)
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
		field := engine.Element("others", i)
		if other.Seat < 0 || other.Seat > dealer || listed[other.Seat] {
			return nil, engine.FieldErrorf(field+".seat", "%d is not another seat, or appears twice", other.Seat)
		}
		listed[other.Seat] = true
		if err := o.other(field, &other, used); err != nil {
			return nil, err
		}
	}
	return o, o.check()
}

func (o *outline) know(seat int, hand []int) { o.cards[seat], o.sizes[seat] = hand, len(hand) }

// other records what is known about another seat.
func (o *outline) other(field string, p *otherSeats, used map[int]bool) error {
	switch {
	case len(p.Open) > 0 && p.Cards != 0 && p.Cards != len(p.Open):
		return engine.FieldErrorf(field+".cards", "%d, but %d are open", p.Cards, len(p.Open))
	case len(p.Open) > 0:
		if p.Seat == int(o.game.dealer) {
			return engine.FieldErrorf(field+".open", "the dealer's hand is never open while a seat is to move")
		}
		hand, err := parseCards(field+".open", p.Open, used)
		if err != nil {
			return err
		}
		o.know(p.Seat, hand)
	case p.Cards < dealt || p.Cards > MaxCards:
		return engine.FieldErrorf(field+".cards", "%d is not in %d..%d", p.Cards, dealt, MaxCards)
	default:
		o.sizes[p.Seat] = p.Cards
	}
	if p.Seat > o.seat && o.sizes[p.Seat] != dealt {
		return engine.FieldErrorf(field, "it has not acted yet and still has %d cards", dealt)
	}
	return nil
}

// parseCards reads cards that no other hand has. Only values matter, so each name takes the
// first free card of its value.
func parseCards(field string, names []string, used map[int]bool) (hand []int, err error) {
	if len(names) < dealt || len(names) > MaxCards {
		return nil, engine.FieldErrorf(field, "%d cards: a hand has %d to %d", len(names), dealt, MaxCards)
	}
	for i, name := range names {
		value, ok := parseValue(name)
		if !ok {
			return nil, engine.FieldErrorf(engine.Element(field, i),
				"%q is not a card: a card is 2..9, T (10, J, Q, K are the same) or A, with or without C, D, H, S", name)
		}
		card := slices.IndexFunc(valueOf[:], func(v uint8) bool { return int(v) == value })
		for card < cards && (used[card] || CardValue(card) != value) {
			card++
		}
		if card == cards {
			return nil, engine.FieldErrorf(engine.Element(field, i), "the deck does not have that many cards that count as %s",
				name)
		}
		used[card] = true
		hand = append(hand, card)
	}
	return hand, nil
}

// parseValue returns the value of a card named with or without its suit.
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

// check rejects a hand that has nothing to choose, and open hands that cannot be open.
func (o *outline) check() error {
	g, isDealer := o.game, o.seat == int(o.game.dealer)
	w := g.Worth(handOf(o.cards[o.seat]))
	if o.revealed != 0 && (!isDealer || !g.rules.Reveal || o.revealed < dealt || o.revealed > o.sizes[o.seat]) {
		return engine.FieldErrorf("revealed_with",
			"%d cards: under these rules the dealer cannot have revealed with them in this position", o.revealed)
	}
	for seat, hand := range o.cards {
		if seat == o.seat || hand == nil {
			continue
		}
		bonus := len(hand) == dealt && g.Worth(handOf(hand)).Class >= BanLuck
		if !bonus && (o.revealed == 0 || len(hand) == dealt) {
			return engine.FieldErrorf("others",
				"the hand %v is open, but is neither Ban Ban nor Ban Luck, and was not revealed", handOf(hand))
		}
	}
	if isDealer && g.Surrenderable(handOf(o.cards[o.seat])) {
		return nil
	}
	if isDealer && (w.Total <= forfeit || w.Total >= mustStand) ||
		w.Total >= limit || w.Class >= BanLuck || o.sizes[o.seat] == MaxCards {
		return engine.FieldErrorf("hand", "with a total of %d in %d cards there is nothing to choose", w.Total,
			o.sizes[o.seat])
	}
	return nil
}

func handOf(list []int) (h Hand) {
	for _, card := range list {
		h = h.With(CardValue(card))
	}
	return h
}

// maxDeals bounds the search for a consistent deal. The rarest kind of position, four players
// with five cards each, takes hundreds of draws.
const maxDeals = 100_000

// deal sets s to a random deal that fits the outline: it draws the hidden cards until every
// seat could have acted as it did.
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
	return engine.FieldErrorf("", "no deal leads to this position: "+
		"some seat cannot have reached its number of cards by its own choices")
}

// shuffle puts n cards of the list, drawn at random, first.
func shuffle(list []int, n int, rng *engine.RNG) {
	for i := range n {
		j := i + rng.IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}

// replay plays the hand with the cards of each seat and reports whether that leads to the
// position.
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

// reached reports whether the seat of the position is asked while holding all of its cards.
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

// same reports whether the sizes and the open hands match the position.
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
	return engine.MarshalPosition(state.(*State).position(seat))
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, seat int) string {
	return engine.WriteLine(state.(*State).position(seat))
}

// Sections implements engine.Sectioned: "??? >T6 ??".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		engine.MoverSection(&p.Seat, engine.Section{Name: "hands", Write: p.writeHands, Read: p.readHands}),
		engine.NumberSection("revealed_with", &p.Revealed),
	}
}

// unknown stands for a hidden card.
const unknown = "?"

func (p *position) writeHands() []string {
	words := make([]string, len(p.Others)+1)
	words[p.Seat] = strings.Join(p.Hand, "")
	for _, other := range p.Others {
		words[other.Seat] = strings.Join(other.Open, "")
		if len(other.Open) == 0 {
			words[other.Seat] = strings.Repeat(unknown, other.Cards)
		}
	}
	return words
}

func (p *position) readHands(words []string) error {
	for seat, word := range words {
		switch hidden := strings.Trim(word, unknown) == ""; {
		case seat == p.Seat:
			p.Hand = cardsIn(word)
		case hidden:
			p.Others = append(p.Others, otherSeats{Seat: seat, Cards: len(word)})
		default:
			p.Others = append(p.Others, otherSeats{Seat: seat, Open: cardsIn(word)})
		}
	}
	return nil
}

// cardsIn returns the names of the cards of a word: "T6", "106" or "TS6H".
func cardsIn(word string) (names []string) {
	for word != "" {
		n := len("T")
		if strings.HasPrefix(word, "10") {
			n = len("10")
		}
		if n < len(word) && strings.IndexByte("CDHS", word[n]) >= 0 {
			n++
		}
		names, word = append(names, word[:n]), word[n:]
	}
	return names
}

// position returns what the seat knows.
func (s *State) position(seat int) *position {
	g, o := s.game, s.outline(seat)
	p := position{Seat: seat, Hand: names(o.cards[seat]), Others: []otherSeats{}, Revealed: o.revealed}
	for other := range int(g.dealer) + 1 {
		if other == seat {
			continue
		}
		known := otherSeats{Seat: other, Cards: o.sizes[other], Open: []string{}}
		if o.cards[other] != nil {
			known.Open = strings.Split(s.hands[other].String(), "-")
		}
		p.Others = append(p.Others, known)
	}
	return &p
}

// names writes the values of cards.
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

// Fate implements engine.Hazardous: the seat goes over 21, or is safe once its turn or the hand
// is over.
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
