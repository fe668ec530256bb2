package policy

import "croupier/engine"

// Value is what an action is worth to the seat to move, in the unit of the
// [Scale]: the expected result if it is chosen and the game goes on as the
// [Valuer] assumes.
type Value struct {
	Mean      float64
	Low, High float64 // 95 % interval; equal to Mean where the value is exact
	// Risk is the probability of what Scale.Risk names, 0 where it names nothing.
	Risk float64
}

// Scale says how the values of a [Valuer] are to be read.
type Scale struct {
	Unit  string // what people count in: "points", "units", "wins"
	Exact bool   // values are computed, not estimated
	Risk  string // the worst thing that can come of an action: "strich", "bust"; empty: none is computed
}

// Valuer is a Policy that can say what each action is worth. Among the actions of
// the greatest Mean is one that Choose would choose, where it does not mix.
type Valuer interface {
	Policy
	Scale() Scale
	// Values writes the value of legal[i] to dst[i]. It looks only at what the seat to
	// move may know, and does not count as a decision.
	Values(s engine.State, legal []int, dst []Value)
}
