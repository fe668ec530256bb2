package pig

import "croupier/engine"

// The figures.
const (
	turnPoints = iota
	turnsLost
	holdPoints
)

var figures = []engine.Figure{
	turnPoints: {Name: "turn_points", Unit: "points", Per: "turn",
		Help: "points that a turn adds to the score, 0 if a 1 ends it"},
	turnsLost:  {Name: "turns_lost", Unit: engine.Share, Per: "turn", Help: "turns that a 1 ends"},
	holdPoints: {Name: "hold_points", Unit: "points", Per: "hold", Help: "points in the turn when the seat holds"},
}

// MeasureStep counts turns at their ends.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	seat := int(s.seat)
	switch {
	case s.player == engine.Chance && step == 0:
		sums.Add(seat, turnPoints, 0, 1)
		sums.AddShare(seat, turnsLost, true)
	case s.player >= 0 && step == Hold:
		sums.Add(seat, turnPoints, float64(s.turn), 1)
		sums.AddShare(seat, turnsLost, false)
		sums.Add(seat, holdPoints, float64(s.turn), 1)
	}
}

// MeasureEnd adds nothing.
func (s *State) MeasureEnd(engine.Sums) {}
