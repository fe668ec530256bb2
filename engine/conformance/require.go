package conformance

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"croupier/engine/described"
)

// require has what the checks require. Each method ends the trial with a sentence if it does not hold: what is given
// last, a format and its values or one value, and what is wrong.
var require demands

type demands struct{}

// shown is how much of a value a sentence shows.
const shown = 300

func cut(v any) string {
	text := fmt.Sprintf("%v", v)
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	if len(text) > shown {
		text = text[:shown] + "…"
	}
	return text
}

func (t *trial) unless(holds bool, message []any, format string, values ...any) {
	if holds {
		return
	}
	what := fmt.Sprintf(format, values...)
	if len(message) > 0 {
		before := fmt.Sprint(message[0])
		if format, ok := message[0].(string); ok && len(message) > 1 {
			before = fmt.Sprintf(format, message[1:]...)
		}
		if what = before + ": " + what; format == "" {
			what = before
		}
	}
	t.stop(what)
}

func (demands) Equal(t *trial, want, got any, message ...any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	a, b := reflect.ValueOf(want), reflect.ValueOf(got)
	if a.Kind() == reflect.Struct && a.Type() == b.Type() {
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			if !a.Type().Field(i).IsExported() {
				continue
			}
			x, y := a.Field(i).Interface(), b.Field(i).Interface()
			if !reflect.DeepEqual(x, y) {
				t.unless(false, message, "%s: %s, and before %s", strings.ToLower(name), cut(y), cut(x))
			}
		}
	}
	t.unless(false, message, "%s, and not %s", cut(got), cut(want))
}

func (demands) True(t *trial, v bool, message ...any)  { t.unless(v, message, "") }
func (demands) False(t *trial, v bool, message ...any) { t.unless(!v, message, "") }

// NoError also knows where the fault of a game that describes itself has come up.
func (demands) NoError(t *trial, err error, message ...any) {
	if fault := new(described.Fault); errors.As(err, &fault) {
		t.past = []int{}
		for _, step := range fault.History {
			t.past = append(t.past, int(step))
		}
		t.stop(fmt.Sprintf("%s: %v", fault.Call, fault.Err))
	}
	t.unless(err == nil, message, "%v", err)
}

func (demands) Error(t *trial, err error, message ...any) {
	t.unless(err != nil, message, "it is not refused")
}

func (demands) ErrorContains(t *trial, err error, part string, message ...any) {
	t.unless(err != nil, message, "it is not refused; the error must name %q", part)
	t.unless(strings.Contains(err.Error(), part), message, "the error %q does not name %q", err, part)
}

func (demands) ErrorIs(t *trial, err, target error, message ...any) {
	t.unless(err != nil, message, "it is not refused")
	t.unless(errors.Is(err, target), message, "the error %q is not that of an illegal step", err)
}

func (demands) ErrorAs(t *trial, err error, target any, message ...any) {
	t.unless(err != nil && errors.As(err, target), message, "it is not refused as it should be: %v", err)
}

// number is the value of a number of any kind.
func number(v any) float64 {
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return float64(n.Int())
	case n.CanUint():
		return float64(n.Uint())
	default:
		return n.Float()
	}
}

func (demands) Positive(t *trial, v any, message ...any) {
	t.unless(number(v) > 0, message, "%v is not above 0", v)
}
func (demands) Less(t *trial, v, bound any, message ...any) {
	t.unless(number(v) < number(bound), message, "%v is not below %v", v, bound)
}
func (demands) LessOrEqual(t *trial, v, bound any, message ...any) {
	t.unless(number(v) <= number(bound), message, "%v is above %v", v, bound)
}
func (demands) GreaterOrEqual(t *trial, v, bound any, message ...any) {
	t.unless(number(v) >= number(bound), message, "%v is below %v", v, bound)
}

func (demands) InDelta(t *trial, want, got any, delta float64, message ...any) {
	t.unless(math.Abs(number(want)-number(got)) <= delta, message, "%v, and not %v", got, want)
}

func (demands) Zero(t *trial, v any, message ...any) {
	t.unless(reflect.ValueOf(v).IsZero(), message, "%v, and not 0", v)
}

func (demands) Empty(t *trial, v any, message ...any) {
	t.unless(size(v) == 0, message, "%s", cut(v))
}

func (demands) NotEmpty(t *trial, v any, message ...any) {
	t.unless(size(v) > 0, message, "it is empty")
}

func (demands) Len(t *trial, v any, n int, message ...any) {
	t.unless(size(v) == n, message, "%d, and not %d", size(v), n)
}

// size is the length of a list, a table or a text.
func size(v any) int {
	if v == nil {
		return 0
	}
	return reflect.ValueOf(v).Len()
}

func (demands) Contains(t *trial, all, part any, message ...any) {
	t.unless(contains(all, part), message, "%s is not in %s", cut(part), cut(all))
}

func (demands) NotContains(t *trial, all, part any, message ...any) {
	t.unless(!contains(all, part), message, "%s has %s", cut(all), cut(part))
}

// contains reports whether a text has a part or a list an element.
func contains(all, part any) bool {
	if text, ok := all.(string); ok {
		return strings.Contains(text, part.(string))
	}
	for _, v := range reflect.ValueOf(all).Seq2() {
		if v.Interface() == part {
			return true
		}
	}
	return false
}

func (demands) Regexp(t *trial, pattern, text string, message ...any) {
	t.unless(regexp.MustCompile(pattern).MatchString(text), message, "%q is not of the form %s", text, pattern)
}

func (demands) NotRegexp(t *trial, pattern, text string, message ...any) {
	t.unless(!regexp.MustCompile(pattern).MatchString(text), message, "%q is of the form %s", text, pattern)
}
