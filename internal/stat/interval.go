// Package stat estimates numbers from samples, with 95 % intervals.
//
// Terms:
//
//   - [Moments] describe a sample of independent values: their number, mean and spread.
//   - A [Ratio] is a quotient of two sums over clusters: groups of values that are
//     independent of other groups, but not within, like games that share their dice.
//   - An [Interval] holds an estimate between two bounds that miss the truth in 5 of 100
//     cases.
package stat

import "math"

// Z95 is the 97.5 % quantile of the normal distribution: how many standard errors a 95 %
// interval reaches to each side. Its six decimals are part of what is on record: ladders
// are compared digit by digit.
const Z95 = 1.959964

// Interval is an estimate with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Normal returns the interval of an estimate with a normal error of that variance, which
// counts as 0 where rounding has made it negative.
func Normal(value, variance float64) Interval {
	half := Z95 * math.Sqrt(max(0, variance))
	return Interval{value, value - half, value + half}
}

// Scale returns the interval in another unit, of which there are factor, at least 0, to
// one of the present unit.
func (i Interval) Scale(factor float64) Interval {
	return Interval{factor * i.Value, factor * i.Low, factor * i.High}
}

// Clamp returns the interval with bounds that are not outside of what is possible.
func (i Interval) Clamp(low, high float64) Interval {
	return Interval{i.Value, max(low, i.Low), min(high, i.High)}
}

// Rounded drops the digits that mean nothing in a document: six decimals are left.
func (i Interval) Rounded() Interval {
	const unit = 1e6
	return Interval{math.Round(i.Value*unit) / unit, math.Round(i.Low*unit) / unit, math.Round(i.High*unit) / unit}
}

// StandardError is that of the estimate, as if the interval were normal.
func (i Interval) StandardError() float64 { return (i.High - i.Low) / (2 * Z95) }

// Below reports whether the estimate is lower than an independent one beyond chance
// (two-sided 5 %).
func (i Interval) Below(o Interval) bool {
	return i.Value-o.Value+Z95*math.Hypot(i.StandardError(), o.StandardError()) < 0
}
