package leduc

import (
	"strings"

	"croupier/engine"
)

// position is what the seat to move knows. The moves say whose turn it is.
type position struct {
	Card   string   `json:"card"`                     // rank J, Q, K and suit s, h
	First  []string `json:"first_round"`              // fold, check, call, raise
	Public string   `json:"public" strict:"optional"` // the card between the rounds; empty before
	Second []string `json:"second_round" strict:"optional"`
}

// ParsePosition implements engine.Positioned.
func (Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	own, err := parseCard("card", p.Card)
	if err != nil {
		return nil, nil, err
	}
	public := engine.Hidden
	if p.Public != "" {
		if public, err = parseCard("public", p.Public); err != nil {
			return nil, nil, err
		}
		if public == own {
			return nil, nil, engine.FieldErrorf("public", "%s is the seat's own card", p.Public)
		}
	}
	s, err := p.replay(own, public)
	if err != nil {
		return nil, nil, err
	}
	s.Redeal(int(s.player), rng)
	return s, nil, nil
}

func parseCard(field, name string) (int, error) {
	if len(name) == 2 {
		rank, suit := strings.IndexByte("JQK", name[0]), strings.IndexByte("sh", name[1])
		if rank >= 0 && suit >= 0 {
			return rank*suits + suit, nil
		}
	}
	return 0, engine.FieldErrorf(field, "%q is not a card: a card is J, Q or K with s or h, as in Qs", name)
}

// replay makes the moves, with the own card in the seat that is to move after them and any free
// card in the other.
func (p *position) replay(own, public int) (*State, error) {
	other := 0
	for other == own || other == public {
		other++
	}
	s := newDealt(own, other)
	if err := s.moves("first_round", p.First); err != nil {
		return nil, err
	}
	switch {
	case s.player == engine.Chance && public == engine.Hidden:
		return nil, engine.FieldErrorf("public", "is missing: the first round is over")
	case s.player != engine.Chance && public != engine.Hidden:
		return nil, engine.FieldErrorf("public", "is given, but the first round is not over")
	case s.player == engine.Chance:
		if err := s.Apply(public); err != nil {
			return nil, err
		}
	}
	if err := s.moves("second_round", p.Second); err != nil {
		return nil, err
	}
	if s.player < 0 {
		return nil, engine.FieldErrorf("second_round", "it ends the game")
	}
	if s.player == 1 {
		s.steps[0], s.steps[1] = s.steps[1], s.steps[0]
	}
	return s, nil
}

// newDealt returns the state after the private cards.
func newDealt(first, second int) *State {
	s := &State{}
	s.Reset()
	s.steps[0], s.steps[1], s.length = int8(first), int8(second), deals
	s.afterDeal()
	return s
}

// moves makes the named moves of one round.
func (s *State) moves(field string, names []string) error {
	for i, name := range names {
		action, err := engine.ActionNamed(s, name, engine.Element(field, i))
		if err != nil {
			return err
		}
		if err := s.Apply(action); err != nil {
			return err
		}
		if s.player == engine.Terminal {
			return engine.FieldErrorf(engine.Element(field, i), "it ends the game")
		}
	}
	return nil
}

// FormatPosition implements engine.Positioned.
func (Game) FormatPosition(state engine.State, seat int) []byte {
	return engine.MarshalPosition(state.(*State).position(seat))
}

// FormatLine implements engine.Lined.
func (Game) FormatLine(state engine.State, seat int) string {
	return engine.WriteLine(state.(*State).position(seat))
}

// Sections implements engine.Sectioned: "Ks | raise call | Qh | raise".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		engine.WordSection("card", &p.Card),
		engine.WordsSection("first_round", &p.First),
		engine.WordSection("public", &p.Public),
		engine.WordsSection("second_round", &p.Second),
	}
}

// position returns what the seat knows.
func (s *State) position(seat int) *position {
	p := position{Card: s.OutcomeName(s.Private(seat)), First: []string{}, Second: []string{}}
	replayed := newDealt(s.Private(0), s.Private(1))
	for _, step := range s.steps[deals:s.length] {
		switch {
		case replayed.player == engine.Chance:
			p.Public = s.OutcomeName(int(step))
		case replayed.Round() == 0:
			p.First = append(p.First, replayed.ActionName(int(step)))
		default:
			p.Second = append(p.Second, replayed.ActionName(int(step)))
		}
		replayed.Apply(int(step)) // was legal in s
	}
	return &p
}

// ExamplePosition implements engine.Positioned.
func (Game) ExamplePosition() []byte {
	return []byte(`{"card": "Ks", "first_round": ["raise", "call"], "public": "Qh", "second_round": ["raise"]}`)
}

// Redeal implements engine.Redealer.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	for {
		card := int8(rng.IntN(cards))
		if int(card) != s.Private(seat) && int(card) != s.Public() {
			s.steps[1-seat] = card
			return
		}
	}
}

// Past implements engine.Past.
func (s *State) Past(buf []int) []int {
	for _, step := range s.steps[:s.length] {
		buf = append(buf, int(step))
	}
	return buf
}
