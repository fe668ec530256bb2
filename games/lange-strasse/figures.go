package langestrasse

import "croupier/engine"

// The figures. The special throws are counted from straights on.
const (
	money = iota
	turnPoints
	strichs
	straights
	superStraights
	talheims
)

var figures = []engine.Figure{
	money:      {Name: "money", Unit: "ct", Per: "game", Help: "money won"},
	turnPoints: {Name: "turn_points", Unit: "points", Per: "turn", Help: "points that a turn scores, 0 with a strich"},
	strichs:    {Name: "strich", Unit: engine.Share, Per: "turn", Help: "turns that end with a strich"},
	straights: {Name: "lange_strasse", Unit: "throws", Per: "turn",
		Help: "Lange Strassen taken, not counting Super Strassen"},
	superStraights: {Name: "super_strasse", Unit: "throws", Per: "turn", Help: "Super Strassen taken"},
	talheims:       {Name: "talheim", Unit: "throws", Per: "turn", Help: "Talheims taken"},
}

// MeasureStep counts turns at their ends, and special throws.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	seat := int(s.standing.Seat)
	if s.player == engine.Chance {
		if len(s.tables.at(s.tables.base[s.set]+uint16(step))) == 0 {
			addTurn(sums, seat, 0, true)
		}
		return
	}
	switch step {
	case Straight:
		throw := straights
		if s.tables.sets[s.set].super {
			throw = superStraights
		}
		sums.Add(seat, throw, 1, 0)
	case Talheim:
		sums.Add(seat, talheims, 1, 0)
	}
	for _, m := range s.tables.at(s.node) {
		if int(m.Action) == step && m.Stops() {
			addTurn(sums, seat, s.turn+int32(m.Points), false)
		}
	}
}

// addTurn counts a turn that ends.
func addTurn(sums engine.Sums, seat int, points int32, strich bool) {
	sums.Add(seat, turnPoints, float64(points), 1)
	sums.AddShare(seat, strichs, strich)
	for throw := straights; throw <= talheims; throw++ {
		sums.Add(seat, throw, 0, 1)
	}
}

// MeasureEnd counts the money.
func (s *State) MeasureEnd(sums engine.Sums) {
	for seat, ct := range s.money {
		sums.Add(seat, money, float64(ct), 1)
	}
}
