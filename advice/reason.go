package advice

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// same is the largest difference between values that counts as none.
const same = 1e-9

// reason explains in one sentence why the best action is the best.
func (a *Answer) reason() string {
	best, second := a.best()
	if second == nil {
		return fmt.Sprintf("%s is the only legal action.", upper(best.Name))
	}
	var b strings.Builder
	value := number(best.Value) + " " + a.Unit
	margin := (second.LossHigh - second.LossLow) / 2
	switch {
	case a.Exact && second.Loss < same:
		fmt.Fprintf(&b, "%s and %s are worth the same, %s", upper(best.Name), second.Name, value)
	case a.Exact:
		fmt.Fprintf(&b, "%s is worth %s, %s more than %s", upper(best.Name), value, number(second.Loss), second.Name)
	case second.Loss < same:
		fmt.Fprintf(&b, "%s and %s did equally well, about %s", upper(best.Name), second.Name, value)
	case second.LossLow > 0:
		fmt.Fprintf(&b, "%s is worth about %s, %s ± %s more than %s",
			upper(best.Name), value, number(second.Loss), number(margin), second.Name)
	default:
		fmt.Fprintf(&b, "%s seems best with about %s, but the %s more than %s are within the error of ± %s",
			upper(best.Name), value, number(second.Loss), second.Name, number(margin))
	}
	if best.Risk != nil && second.Risk != nil {
		fmt.Fprintf(&b, "; risk (%s): %s against %s", a.Risk, percent(*best.Risk), percent(*second.Risk))
	}
	if a.Games > 0 {
		fmt.Fprintf(&b, "; %d games were played out after each action", a.Games)
	}
	return b.String() + "."
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// number formats a value with four significant digits and at most six decimals.
func number(v float64) string {
	if math.Abs(v) < same {
		return "0"
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', max(0, min(digits, 6)), 64)
}

func percent(p float64) string { return fmt.Sprintf("%.1f %%", 100*p) }
