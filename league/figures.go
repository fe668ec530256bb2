package league

import (
	"math/big"

	"croupier/internal/stat"
	"croupier/messages"
)

// exactRatio is a stat.Ratio in units of 2^-32, as integers of any size: the
// order of results cannot change a bit of them, and squares of a bank that is doubled
// again and again have room.
type exactRatio [5]*big.Int

const exactUnit = 32 // bits after the point

func newExactRatio(m stat.Ratio) (e exactRatio) {
	for i, x := range []float64{m.Value, m.Weight, m.ValueSquares, m.WeightSquares, m.Products} {
		f := big.NewFloat(x)
		e[i], _ = f.SetMantExp(f, exactUnit).Int(nil)
	}
	return e
}

func (e exactRatio) ratio() stat.Ratio {
	var x [len(exactRatio{})]float64
	for i, n := range e {
		f := new(big.Float).SetInt(n)
		x[i], _ = f.SetMantExp(f, -exactUnit).Float64()
	}
	return stat.Ratio{Value: x[0], Weight: x[1], ValueSquares: x[2], WeightSquares: x[3], Products: x[4]}
}

// addFigures adds what a result says of an agent, which may be nothing.
func (b *book) addFigures(agent string, all []stat.Ratio) {
	if b.figures[agent] == nil && len(all) > 0 {
		b.figures[agent] = make([]exactRatio, len(all))
		for i := range all {
			b.figures[agent][i] = newExactRatio(stat.Ratio{})
		}
	}
	for i, m := range all {
		sums := b.figures[agent][i]
		for k, n := range newExactRatio(m) {
			sums[k].Add(sums[k], n)
		}
	}
}

// figuresOf returns the figures of an agent of which enough is known, by name; nil for
// none.
func (b *book) figuresOf(agent string) (known map[string]messages.Interval) {
	for i, e := range b.figures[agent] {
		f := b.spec.Figures[i]
		if interval, ok := messages.EstimateFigure(f, e.ratio()); ok {
			if known == nil {
				known = map[string]messages.Interval{}
			}
			known[f.Name] = messages.Interval(interval.Rounded())
		}
	}
	return known
}
