package nim

import (
	"encoding/json"
	"fmt"

	"croupier/engine"
)

// position is what people write down: {"piles": [3, 4, 5], "seat": 0}.
type position struct {
	Piles []int `json:"piles"`
	Seat  int   `json:"seat"` // to move
}

var _ engine.Positioned = (*Game)(nil)

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, _ *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	s := &State{game: g, seat: int8(p.Seat)}
	if len(p.Piles) != len(g.rules.Piles) {
		return nil, nil, engine.FieldErrorf("piles", "there are %d, the game has %d", len(p.Piles), len(g.rules.Piles))
	}
	if p.Seat < 0 || p.Seat >= seats {
		return nil, nil, engine.FieldErrorf("seat", "%d is not in 0..%d", p.Seat, seats-1)
	}
	for i, n := range p.Piles {
		if n < 0 || n > g.rules.Piles[i] {
			return nil, nil, engine.FieldErrorf(engine.Element("piles", i), "%d is not in 0..%d", n, g.rules.Piles[i])
		}
		s.piles[i] = int8(n)
	}
	if s.Player() == engine.Terminal {
		return nil, nil, engine.FieldErrorf("piles", "the game is over")
	}
	return s, nil, nil
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, _ int) []byte {
	s := state.(*State)
	p := position{Seat: int(s.seat), Piles: s.shown()}
	document, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("nim: %v", err)) // it consists of numbers
	}
	return document
}

// ExamplePosition implements engine.Positioned.
func (g *Game) ExamplePosition() []byte {
	s := g.NewState()
	return g.FormatPosition(s, s.Player())
}

// shown returns the piles that the game has.
func (s *State) shown() []int {
	list := make([]int, len(s.game.rules.Piles))
	for i := range list {
		list[i] = int(s.piles[i])
	}
	return list
}

// View is what the board shows.
type View struct {
	Piles []int `json:"piles"`
	Over  bool  `json:"over"`
	Seat  int   `json:"seat"` // to move; at the end, who has won
}

// View implements engine.Viewed.
func (g *Game) View(state engine.State, _ int) any {
	s := state.(*State)
	v := &View{Piles: s.shown(), Seat: int(s.seat), Over: s.Player() == engine.Terminal}
	if v.Over {
		v.Seat = 1 - v.Seat
	}
	return v
}
