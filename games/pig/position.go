package pig

import (
	"croupier/engine"
)

// position is what a seat knows. Points come in rolls of 2 to 6, so 1 is impossible.
type position struct {
	Scores []int32 `json:"scores"` // held points by seat
	Turn   int32   `json:"turn"`   // points of this turn
	Seat   int8    `json:"seat"`   // to move
}

// maxPositionTurn bounds the points of a turn that a position may have.
const maxPositionTurn = 10 * maxTarget

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, _ *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	if err := g.check(&p); err != nil {
		return nil, nil, err
	}
	return &State{game: g, scores: [seats]int32(p.Scores), turn: p.Turn, seat: p.Seat, player: p.Seat}, nil, nil
}

// SetPosition puts the state into a decision of the seat, with held points by seat and the
// points of its turn, for solvers that ask players what they would do there. It does not check
// that play can lead there.
func (s *State) SetPosition(scores [seats]int, turn, seat int) {
	*s = State{
		game: s.game, scores: [seats]int32{int32(scores[0]), int32(scores[1])}, turn: int32(turn),
		seat: int8(seat), player: int8(seat),
	}
}

func (g *Game) check(p *position) error {
	if len(p.Scores) != seats {
		return engine.FieldErrorf("scores", "%d entries for %d seats", len(p.Scores), seats)
	}
	for seat, score := range p.Scores {
		field := engine.Element("scores", seat)
		switch {
		case score < 0 || score == 1:
			return engine.FieldErrorf(field, "%d points cannot be held", score)
		case int(score) >= g.rules.Target:
			return engine.FieldErrorf(field, "%d points would have won the game, which is played to %d", score, g.rules.Target)
		}
	}
	switch {
	case p.Turn < 0 || p.Turn == 1 || p.Turn > maxPositionTurn:
		return engine.FieldErrorf("turn", "a turn cannot have %d points", p.Turn)
	case p.Seat < 0 || p.Seat >= seats:
		return engine.FieldErrorf("seat", "%d is not in 0..%d", p.Seat, seats-1)
	}
	return nil
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, _ int) []byte {
	return engine.MarshalPosition(state.(*State).position())
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, _ int) string {
	return engine.WriteLine(state.(*State).position())
}

func (s *State) position() *position {
	return &position{Scores: s.scores[:], Turn: s.turn, Seat: s.seat}
}

// Sections implements engine.Sectioned: ">30 42 | 18".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		engine.MoverSection(&p.Seat, engine.NumbersSection("scores", &p.Scores)),
		engine.NumberSection("turn", &p.Turn),
	}
}

// ExamplePosition implements engine.Positioned.
func (g *Game) ExamplePosition() []byte { return []byte(`{"scores": [0, 0], "turn": 0, "seat": 0}`) }

// Hazard implements engine.Hazardous.
func (g *Game) Hazard() string { return "lost turn" }

// Fate implements engine.Hazardous: a 1 ends the turn without points, holding keeps them.
func (g *Game) Fate(before, after engine.State, seat int) engine.Fate {
	b, a := before.(*State), after.(*State)
	switch {
	case int(b.seat) == seat && b.player == engine.Chance && int(a.seat) != seat:
		return engine.Struck
	case int(a.seat) != seat || a.player == engine.Terminal:
		return engine.Safe
	}
	return engine.Open
}
