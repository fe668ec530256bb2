package messages

import (
	"fmt"

	"croupier/engine"
)

// draw is a game just large enough to be refused in every way: each of two seats,
// twice in turn, sees a card drawn from 0..cards-1 and passes (0) or takes it (1;
// a zero cannot be taken). Returns are the difference of what was taken.
type draw struct{ spec engine.Spec }

func newDraw(cards int) *draw {
	return &draw{engine.Spec{
		Name: "draw", Seats: 2, Actions: 2, Outcomes: cards, MaxHistory: 8,
		ActionGroups: []engine.ActionGroup{{Name: "action", Count: 2}}, MaxReturn: float64(2 * cards), Unit: "points",
	}}
}

func (g *draw) Spec() *engine.Spec { return &g.spec }
func (g *draw) Rules() any {
	return struct {
		Cards int `json:"cards"`
	}{g.spec.Outcomes}
}
func (g *draw) NewState() engine.State                { return &drawState{cards: g.spec.Outcomes} }
func (g *draw) Bots() *engine.Bots                    { return &engine.Bots{} }
func (s *drawState) Observe(int, []float32)           {}
func (s *drawState) Scores(buf []int64) []int64       { return buf }
func (s *drawState) ActionName(a int) string          { return fmt.Sprint(a) }
func (s *drawState) OutcomeName(o int) string         { return fmt.Sprint(o) }
func (s *drawState) String() string                   { return fmt.Sprint(*s) }
func (s *drawState) Seen(_, step int) int             { return step }
func (s *drawState) SampleChance(rng *engine.RNG) int { return rng.IntN(s.cards) }

type drawState struct {
	cards, steps, card int
	taken              [2]int
}

func (s *drawState) Reset() { *s = drawState{cards: s.cards} }

func (s *drawState) Player() int {
	switch {
	case s.steps == 8:
		return engine.Terminal
	case s.steps%2 == 0:
		return engine.Chance
	}
	return s.steps / 2 % 2
}

func (s *drawState) LegalActions(buf []int) []int {
	if s.Player() < 0 {
		return buf
	}
	if s.card == 0 {
		return append(buf, 0)
	}
	return append(buf, 0, 1)
}

func (s *drawState) Outcomes(buf []engine.Outcome) []engine.Outcome {
	for i := 0; s.Player() == engine.Chance && i < s.cards; i++ {
		buf = append(buf, engine.Outcome{Index: i, Probability: 1 / float64(s.cards)})
	}
	return buf
}

func (s *drawState) Apply(step int) error {
	player := s.Player()
	limit := s.cards
	if player >= 0 {
		limit = min(2, s.card+1)
	}
	if player == engine.Terminal || step < 0 || step >= limit {
		return &engine.IllegalError{Player: player, Action: step, Reason: "not possible"}
	}
	if player == engine.Chance {
		s.card = step
	} else {
		s.taken[player] += step * s.card
	}
	s.steps++
	return nil
}

func (s *drawState) InformationKey(_ int, buf []byte) []byte {
	return fmt.Append(buf, s.steps, s.card, s.taken)
}

func (s *drawState) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.steps == 8 {
		dst[0] = float64(s.taken[0] - s.taken[1])
		dst[1] = -dst[0]
	}
}

func (s *drawState) CopyFrom(src engine.State) { *s = *src.(*drawState) }

func (s *drawState) Clone() engine.State {
	c := *s
	return &c
}
