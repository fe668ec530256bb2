package rating

import (
	"math"

	"croupier/internal/stat"
)

// Sequential is a sequential probability ratio test (Wald 1945, Annals of Mathematical
// Statistics 16) of the mean of independent values, in standard deviations of one value:
// "at most 0" against "at least gain". The deviation is that of the values so far, as in
// the generalised test for normalised Elo of Fishtest (Van den Bergh 2020). So a test
// takes about as many values in every game, whatever the unit.
type Sequential struct {
	Gain float64 // above 0
	// Error is the greatest probability that a mean of at most 0 passes, and that one of
	// at least gain fails before most values are there.
	Error float64
	// The test looks at no fewer values than least, whose mean is close to normal, and at no
	// more than most: an agent that has not passed then has failed.
	Least, Most uint64
}

// Verdict is what a test has come to.
type Verdict string

const (
	Undecided Verdict = ""
	Passed    Verdict = "passed"
	Failed    Verdict = "failed"
)

// Evidence is the logarithm of the likelihood ratio of the two hypotheses: how much more
// likely the values are with a mean of gain than with one of 0. Values that do not differ
// have no deviation to measure their mean in and count as if it were 0.
func (s Sequential) Evidence(values stat.Moments) float64 {
	mean := 0.0
	if deviation := values.Deviation(); deviation > 0 {
		mean = values.Mean / deviation
	}
	return values.N * s.Gain * (mean - s.Gain/2)
}

// Threshold is the evidence that passes; its negative fails (Wald 1945, with equal
// probabilities of both errors).
func (s Sequential) Threshold() float64 { return math.Log((1 - s.Error) / s.Error) }

// Judge looks at values of which count were measured. With fewer than Least at most, nothing passes.
func (s Sequential) Judge(count uint64, values stat.Moments) Verdict {
	evidence := s.Evidence(values)
	switch {
	case count < min(s.Least, s.Most):
		return Undecided
	case count >= s.Least && evidence >= s.Threshold():
		return Passed
	case evidence <= -s.Threshold() || count >= s.Most:
		return Failed
	}
	return Undecided
}
