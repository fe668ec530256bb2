package policy

import "croupier/engine"

// Value is what an action is worth to the seat to move, in the unit of the [Scale]: the
// expected result if it is chosen and play continues as the [Valuer] assumes.
type Value struct {
	Mean      float64 // the value, or its estimate
	Low, High float64 // 95 % interval; equal to Mean if the value is exact
	// Risk is the probability, 0..1, of what Scale.Risk names, or 0 if it names nothing.
	Risk float64
}

// Scale reports how to read the values of a [Valuer].
type Scale struct {
	Unit  string // what values are in: the game's unit, "points"; "wins": shares of the win, 0 to 1
	Exact bool   // values are computed, not estimated
	Risk  string // the worst consequence of an action: "strich", "bust"; empty: none is computed
	// Accuracy bounds the error of the difference of two computed values, in Unit: differences that
	// are no larger mean nothing. 0: only rounding. Estimated values do not have it.
	Accuracy float64
}

// Valuer is a Policy that can give each action a value. Unless it mixes, Choose takes one
// of the actions with the greatest Mean.
type Valuer interface {
	Policy
	// Scale returns how to read the values.
	Scale() Scale
	// Values writes the value of legal[i] to dst[i]. It looks only at what the seat to move may
	// know, and it does not count as a decision.
	Values(s engine.State, legal []int, dst []Value)
}

// Differencer is a [Valuer] that knows how the errors of two actions' values belong together,
// and so knows their difference better than either.
type Differencer interface {
	Valuer
	// Differences writes what legal[base] is worth more than legal[i] to dst[i], negative where it
	// is worth less; the interval is that of the difference, and 0..0 at i = base. Like Values it
	// does not count as a decision.
	Differences(s engine.State, legal []int, base int, dst []Value)
}

// Settler is a [Valuer] that computes its values in some positions and estimates them in others.
type Settler interface {
	Valuer
	// Settles reports whether the values in s are exact, as if Scale().Exact were true.
	Settles(s engine.State) bool
}

// Expecter is a Policy that has an expectation at each of its decisions, which costs no more than the decision: a
// network with a value head.
type Expecter interface {
	Policy
	// Expects returns what the policy expected at its newest decision that the seat's return will be, in the game's
	// unit.
	Expects() float64
}

// Explainer is a [Valuer] that can explain its values.
type Explainer interface {
	Valuer
	// Explain returns sentences, each with its full stop, on the legal actions of the seat to move:
	// what can come of them, and what the seat knows about hidden things. Like Values it looks only
	// at what the seat may know and does not count as a decision.
	Explain(s engine.State, legal []int) []string
}
