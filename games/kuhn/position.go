package kuhn

import (
	"strings"

	"croupier/engine"
)

// position is what the seat to move knows. Seats alternate, so the number of moves says
// whose turn it is.
type position struct {
	Card  string   `json:"card"`  // J, Q or K
	Moves []string `json:"moves"` // check, bet
}

// ParsePosition implements engine.Positioned.
func (Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	card := strings.Index("JQK", p.Card)
	if len(p.Card) != 1 || card < 0 {
		return nil, nil, engine.FieldErrorf("card", "%q is not J, Q or K", p.Card)
	}
	// Until the moves show whose turn it is, seat 0 has the card and seat 1 any other one.
	s := &State{steps: [maxHistory]int8{int8(card), int8((card + 1) % cards)}, length: deals}
	for i, name := range p.Moves {
		action, err := engine.ActionNamed(s, name, engine.Element("moves", i))
		if err != nil {
			return nil, nil, err
		}
		if err := s.Apply(action); err != nil {
			return nil, nil, err
		}
	}
	if s.player == engine.Terminal {
		return nil, nil, engine.FieldErrorf("moves", "they end the game")
	}
	seat := int(s.player)
	s.steps[seat], s.steps[1-seat] = int8(card), int8((card+1)%cards)
	s.Redeal(seat, rng)
	return s, nil, nil
}

// FormatPosition implements engine.Positioned.
func (Game) FormatPosition(state engine.State, seat int) []byte {
	return engine.MarshalPosition(state.(*State).position(seat))
}

// FormatLine implements engine.Lined.
func (Game) FormatLine(state engine.State, seat int) string {
	return engine.WriteLine(state.(*State).position(seat))
}

// Sections implements engine.Sectioned: "Q | check bet".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		engine.WordSection("card", &p.Card),
		engine.WordsSection("moves", &p.Moves),
	}
}

// position returns what the seat knows.
func (s *State) position(seat int) *position {
	replayed := &State{length: deals}
	p := position{Card: s.OutcomeName(s.Card(seat)), Moves: []string{}}
	for _, move := range s.steps[deals:s.length] {
		p.Moves = append(p.Moves, replayed.ActionName(int(move)))
		replayed.Apply(int(move)) // was legal in s
	}
	return &p
}

// ExamplePosition implements engine.Positioned.
func (Game) ExamplePosition() []byte { return []byte(`{"card": "Q", "moves": ["check", "bet"]}`) }

// Redeal implements engine.Redealer.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	own := s.steps[seat]
	s.steps[1-seat] = (own + 1 + int8(rng.IntN(cards-1))) % cards
}

// Past implements engine.Past.
func (s *State) Past(buf []int) []int {
	for _, step := range s.steps[:s.length] {
		buf = append(buf, int(step))
	}
	return buf
}
