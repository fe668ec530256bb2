package engine

// Figure is a number about a game that people follow next to returns and ratings: a value per
// something, such as points per turn. It is the quotient of two sums over games, so it can be
// added up anywhere.
type Figure struct {
	Name string `json:"name"` // lower-case letters, digits and "_": "contract_success"
	Unit string `json:"unit"` // of the value; Share if it is a part of the weight
	Per  string `json:"per"`  // what the weight counts: "contract"
	Help string `json:"help"` // one line for people
}

// Share is the unit of a figure whose values are in 0..weight.
const Share = "share"

// Sum is what games contribute to a figure, which is Value / Weight. Value is in the figure's
// Unit, Weight counts what its Per names.
type Sum struct{ Value, Weight float64 }

// Add adds the contribution of other games.
func (s *Sum) Add(o Sum) {
	s.Value += o.Value
	s.Weight += o.Weight
}

// Sums are what one game contributes to each figure, by seat.
type Sums struct {
	figures int
	all     []Sum // [seat][figure]
}

// NewSums returns the sums of a game that has not begun. They are empty for a game
// without figures.
func NewSums(s *Spec) Sums {
	return Sums{figures: len(s.Figures), all: make([]Sum, s.Seats*len(s.Figures))}
}

// Clear begins a new game.
func (s Sums) Clear() { clear(s.all) }

// Add adds a value and its weight to a figure of a seat; figure is an index in Spec.Figures.
func (s Sums) Add(seat, figure int, value, weight float64) {
	s.all[seat*s.figures+figure].Add(Sum{value, weight})
}

// AddShare adds one more case to a figure of unit Share, counted or not.
func (s Sums) AddShare(seat, figure int, counted bool) {
	value := 0.0
	if counted {
		value = 1
	}
	s.Add(seat, figure, value, 1)
}

// Of returns the sums of a seat, by figure. It is not a copy.
func (s Sums) Of(seat int) []Sum { return s.all[seat*s.figures : (seat+1)*s.figures] }

// Measured is a State of a game with figures (Spec.Figures). Neither method changes the state
// or allocates, and what they add depends on the history alone.
type Measured interface {
	State
	// MeasureStep adds what the legal step about to be made contributes.
	MeasureStep(step int, sums Sums)
	// MeasureEnd adds what the finished game contributes.
	MeasureEnd(sums Sums)
}
