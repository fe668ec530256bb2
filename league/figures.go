package league

import (
	"math/big"

	"croupier/figures"
	"croupier/messages"
)

// exactMoments are figures.Moments in units of 2^-32, as integers of any size: the
// order of results cannot change a bit of them, and squares of a bank that is doubled
// again and again have room.
type exactMoments [5]*big.Int

const exactUnit = 32 // bits after the point

func newExactMoments(m figures.Moments) (e exactMoments) {
	for i, x := range []float64{m.Value, m.Weight, m.ValueSquares, m.WeightSquares, m.Products} {
		f := big.NewFloat(x)
		e[i], _ = f.SetMantExp(f, exactUnit).Int(nil)
	}
	return e
}

func (e exactMoments) moments() figures.Moments {
	var x [len(exactMoments{})]float64
	for i, n := range e {
		f := new(big.Float).SetInt(n)
		x[i], _ = f.SetMantExp(f, -exactUnit).Float64()
	}
	return figures.Moments{Value: x[0], Weight: x[1], ValueSquares: x[2], WeightSquares: x[3], Products: x[4]}
}

// addFigures adds what a result says of an agent, which may be nothing.
func (b *book) addFigures(agent string, all []figures.Moments) {
	if b.figures[agent] == nil && len(all) > 0 {
		b.figures[agent] = make([]exactMoments, len(all))
		for i := range all {
			b.figures[agent][i] = newExactMoments(figures.Moments{})
		}
	}
	for i, m := range all {
		sums := b.figures[agent][i]
		for k, n := range newExactMoments(m) {
			sums[k].Add(sums[k], n)
		}
	}
}

// figuresOf returns the figures of an agent of which enough is known, by name; nil for
// none.
func (b *book) figuresOf(agent string) (known map[string]messages.Interval) {
	for i, e := range b.figures[agent] {
		f := b.spec.Figures[i]
		if interval, ok := e.moments().Estimate(f); ok {
			if known == nil {
				known = map[string]messages.Interval{}
			}
			known[f.Name] = interval.Rounded()
		}
	}
	return known
}
