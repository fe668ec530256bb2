package stat

import "math"

// Ratio is what the estimate of a quotient Σv / Σw needs of the clusters: the sums of
// their values v and weights w, of their squares and of their product. Ratios can be
// added up in any order.
type Ratio struct {
	Value, Weight, ValueSquares, WeightSquares, Products float64
}

// Add enters a cluster.
func (r *Ratio) Add(value, weight float64) {
	r.Merge(Ratio{value, weight, value * value, weight * weight, value * weight})
}

// Merge enters the clusters of another ratio.
func (r *Ratio) Merge(o Ratio) {
	r.Value += o.Value
	r.Weight += o.Weight
	r.ValueSquares += o.ValueSquares
	r.WeightSquares += o.WeightSquares
	r.Products += o.Products
}

// Estimate returns q = Σv / Σw with its interval, and false where the clusters say too
// little for one. The variance is that of [RatioMargin], in which n is the number of
// clusters of equal weight that would say as much, (Σw)² / Σw² (Kish, Survey Sampling
// 1965): most clusters may have no weight, and those must not count.
func (r Ratio) Estimate() (Interval, bool) {
	if !(r.Weight > 0) {
		return Interval{}, false
	}
	clusters := r.Weight * r.Weight / r.WeightSquares
	if clusters < 2 {
		return Interval{}, false
	}
	q := r.Value / r.Weight
	half := RatioMargin(clusters, r.ValueSquares-2*q*r.Products+q*q*r.WeightSquares, r.Weight)
	return Interval{q, q - half, q + half}, true
}

// EstimateShare is Estimate where values are in 0..weight. The interval (not the value)
// is that of the data with two more clusters of typical weight, one all counted and one
// not at all, so that clusters which all went alike do not pretend to certainty (after
// Agresti and Coull 1998).
func (r Ratio) EstimateShare() (Interval, bool) {
	if !(r.Weight > 0) {
		return Interval{}, false
	}
	value, typical := r.Value/r.Weight, r.WeightSquares/r.Weight
	r.Add(typical, typical)
	r.Add(0, typical)
	i, ok := r.Estimate()
	if !ok {
		return Interval{}, false
	}
	return Interval{value, min(value, i.Low), max(value, i.High)}.Clamp(0, 1), true
}

// RatioMargin is half the width of the interval of a ratio Σv / Σw by the delta method:
// its variance is
//
//	n/(n-1) · Σ(v - q·w)² / (Σw)²
//
// (Cochran, Sampling Techniques, 3rd ed. 1977, section 2.11) for n clusters, the sum of
// the squared residuals v - q·w and the sum of the weights. Fewer than two clusters tell
// nothing of it: it is +Inf.
func RatioMargin(n, residuals, weight float64) float64 {
	if n < 2 {
		return math.Inf(1)
	}
	return Z95 * math.Sqrt(n/(n-1)*max(0, residuals)) / weight
}

// rounding is the relative error that a sum may have.
const rounding = 1e-9

// Possible reports whether n clusters can have these sums; share: if their values are in
// 0..weight.
func (r Ratio) Possible(n float64, share bool) bool {
	const slack = 1 + rounding
	// The squares are finite only where all else is; comparisons with NaN are false.
	finite := r.ValueSquares <= math.MaxFloat64 && r.WeightSquares <= math.MaxFloat64
	return finite && r.Weight >= 0 &&
		math.Abs(r.Value) <= math.Sqrt(n*r.ValueSquares)*slack &&
		r.Weight <= math.Sqrt(n*r.WeightSquares)*slack &&
		math.Abs(r.Products) <= math.Sqrt(r.ValueSquares)*math.Sqrt(r.WeightSquares)*slack &&
		(!share || r.Value >= 0 && r.Value <= r.Weight*slack)
}
