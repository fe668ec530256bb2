package rating

import (
	"math/big"

	"croupier/internal/stat"
	"croupier/messages"
)

// ExactRatio is a stat.Ratio in units of 2^-32, as integers of any size: the
// order of results cannot change a bit of them, and squares of a bank that is doubled
// again and again have room.
type ExactRatio [5]*big.Int

const exactUnit = 32 // bits after the point

func newExactRatio(m stat.Ratio) (e ExactRatio) {
	for i, x := range []float64{m.Value, m.Weight, m.ValueSquares, m.WeightSquares, m.Products} {
		f := big.NewFloat(x)
		e[i], _ = f.SetMantExp(f, exactUnit).Int(nil)
	}
	return e
}

func (e ExactRatio) ratio() stat.Ratio {
	var x [len(ExactRatio{})]float64
	for i, n := range e {
		f := new(big.Float).SetInt(n)
		x[i], _ = f.SetMantExp(f, -exactUnit).Float64()
	}
	return stat.Ratio{Value: x[0], Weight: x[1], ValueSquares: x[2], WeightSquares: x[3], Products: x[4]}
}

// addFigures adds what a result says of an agent, which may be nothing.
func (b *Results) addFigures(agent string, all []stat.Ratio) {
	if b.Figures[agent] == nil && len(all) > 0 {
		b.Figures[agent] = make([]ExactRatio, len(all))
		for i := range all {
			b.Figures[agent][i] = newExactRatio(stat.Ratio{})
		}
	}
	for i, m := range all {
		sums := b.Figures[agent][i]
		for k, n := range newExactRatio(m) {
			sums[k].Add(sums[k], n)
		}
	}
}

// figuresOf returns the figures of an agent of which enough is known, by name; nil for
// none.
func (b *Results) figuresOf(agent string) (known map[string]messages.Interval) {
	for i, e := range b.Figures[agent] {
		f := b.Spec.Figures[i]
		if interval, ok := messages.EstimateFigure(f, e.ratio()); ok {
			if known == nil {
				known = map[string]messages.Interval{}
			}
			known[f.Name] = messages.Interval(interval.Rounded())
		}
	}
	return known
}
