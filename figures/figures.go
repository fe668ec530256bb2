// Package figures estimates the figures of games (engine.Figure) from their sums over
// many games.
//
// A figure is a quotient of two sums over clusters: games that are independent of each
// other, or groups of games that share their dice. [Moments] keep what its interval
// needs of the clusters, and can be added up in any order.
package figures

import (
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/messages"
)

// Moments are sums over clusters of a figure's value v and weight w, and of their
// squares and product.
type Moments struct {
	Value, Weight, ValueSquares, WeightSquares, Products float64
}

// Add enters a cluster.
func (m *Moments) Add(c engine.Sum) {
	m.Merge(Moments{c.Value, c.Weight, c.Value * c.Value, c.Weight * c.Weight, c.Value * c.Weight})
}

// Merge enters the clusters of other moments.
func (m *Moments) Merge(o Moments) {
	m.Value += o.Value
	m.Weight += o.Weight
	m.ValueSquares += o.ValueSquares
	m.WeightSquares += o.WeightSquares
	m.Products += o.Products
}

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959964

// Estimate returns the figure r = Σv / Σw with its 95 % interval, and false where the
// clusters say too little for one. The variance is that of a ratio by the delta method
//
//	n/(n-1) · Σ(v - r·w)² / (Σw)²
//
// (Cochran, Sampling Techniques, 3rd ed. 1977, section 2.11), in which n is the number
// of clusters of equal weight that would say as much, (Σw)² / Σw² (Kish, Survey
// Sampling 1965): most sets have no bomb, and those must not count.
//
// The interval (not the value) of a share is that of the data with two more clusters of
// typical weight, one all counted and one not at all, so that games which all went
// alike do not pretend to certainty (after Agresti and Coull 1998).
func (m Moments) Estimate(f engine.Figure) (i messages.Interval, ok bool) {
	if !(m.Weight > 0) {
		return i, false
	}
	value, share := m.Value/m.Weight, f.Unit == engine.Share
	if share {
		typical := m.WeightSquares / m.Weight
		m.Add(engine.Sum{Value: typical, Weight: typical})
		m.Add(engine.Sum{Value: 0, Weight: typical})
	}
	clusters := m.Weight * m.Weight / m.WeightSquares
	if clusters < 2 {
		return i, false
	}
	r := m.Value / m.Weight
	residuals := max(0, m.ValueSquares-2*r*m.Products+r*r*m.WeightSquares)
	half := z95 * math.Sqrt(clusters/(clusters-1)*residuals) / m.Weight
	i = messages.Interval{Value: value, Low: min(value, r-half), High: max(value, r+half)}
	if share {
		i.Low, i.High = max(0, i.Low), min(1, i.High)
	}
	return i, true
}

// Names returns the figures' names, nil where there are none.
func Names(figures []engine.Figure) (names []string) {
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// Pack makes the message of the moments of the figures, nil where there are none.
func Pack(figures []engine.Figure, all []Moments) *messages.FigureSums {
	if len(all) == 0 {
		return nil
	}
	p := &messages.FigureSums{Names: Names(figures)}
	for _, m := range all {
		p.Values = append(p.Values, m.Value)
		p.Weights = append(p.Weights, m.Weight)
		p.ValueSquares = append(p.ValueSquares, m.ValueSquares)
		p.WeightSquares = append(p.WeightSquares, m.WeightSquares)
		p.Products = append(p.Products, m.Products)
	}
	return p
}

// rounding is the relative error that a sum may have.
const rounding = 1e-9

// Unpack reads a message about that many clusters. What is nil, or of other figures,
// is read as nothing: another version of the program has made it. The error names the
// first sum that no clusters can have.
func Unpack(p *messages.FigureSums, clusters uint64, figures []engine.Figure) ([]Moments, error) {
	if p == nil || !slices.Equal(p.Names, Names(figures)) {
		return nil, nil
	}
	columns := [][]float64{p.Values, p.Weights, p.ValueSquares, p.WeightSquares, p.Products}
	for _, column := range columns {
		if len(column) != len(figures) {
			return nil, fmt.Errorf("a column of %d figures, not of %d", len(column), len(figures))
		}
	}
	all := make([]Moments, len(figures))
	for i, f := range figures {
		all[i] = Moments{p.Values[i], p.Weights[i], p.ValueSquares[i], p.WeightSquares[i], p.Products[i]}
		if !all[i].possible(float64(clusters), f.Unit == engine.Share) {
			return nil, fmt.Errorf("impossible figure %s: %+v of %d", f.Name, all[i], clusters)
		}
	}
	return all, nil
}

// possible tells whether n clusters can have these moments.
func (m Moments) possible(n float64, share bool) bool {
	const slack = 1 + rounding
	// The squares are finite only where all else is; comparisons with NaN are false.
	finite := m.ValueSquares <= math.MaxFloat64 && m.WeightSquares <= math.MaxFloat64
	return finite && m.Weight >= 0 &&
		math.Abs(m.Value) <= math.Sqrt(n*m.ValueSquares)*slack &&
		m.Weight <= math.Sqrt(n*m.WeightSquares)*slack &&
		math.Abs(m.Products) <= math.Sqrt(m.ValueSquares)*math.Sqrt(m.WeightSquares)*slack &&
		(!share || m.Value >= 0 && m.Value <= m.Weight*slack)
}
