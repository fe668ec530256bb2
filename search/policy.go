package search

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/policy"
)

// Options say how far the search looks ahead, and how many times.
type Options struct {
	// Depth is the number of the seat's own decisions, including the one to be made, after which
	// the model judges the position; where cards are hidden, of all seats' decisions: 1 to 64. The
	// search of a dice game ends with the turn in any case.
	Depth int
	// Samples is the mean number of worlds for each action wherever the search samples: 1 to 4096.
	Samples int
}

// The limits of Options.
const (
	maxDepth   = 64
	maxSamples = 4096
)

// DefaultOptions take a fraction of a millisecond to a few tens of them a move;
// docs/explain/algorithms/search.md shows what such settings gain.
func DefaultOptions(spec *engine.Spec) Options {
	if !spec.PerfectInformation {
		return Options{Depth: 32, Samples: 64}
	}
	return Options{Depth: 1, Samples: 256}
}

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Depth < 1 || o.Depth > maxDepth:
		return fmt.Errorf("depth is %d, not in 1..%d", o.Depth, maxDepth)
	case o.Samples < 1 || o.Samples > maxSamples:
		return fmt.Errorf("samples is %d, not in 1..%d", o.Samples, maxSamples)
	}
	return nil
}

// Check reports why a game cannot be searched, or nil.
func Check(game engine.Game) error {
	spec := game.Spec()
	_, redeals := game.NewState().(engine.Redealer)
	switch {
	case spec.PerfectInformation:
		return nil
	case !spec.Determinisable:
		return fmt.Errorf("%s cannot be searched: it hides cards, and what the others do reveals them", spec.Name)
	case !redeals:
		return fmt.Errorf("%s cannot be searched: it hides cards, and cannot draw those that a seat does not know", spec.Name)
	}
	return nil
}

// Policy chooses the action for which the model's prior and the values that the search finds
// speak most together. It belongs to one goroutine.
type Policy struct {
	spec *engine.Spec
	race *race
	// What evaluate found last, and for which position: its key, empty if the race has run since.
	values []policy.Value
	known  []byte
	key    []byte
}

var _ policy.Differencer = (*Policy)(nil)

// New returns a policy for a game that passes Check, with valid options, and the [Residual] of the model with them.
func New(game engine.Game, model Model, noise Noise, o Options) *Policy {
	return &Policy{
		spec: game.Spec(), race: newRace(game, model, noise, o), values: make([]policy.Value, game.Spec().Actions),
	}
}

// Reset does nothing: nothing is remembered.
func (p *Policy) Reset() {}

// Choose searches, unless there is no choice.
func (p *Policy) Choose(s engine.State, legal []int, _ *engine.RNG) int {
	if len(legal) == 1 {
		return legal[0]
	}
	p.known = p.known[:0]
	return legal[p.race.run(s, legal)]
}

// Scale reports that values are estimates, in the game's unit.
func (p *Policy) Scale() policy.Scale { return policy.Scale{Unit: p.spec.Unit} }

// Values searches, and then plays as many worlds after every action as after the last ones in
// the race. Intervals cover the sampling error and the measured noise of the model's values, not
// what the model plays wrong. In games that are won or lost, a return r counts as the share of
// the win (1 + r·(seats-1)) / seats.
//
// Where Choose follows the prior although other actions have greater values, they and the chosen
// action are taken for equal (see pool), and the chosen one has the last bit more.
func (p *Policy) Values(s engine.State, legal []int, dst []policy.Value) {
	for i, v := range p.evaluate(s, legal) {
		dst[i] = policy.Value{Mean: p.share(v.Mean), Low: p.share(v.Low), High: p.share(v.High)}
	}
}

// share turns a return into the share of the win that it counts as, in games that are won or
// lost.
func (p *Policy) share(value float64) float64 {
	if p.spec.Payoff != engine.WinLoss {
		return value
	}
	n := float64(p.spec.Seats)
	return min(max((1+value*(n-1))/n, 0), 1)
}

// Differences searches as Values does, and not again where Values has. Worlds with the same number share deals and
// dice, so differences are known better than values.
func (p *Policy) Differences(s engine.State, legal []int, base int, dst []policy.Value) {
	values := p.evaluate(s, legal)
	scale := 1.0
	if p.spec.Payoff == engine.WinLoss {
		scale = 1 - 1/float64(p.spec.Seats)
	}
	for i := range legal {
		dst[i] = policy.Value{}
		if i != base {
			_, sampling, judged := p.race.difference(base, i)
			dst[i] = interval(scale*(values[base].Mean-values[i].Mean), scale*scale*(sampling+judged))
		}
	}
}

// evaluate returns the values of the actions as returns. A search depends on the position alone,
// so it is not repeated for the one that was evaluated last.
func (p *Policy) evaluate(s engine.State, legal []int) []policy.Value {
	values := p.values[:len(legal)]
	p.key = s.InformationKey(s.Player(), append(p.key[:0], byte(s.Player())))
	if bytes.Equal(p.key, p.known) {
		return values
	}
	choice := p.race.evaluate(s, legal)
	for i := range legal {
		mean, sampling, judged := p.race.difference(i, none)
		values[i] = interval(mean, sampling+judged)
	}
	pool(values, choice)
	p.known = append(p.known[:0], p.key...)
	return values
}

func interval(mean, variance float64) policy.Value {
	i := stat.Normal(mean, variance)
	return policy.Value{Mean: i.Value, Low: i.Low, High: i.High}
}

// pool gives the choice and all greater values their mean: the least-squares estimate under the
// condition that no value is greater than that of the choice (isotonic regression; R. Barlow
// and others, "Statistical inference under order restrictions", 1972). The choice gets the last
// bit more.
func pool(values []policy.Value, choice int) {
	order := make([]int, 0, len(values))
	for i := range values {
		if values[i].Mean > values[choice].Mean {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[j].Mean, values[i].Mean) })
	sum, n := values[choice].Mean, 1
	for n <= len(order) && values[order[n-1]].Mean > sum/float64(n) {
		sum += values[order[n-1]].Mean
		n++
	}
	mean := sum / float64(n)
	for _, i := range order[:n-1] {
		shift(&values[i], mean)
	}
	if n > 1 {
		shift(&values[choice], math.Nextafter(mean, math.Inf(1)))
	}
}

// shift moves a value with its interval.
func shift(v *policy.Value, mean float64) {
	v.Low, v.Mean, v.High = v.Low+mean-v.Mean, mean, v.High+mean-v.Mean
}
