package league

import (
	"math"

	"croupier/internal/stat"
)

// sequential is a sequential probability ratio test (Wald 1945, Annals of Mathematical
// Statistics 16) of the mean of independent values, in standard deviations of one value:
// "at most 0" against "at least gain". The deviation is that of the values so far, as in
// the generalised test for normalised Elo of Fishtest (Van den Bergh 2020). So a test
// takes about as many values in every game, whatever the unit.
type sequential struct {
	gain float64 // above 0
	// error is the greatest probability that a mean of at most 0 passes, and that one of
	// at least gain fails before most values are there.
	error float64
	// The test looks at no fewer values than least, whose mean is close to normal, and at no
	// more than most: who has not passed then has failed.
	least, most uint64
}

// verdict is what a test has come to.
type verdict string

const (
	undecided verdict = ""
	passed    verdict = "passed"
	failed    verdict = "failed"
)

// evidence is the logarithm of the likelihood ratio of the two hypotheses: how much more
// likely the values are with a mean of gain than with one of 0. Values that do not differ
// have no deviation to measure their mean in and count as if it were 0.
func (s sequential) evidence(values stat.Moments) float64 {
	mean := 0.0
	if deviation := values.Deviation(); deviation > 0 {
		mean = values.Mean / deviation
	}
	return values.N * s.gain * (mean - s.gain/2)
}

// threshold is the evidence that passes; its negative fails (Wald 1945, with equal
// probabilities of both errors).
func (s sequential) threshold() float64 { return math.Log((1 - s.error) / s.error) }

// judge looks at values of which count were measured.
func (s sequential) judge(count uint64, values stat.Moments) verdict {
	evidence := s.evidence(values)
	switch {
	case count < s.least:
		return undecided
	case evidence >= s.threshold():
		return passed
	case evidence <= -s.threshold() || count >= s.most:
		return failed
	}
	return undecided
}
