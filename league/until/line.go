package until

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Lines are fitted to the versions of the last doublings of the training time, if these are several and far
// enough apart: learning slows down, so that what was before says little of what comes.
const (
	doublings    = 2   // of the training time, whose versions count
	leastPoints  = 5   // among them
	leastSpan    = 1.0 // doublings between the oldest and the newest of them
	mostForecast = 2.0 // doublings from now: nothing is reported of what lies beyond
	mostBound    = 5.0 // doublings from now up to which an upper bound is looked for
	bend         = 0.5 // of the slope, for each doubling ahead
)

// point is a version: how good it is, and after how much training.
type point struct {
	seconds float64 // above 0
	value   float64
	err     float64 // standard error of value, with what all versions have in common; 0: exact
}

// line is a regression of values on the binary logarithm of the training time, weighted by the points' errors.
// The scatter about it is measured, not taken from these: it has the ups and downs of learning in it.
type line struct {
	n, newest     float64 // points, and the logarithm of the newest one's time
	centre, mean  float64 // of logarithms and of values
	slope         float64 // gain per doubling
	spread        float64 // weighted squares of logarithms about the centre
	weight, noise float64 // sum of weights, and variance of a point with the mean weight
	student       float64 // 97.5 % quantile of Student's distribution with n - 2 degrees of freedom
}

// fit returns the line through the newest points, false if they are too few or too close.
func fit(points []point) (l line, ok bool) {
	if len(points) == 0 {
		return l, false
	}
	last := slices.MaxFunc(points, bySeconds).seconds
	points = slices.DeleteFunc(slices.Clone(points), func(p point) bool { return p.seconds*(1<<doublings) < last })
	first := slices.MinFunc(points, bySeconds).seconds
	if len(points) < leastPoints || math.Log2(last/first) < leastSpan {
		return l, false
	}
	l.n, l.newest = float64(len(points)), math.Log2(last)
	weights := weigh(points)
	for i, p := range points {
		l.weight += weights[i]
		l.centre += weights[i] * math.Log2(p.seconds)
		l.mean += weights[i] * p.value
	}
	l.centre /= l.weight
	l.mean /= l.weight
	for i, p := range points {
		x := math.Log2(p.seconds) - l.centre
		l.spread += weights[i] * x * x
		l.slope += weights[i] * x * (p.value - l.mean)
	}
	l.slope /= l.spread
	for i, p := range points {
		r := p.value - l.at(math.Log2(p.seconds))
		l.noise += weights[i] * r * r
	}
	l.noise /= l.n - 2
	l.student = l.quantile(0.975)
	return l, true
}

func bySeconds(a, b point) int { return cmp.Compare(a.seconds, b.seconds) }

// weigh returns the points' weights, 1 in the mean. The part of the errors that all have in common cancels
// out of a slope; what is left differs less than these say, but in the same order.
func weigh(points []point) []float64 {
	weights, sum := make([]float64, len(points)), 0.0
	for i, p := range points {
		weights[i] = 1
		if p.err > 0 {
			weights[i] = 1 / (p.err * p.err)
		}
		sum += weights[i]
	}
	for i := range weights {
		weights[i] *= float64(len(points)) / sum
	}
	return weights
}

// at is the value on the line at a logarithm of time.
func (l line) at(x float64) float64 { return l.mean + l.slope*(x-l.centre) }

// most is the upper bound of the slope that is too low with probability alpha.
func (l line) most(alpha float64) float64 {
	return l.slope + l.quantile(1-alpha)*math.Sqrt(l.noise/l.spread)
}

// quantile is that of Student's distribution with the line's degrees of freedom.
func (l line) quantile(p float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: l.n - 2}.Quantile(p)
}

// reach is half the width of the 95 % interval of what a version has at a logarithm of time. The scatter of a
// version about the line is in it, and for each doubling ahead bend of the slope: how far learning may slow down,
// or quicken, which no point of the line tells.
func (l line) reach(x float64) float64 {
	d := x - l.centre
	scatter := l.student * math.Sqrt(l.noise*(1+1/l.weight+d*d/l.spread))
	return math.Hypot(scatter, bend*l.slope*max(0, x-l.newest))
}

// Left is an estimate of the time until a goal holds, with its 95 % interval.
type Left struct {
	Value, Low time.Duration
	High       time.Duration // 0: there is no telling
}

// crossing estimates when versions reach the value, from the time trained so far; nil where that is unknown.
func (l line) crossing(value, seconds float64) *Left {
	const step = 1.0 / 64
	now := math.Log2(seconds)
	first := func(most float64, reached func(x float64) bool) (time.Duration, bool) {
		for x := now; x <= now+most; x += step {
			if reached(x) {
				return time.Duration((math.Exp2(x) - seconds) * float64(time.Second)), true
			}
		}
		return 0, false
	}
	at, ok := first(mostForecast, func(x float64) bool { return l.at(x) >= value })
	if !ok {
		return nil
	}
	left := &Left{Value: at}
	left.Low, _ = first(mostForecast, func(x float64) bool { return l.at(x)+l.reach(x) >= value })
	left.High, _ = first(mostBound, func(x float64) bool { return l.at(x)-l.reach(x) >= value })
	return left
}
