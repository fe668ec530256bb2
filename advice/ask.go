package advice

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/policy"
)

// same is the largest difference between values that counts as none.
const same = 1e-9

// ask fills the answer with the agent's own values.
func (a *Answer) ask(v policy.Valuer, s engine.State) {
	legal := s.LegalActions(nil)
	values := make([]policy.Value, len(legal))
	v.Values(s, legal, values)
	scale := v.Scale()
	a.Exact, a.Unit, a.Risk = exactIn(v, s), inWords(scale.Unit), scale.Risk
	if a.Exact {
		a.ValueError = scale.Accuracy
	}
	if !a.Exact && len(values) > 1 && withoutErrors(values) {
		a.Notes = append(a.Notes,
			fmt.Sprintf("%s gives no error for its values: an interval without width does not mean that a value is exact", a.Agent))
	}
	best := a.favourite(values)
	a.Best = legal[best]
	losses := differences(v, s, legal, values, best)
	top := &a.Actions[best]
	for i, value := range values {
		entry := &a.Actions[i]
		entry.Value, entry.Low, entry.High = value.Mean, value.Low, value.High
		entry.P = 1
		if loss := losses[i]; i != best && !a.alike(loss) {
			entry.Loss, entry.LossLow, entry.LossHigh = loss.Mean, max(0, loss.Low), loss.High
			entry.P = a.surprise(loss, len(legal)-1)
			top.LossHigh = max(top.LossHigh, -loss.Low) // it may be the other that is better
			entry.shortfall = stat.Interval{Value: loss.Mean, Low: loss.Low, High: loss.High}
		}
		a.spread = max(a.spread, entry.Loss)
		if scale.Risk != "" {
			entry.Risk = &value.Risk
		}
	}
}

// exactIn reports whether the agent computes its values in the position.
func exactIn(v policy.Valuer, s engine.State) bool {
	settler, ok := v.(policy.Settler)
	return v.Scale().Exact || ok && settler.Settles(s)
}

// withoutErrors reports whether all intervals are empty.
func withoutErrors(values []policy.Value) bool {
	return !slices.ContainsFunc(values, func(v policy.Value) bool { return v.Low < v.High })
}

// favourite returns the index of the action with the greatest value; of actions whose values are
// the same, the one that the agent takes most often.
func (a *Answer) favourite(values []policy.Value) int {
	best := 0
	for i := range values {
		if values[i].Mean > values[best].Mean {
			best = i
		}
	}
	top := values[best].Mean
	for i := range values {
		likelier := a.Actions[i].Frequency != nil && *a.Actions[i].Frequency > *a.Actions[best].Frequency
		if a.Exact && likelier && top-values[i].Mean <= max(same, a.ValueError) {
			best = i
		}
	}
	return best
}

// alike reports whether a difference of exact values is none.
func (a *Answer) alike(difference policy.Value) bool {
	return a.Exact && math.Abs(difference.Mean) <= max(same, a.ValueError)
}

// surprise returns a bound on the probability that an action with such a loss is as good as every
// other: of exact values, whether the loss is possible without; of estimates by the normal
// distribution, corrected for the number of actions it is compared with (Bonferroni).
func (a *Answer) surprise(loss policy.Value, others int) float64 {
	switch {
	case loss.Low > same && (a.Exact || loss.Low == loss.High):
		return 0
	case a.Exact || loss.High <= loss.Low:
		return 1
	}
	errors := (loss.Mean - loss.Low) / stat.Z95
	return min(1, float64(others)*distuv.UnitNormal.Survival(loss.Mean/errors))
}

// differences returns what the best action is worth more than each other. Where the agent does not
// say how the errors of two actions belong together, the interval holds whatever they do.
func differences(
	v policy.Valuer, s engine.State, legal []int, values []policy.Value, best int,
) []policy.Value {
	list := make([]policy.Value, len(values))
	if d, ok := v.(policy.Differencer); ok {
		d.Differences(s, legal, best, list)
		return list
	}
	top := values[best]
	for i, value := range values {
		list[i] = policy.Value{Mean: top.Mean - value.Mean, Low: top.Low - value.High, High: top.High - value.Low}
	}
	return list
}
