package stat

import "math"

// Moments describe a sample: the number of its values, their mean, and the sum of their
// squared deviations from it. The zero value is the empty sample. Values with weights
// count as that many: N is the sum of the weights.
type Moments struct{ N, Mean, Squares float64 }

// Of returns the moments of the values.
func Of[F float32 | float64](values []F) (m Moments) {
	m.N = float64(len(values))
	for _, x := range values {
		m.Mean += float64(x)
	}
	m.Mean /= max(m.N, 1)
	for _, x := range values {
		d := float64(x) - m.Mean
		m.Squares += d * d
	}
	return m
}

// FromSums returns the moments of n values with that sum and sum of squares. Where the
// mean is far from 0 for the spread of the values, digits of the spread are lost.
func FromSums(n, sum, squares float64) Moments {
	if n == 0 {
		return Moments{}
	}
	return Moments{N: n, Mean: sum / n, Squares: max(0, squares-sum*sum/n)}
}

// Add enters a value (Welford 1962).
func (m *Moments) Add(x float64) { m.AddWeighted(x, 1) }

// AddWeighted enters a value that counts as that many, at least 0 (West 1979). The
// probabilities of a distribution are such weights.
func (m *Moments) AddWeighted(x, weight float64) {
	if weight == 0 {
		return
	}
	m.N += weight
	d := x - m.Mean
	m.Mean += d * weight / m.N
	m.Squares += weight * d * (x - m.Mean)
}

// Merge enters the values of another sample (Chan, Golub and LeVeque 1979).
func (m *Moments) Merge(o Moments) {
	n := m.N + o.N
	if n == 0 {
		return
	}
	d := o.Mean - m.Mean
	m.Squares += o.Squares + d*d*m.N*o.N/n
	m.Mean += d * o.N / n
	m.N = n
}

// Deviation is the standard deviation within the sample, or of the distribution of which
// these are all values (its variance is Squares / N), 0 for no values.
func (m Moments) Deviation() float64 {
	if m.N == 0 {
		return 0
	}
	return math.Sqrt(m.Squares / m.N)
}

// errorSquared is the variance of the mean as an estimate, 0 for fewer than two values,
// which tell nothing of it.
func (m Moments) errorSquared() float64 {
	if m.N < 2 {
		return 0
	}
	return m.Squares / (m.N - 1) / m.N
}

// Margin is half the width of the mean's 95 % interval, 0 for fewer than two values,
// which tell nothing of it.
func (m Moments) Margin() float64 { return Z95 * math.Sqrt(m.errorSquared()) }

// Interval returns the mean with its interval by the normal distribution: that of many
// values.
func (m Moments) Interval() Interval { return Normal(m.Mean, m.errorSquared()) }

// Student returns the mean with its interval by Student's t distribution: that of few
// values that vary alike. It reports false for fewer than two values, which have none.
func (m Moments) Student() (Interval, bool) {
	if m.N < 2 {
		return Interval{}, false
	}
	half := Student95(m.N-1) * math.Sqrt(m.errorSquared())
	return Interval{m.Mean, m.Mean - half, m.Mean + half}, true
}

// AgrestiCoull returns the mean with the interval of the sample after the two values were
// entered that say most of what could have come as well, so that values which all came
// out alike do not pretend to certainty (after Agresti and Coull 1998, who add two
// successes and two failures). The moments of these values are extra.
func (m Moments) AgrestiCoull(extra Moments) Interval {
	value := m.Mean
	m.Merge(extra)
	i := m.Interval()
	return Interval{value, min(value, i.Low), max(value, i.High)}
}
