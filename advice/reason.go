package advice

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"croupier/internal/plural"
)

// certain is the largest Action.P at which an action is called worse than another: of the answers
// that call the best action worse, there are at most that many.
const certain = 0.05

// mixed is the frequency from which on an action belongs to the agent's mix.
const mixed = 0.005

// reason explains in one sentence why the best action is the best.
func (a *Answer) reason() string {
	best, second := a.best()
	if second == nil {
		return fmt.Sprintf("%s is the only legal action.", upper(best.Name))
	}
	var b strings.Builder
	switch mix := a.mixture(); {
	case len(mix) > 1:
		b.WriteString(a.mixes(mix))
	case a.Exact:
		b.WriteString(a.exactly(best, second))
	default:
		b.WriteString(a.estimated(best, second))
	}
	if a.risky() && percent(*best.Risk) != percent(*second.Risk) {
		fmt.Fprintf(&b, "; risk (%s): %s against %s", a.Risk, percent(*best.Risk), percent(*second.Risk))
	}
	if a.Games > 0 {
		fmt.Fprintf(&b, "; %s played out after each action", plural.Of(a.Games, "game was", "games were"))
	}
	return b.String() + "."
}

// mixture returns the actions that an exact agent mixes because they are worth the same, nil if
// there is only one.
func (a *Answer) mixture() (mix []*Action) {
	for i := range a.Actions {
		entry := &a.Actions[i]
		if a.Exact && entry.Frequency != nil && *entry.Frequency >= mixed && entry.Loss == 0 {
			mix = append(mix, entry)
		}
	}
	if len(mix) < 2 {
		return nil
	}
	return mix
}

// mixes: "Bet 33.3 % of the time, check 66.7 %: they are worth the same, -1.000 antes".
func (a *Answer) mixes(mix []*Action) string {
	var parts []string
	for i, entry := range mix {
		part := entry.Name + " " + percent(*entry.Frequency)
		if i == 0 {
			part = upper(part) + " of the time"
		}
		parts = append(parts, part)
	}
	text := fmt.Sprintf("%s: they are worth the same, %s", strings.Join(parts, ", "), a.worth(mix[0]))
	var next *Action // the best of the others
	for i := range a.Actions {
		if entry := &a.Actions[i]; entry.Loss > 0 && (next == nil || entry.Loss < next.Loss) {
			next = entry
		}
	}
	if next != nil {
		text += fmt.Sprintf(", %s more than %s", a.number(next.Loss), next.Name)
	}
	return text
}

func (a *Answer) exactly(best, second *Action) string {
	switch {
	case second.Loss == 0:
		return fmt.Sprintf("%s and %s are worth the same, %s", upper(best.Name), second.Name, a.worth(best))
	case second.LossLow <= 0:
		return fmt.Sprintf("%s and %s are worth the same within the bounds, %s",
			upper(best.Name), second.Name, a.worth(best))
	case a.number(second.Loss) == a.number(0):
		return fmt.Sprintf("%s is worth %s, hardly more than %s", upper(best.Name), a.worth(best), second.Name)
	}
	return fmt.Sprintf("%s is worth %s, %s more than %s",
		upper(best.Name), a.worth(best), a.number(second.Loss), second.Name)
}

func (a *Answer) estimated(best, second *Action) string {
	known := true
	for i := range a.Actions {
		known = known && (a.Actions[i].Action == a.Best || a.Actions[i].P <= certain)
	}
	lead := fmt.Sprintf("%s (%s to %s)", a.number(second.Loss), a.number(second.LossLow), a.number(second.LossHigh))
	switch {
	case known:
		return fmt.Sprintf("%s is worth about %s, %s more than %s", upper(best.Name), a.worth(best), lead, second.Name)
	case a.number(max(0, second.Loss)) == a.number(0):
		return fmt.Sprintf("%s seems best with about %s, but cannot be distinguished from %s",
			upper(best.Name), a.worth(best), second.Name)
	case second.LossLow > 0:
		return fmt.Sprintf("%s seems best with about %s, %s more than %s, but this number of games is too small to be certain",
			upper(best.Name), a.worth(best), lead, second.Name)
	}
	return fmt.Sprintf("%s seems best with about %s, but whether it is better than %s is not certain: by %s",
		upper(best.Name), a.worth(best), second.Name, lead)
}

// risky reports whether the actions differ in their risk.
func (a *Answer) risky() bool {
	for i := range a.Actions {
		if a.Actions[i].Risk != nil && percent(*a.Actions[i].Risk) != percent(*a.Actions[0].Risk) {
			return true
		}
	}
	return false
}

// mixing reports whether the agent takes more than one action in the position.
func (a *Answer) mixing() bool {
	several := 0
	for i := range a.Actions {
		if a.Actions[i].Frequency != nil && *a.Actions[i].Frequency >= mixed {
			several++
		}
	}
	return several > 1
}

// decimals returns how many decimals of values and losses mean something: as many as show four
// digits of the largest value, at most four, but of estimates not more than two digits of the
// smallest margin of a loss, and of exact values none within their error.
func (a *Answer) decimals() int {
	largest, margin := 0.0, math.Inf(1)
	for _, entry := range a.Actions {
		largest = max(largest, math.Abs(entry.Value))
		if half := (entry.LossHigh - entry.LossLow) / 2; half > 0 {
			margin = min(margin, half)
		}
	}
	digits := 4
	if largest > 1 {
		digits = 3 - floorLog10(largest)
	}
	switch {
	case !a.Exact && !math.IsInf(margin, 1):
		digits = min(digits, 1-floorLog10(margin))
	case a.ValueError > 0:
		digits = min(digits, -floorLog10(a.ValueError)-1)
	}
	return max(0, min(digits, 4))
}

func floorLog10(v float64) int { return int(math.Floor(math.Log10(v))) }

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// worth is an action's value with its unit.
func (a *Answer) worth(entry *Action) string { return a.number(entry.Value) + " " + a.Unit }

// number writes a value or a loss.
func (a *Answer) number(v float64) string { return decimal(v, a.Decimals) }

// decimal writes a number with that many decimals, and never as "-0".
func decimal(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

func percent(p float64) string { return fmt.Sprintf("%.1f %%", 100*p) }
