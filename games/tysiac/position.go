package tysiac

import (
	"slices"
	"strings"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// position is what the seat to move knows about the present hand: its cards, and the events in
// order. In tysiac-hand the rules give scores, bombs, dealer and hand number, so the position
// omits them.
type position struct {
	Seat   int     `json:"seat"` // to move
	Dealer *int8   `json:"dealer,omitempty"`
	Scores []int32 `json:"scores,omitempty"`
	Bombs  []int8  `json:"bombs_left,omitempty"`
	Number *int32  `json:"hand_number,omitempty"` // from 1

	Hand []string `json:"hand"` // cards in the own hand now
	// Auction lists the calls from forehand on: "bid 100", "pass", "challenge ♣" with the
	// suit of the meld that was shown.
	Auction  []string `json:"auction" strict:"optional"`
	Taken    int8     `json:"taken" strict:"optional"`    // musik 1 or 2; 0 before
	Musik    []string `json:"musik" strict:"optional"`    // its cards
	PlayedOn bool     `json:"no_bomb" strict:"optional"`  // the bomb was possible but declined
	Returned []string `json:"returned" strict:"optional"` // by the own seat
	Contract int      `json:"contract" strict:"optional"` // 0 before it is announced
	Plays    []string `json:"plays" strict:"optional"`    // from the first lead on: "A♠", "K♥ declared"

	oneHand bool // of tysiac-hand
}

const declaredMark = " declared"

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	p := position{oneHand: g.hand != nil}
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	d, err := g.known(&p)
	if err != nil {
		return nil, nil, err
	}
	s := &State{}
	if err := d.first(s, rng); err != nil {
		return nil, nil, err
	}
	if int(s.player) != p.Seat {
		return nil, nil, engine.FieldErrorf("seat", "the other one is to move here (%s)", s.phase)
	}
	s.Redeal(p.Seat, rng)
	return s, nil, nil
}

// known reads the position.
func (g *Game) known(p *position) (*known, error) {
	if p.Seat < 0 || p.Seat >= seats {
		return nil, engine.FieldErrorf("seat", "%d is not in 0..%d", p.Seat, seats-1)
	}
	d := &known{seat: p.Seat, taken: nobody}
	if err := g.begin(p, &d.start); err != nil {
		return nil, err
	}
	var err error
	used := cards.Set(0)
	hand := parseSet("hand", p.Hand, &used, &err)
	d.shown = parseSet("musik", p.Musik, nil, &err)
	returned := parseSet("returned", p.Returned, &used, &err)
	if err != nil {
		return nil, err
	}
	if err := d.addAuction(p); err != nil {
		return nil, err
	}
	if err := d.addContract(p, returned); err != nil {
		return nil, err
	}
	plays, err := d.addPlays(p, &used)
	if err != nil {
		return nil, err
	}
	own := hand | returned | plays[p.Seat]
	if d.playing == p.Seat && d.taken != nobody {
		if d.shown&^own != 0 {
			return nil, engine.FieldErrorf("musik", "%s was taken, but is neither in the hand nor played nor returned",
				cards.Name((d.shown &^ own).First()))
		}
		own &^= d.shown
	} else if d.shown&own != 0 {
		return nil, engine.FieldErrorf("musik", "%s appears twice", cards.Name((d.shown & own).First()))
	}
	if own.Len() != handCards {
		return nil, engine.FieldErrorf("hand",
			"%d cards do not fit: with what was played, returned and taken, %d were dealt, not %d",
			hand.Len(), own.Len(), handCards)
	}
	d.own, d.played = list(own), plays[1-p.Seat]
	return d, nil
}

// begin makes the state before the deal.
func (g *Game) begin(p *position, s *State) error {
	s.game = g
	s.Reset()
	if g.hand != nil {
		if p.Dealer != nil || p.Scores != nil || p.Bombs != nil || p.Number != nil {
			return engine.FieldErrorf("", "the rules of tysiac-hand give dealer, scores, bombs_left and hand_number")
		}
		return nil
	}
	rules := &g.rules
	switch {
	case p.Dealer == nil:
		return engine.FieldErrorf("dealer", "is missing")
	case *p.Dealer < 0 || *p.Dealer >= seats:
		return engine.FieldErrorf("dealer", "%d is not in 0..%d", *p.Dealer, seats-1)
	case len(p.Scores) != seats:
		return engine.FieldErrorf("scores", "%d entries for %d seats", len(p.Scores), seats)
	case p.Bombs != nil && len(p.Bombs) != seats:
		return engine.FieldErrorf("bombs_left", "%d entries for %d seats", len(p.Bombs), seats)
	case p.Number != nil && (*p.Number < 1 || int(*p.Number) > rules.Game.MaxHands):
		return engine.FieldErrorf("hand_number", "%d is not in 1..%d", *p.Number, rules.Game.MaxHands)
	}
	s.dealer = *p.Dealer
	for seat, score := range p.Scores {
		if field := engine.Element("scores", seat); int(score) >= rules.Game.TargetScore {
			return engine.FieldErrorf(field, "%d points would have won the game, which is played to %d",
				score, rules.Game.TargetScore)
		} else if score%bidStep != 0 || int(score) < -rules.Game.MaxHands*rules.Contract.Max {
			return engine.FieldErrorf(field, "no seat can have %d", score)
		}
		s.scores[seat] = score
	}
	for seat, left := range p.Bombs {
		if left < 0 || int(left) > rules.Bombing.BombsPerPlayer {
			return engine.FieldErrorf(engine.Element("bombs_left", seat), "%d is not in 0..%d", left,
				rules.Bombing.BombsPerPlayer)
		}
		s.bombs[seat] = uint8(left)
	}
	if p.Number != nil {
		s.hand = *p.Number - 1
	}
	return nil
}

// parseSet reads cards that are not in used, which may be nil, and adds them to it. It does
// nothing after an error.
func parseSet(field string, names []string, used *cards.Set, failed *error) (set cards.Set) {
	for i, name := range names {
		if *failed != nil {
			return 0
		}
		card, ok := cardNumbers[name]
		switch {
		case !ok:
			*failed = engine.FieldErrorf(engine.Element(field, i),
				"%q is not a card: a card is 9, J, Q, K, 10 or A with ♠, ♣, ♦ or ♥ (or S, C, D, H)", name)
		case set.Has(card) || used != nil && used.Has(card):
			*failed = engine.FieldErrorf(engine.Element(field, i), "%s appears twice", name)
		default:
			set |= cards.Of(card)
		}
	}
	if used != nil {
		*used |= set
	}
	return set
}

// cardNumbers holds the cards by name, with symbols or letters for suits.
var cardNumbers = func() map[string]int {
	numbers := map[string]int{}
	for card := range cards.Count {
		name, sign := cards.Name(card), cards.SuitName(cards.Suit(card))
		numbers[name] = card
		numbers[strings.TrimSuffix(name, sign)+string("SCDH"[cards.Suit(card)])] = card
	}
	return numbers
}()

// list returns the cards of a set, ascending.
func list(set cards.Set) (cardList []int) {
	for ; set != 0; set &= set - 1 {
		cardList = append(cardList, set.First())
	}
	return cardList
}

func names(set cards.Set) (nameList []string) {
	for _, card := range list(set) {
		nameList = append(nameList, cards.Name(card))
	}
	return nameList
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, seat int) []byte {
	return engine.MarshalPosition(state.(*State).position(seat))
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, seat int) string {
	return engine.WriteLine(state.(*State).position(seat))
}

// position returns what the seat knows.
func (s *State) position(seat int) *position {
	g := s.game
	p := position{
		oneHand: g.hand != nil, Seat: seat, Hand: names(s.hands[seat]), Auction: []string{}, Musik: []string{},
		Returned: []string{}, Contract: int(s.contract), Plays: []string{},
	}
	if g.hand == nil {
		number := s.hand + 1
		p.Dealer, p.Number = &s.dealer, &number
		p.Scores, p.Bombs = s.scores[:], []int8{int8(s.bombs[0]), int8(s.bombs[1])}
	}
	if s.taken != nobody {
		p.Taken, p.Musik = s.taken+1, names(s.musiks[s.taken])
	}
	if int(s.playing) == seat {
		p.Returned = append(p.Returned, names(s.returned)...)
	}
	for _, step := range s.steps() {
		switch {
		case step >= proven:
			p.Auction = append(p.Auction, "challenge "+cards.SuitName(step-proven))
		case step < TakeMusik:
			p.Auction = append(p.Auction, s.ActionName(step))
		case step == PlayOn:
			p.PlayedOn = true
		case step >= Play:
			card, declares := cardOf(step)
			name := cards.Name(card)
			if declares {
				name += declaredMark
			}
			p.Plays = append(p.Plays, name)
		}
	}
	return &p
}

// ExamplePosition implements engine.Positioned: forehand is to speak.
func (g *Game) ExamplePosition() []byte {
	forehand, rest := "1", `"dealer": 0, "scores": [0, 0],`
	if g.hand != nil {
		forehand, rest = string(rune('1'-g.hand.Dealer)), ""
	}
	return []byte(`{"seat": ` + forehand + `, ` + rest +
		` "hand": ["9♠", "10♠", "A♠", "Q♣", "J♦", "K♦", "Q♥", "K♥", "10♥", "A♥"]}`)
}

// steps returns the actions of the present hand from the auction on; an answered challenge is
// proven + the suit that was shown.
func (s *State) steps() (steps []int) {
	log := s.log[:s.length]
	for i := cards.Count; i < len(log); i++ {
		step := int(log[i]) - 1
		steps = append(steps, step)
		if step == TakeMusik || step == TakeMusik+1 {
			i += musikSize // its cards follow
		}
	}
	return slices.Clip(steps)
}

// Hazard implements engine.Hazardous.
func (g *Game) Hazard() string { return "lost contract" }

// Fate implements engine.Hazardous: a player who loses his contract, or cannot prove his bid,
// has lost points by the end of the hand.
func (g *Game) Fate(before, after engine.State, seat int) engine.Fate {
	b, a := before.(*State), after.(*State)
	switch {
	case b.hand == a.hand:
		return engine.Open
	case a.scores[seat] < b.scores[seat]:
		return engine.Struck
	}
	return engine.Safe
}
