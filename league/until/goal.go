// Package until says when training has come far enough: what --until of croupier train means.
//
// A [Goal] is one condition on the strength of a run's versions, and a [Watch] looks at the ladder again and
// again until one of them holds. Somebody who looks often enough at a 95 % interval sees it anywhere once, so
// no goal is judged by those of the ladder: each has bounds that hold at all looks, and for all versions,
// together. A goal that is not reached is said to hold with a probability of at most [Error].
//
//   - Ratings and games against an opponent: the normal mixture bound (Robbins 1970, Annals of Mathematical
//     Statistics 41), which holds at all times at once. It is for estimates whose information grows, whatever
//     they are estimates of (Jennison and Turnbull 1997, Journal of the American Statistical Association 92).
//     Version k has the share 1/(k(k+1)) of the error.
//   - The plateau: a regression of ratings on the logarithm of training time, at looks that are a quarter of
//     a doubling of that time apart; look j has the share 1/(j(j+1)) of the error.
//   - Exploitability is exact: there is nothing to be wrong about.
package until

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"croupier/engine"
	"croupier/messages"
)

// Error is the greatest probability that a goal is said to hold although it does not, at all looks together.
const Error = 0.05

// Kind reports what a goal is about.
type Kind string

// The kinds of goals.
const (
	Plateau        Kind = "plateau"        // versions gain less than Value per doubling of the training time
	Rating         Kind = "rating"         // the newest version or the best has this rating at least
	Exploitability Kind = "exploitability" // the newest version can lose no more than this
	Beats          Kind = "beats"          // the newest version or the best is better than Agent
)

// Goal is a condition that ends a run.
type Goal struct {
	Kind Kind
	// Value is in the unit of the ladder as people are shown it, for exploitability in that of returns. That of a
	// plateau is 0 where it is to be [plateauShare] of all that the versions have gained.
	Value float64
	Agent string // that is to be beaten
	Unit  string // of Value
}

// String writes the goal as it is given.
func (g Goal) String() string {
	switch {
	case g.Kind == Beats:
		return "beats=" + g.Agent
	case g.Kind == Plateau && g.Value == 0:
		return string(g.Kind)
	}
	return string(g.Kind) + "=" + strconv.FormatFloat(g.Value, 'f', -1, 64)
}

// Run is what a goal needs to know of a run to make sense.
type Run struct {
	Spec  *engine.Spec
	Unit  string       // of the ladder
	Exact func() error // reports why the exploitability of versions is not measured; nil: it is
}

// Parse reads what is given for --until: a goal, or a length of training (then goal is nil). Whether there is an
// agent that is to be beaten is not known here.
func Parse(text string, run Run) (goal *Goal, length time.Duration, err error) {
	name, value, given := strings.Cut(text, "=")
	g := &Goal{Kind: Kind(name), Unit: run.Unit}
	switch g.Kind {
	case Plateau:
		if !given {
			return g, 0, nil
		}
		g.Value, err = number(value, g.Unit)
		if err == nil && g.Value <= 0 {
			err = fmt.Errorf("the gain per doubling of the training time must be above 0")
		}
	case Rating:
		g.Value, err = number(value, g.Unit)
	case Exploitability:
		g.Unit = messages.CoinPerGame(run.Spec)
		g.Value, err = number(value, g.Unit)
		if unmeasured := run.Exact(); unmeasured != nil {
			err = fmt.Errorf("the exploitability of versions is not measured: %w", unmeasured)
		} else if err == nil && g.Value <= 0 {
			err = fmt.Errorf("it must be above 0")
		}
	case Beats:
		if g.Agent = value; value == "" {
			err = fmt.Errorf("it does not say which agent")
		}
	default:
		length, err = time.ParseDuration(text)
		if err != nil {
			err = fmt.Errorf("it is not one of plateau, rating=X, exploitability=X, beats=AGENT, or a time like 2h")
		} else if length <= 0 {
			err = fmt.Errorf("it must be above 0")
		}
		g = nil
	}
	if err != nil {
		return nil, 0, err
	}
	return g, length, nil
}

// number reads a finite number, which the unit may follow.
func number(text, unit string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, unit)), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number in %s", text, unit)
	}
	return v, nil
}
