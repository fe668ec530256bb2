package stat

import (
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"
)

// fewDegrees is how many degrees of freedom have their quantile ready.
const fewDegrees = 512

// ready holds the quantiles of whole degrees of freedom that were asked for, as bits; 0 for the others.
var ready [fewDegrees]atomic.Uint64

// Student95 returns how many standard errors a 95 % interval reaches to each side by Student's t distribution with
// these degrees of freedom. To compute it takes some microseconds, so those of whole degrees are kept: leagues ask for
// the same few ones of every pair, at each rating.
func Student95(degrees float64) float64 {
	whole := int(degrees)
	if degrees < 1 || degrees >= fewDegrees || float64(whole) != degrees {
		return student95(degrees)
	}
	if bits := ready[whole].Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	q := student95(degrees)
	ready[whole].Store(math.Float64bits(q))
	return q
}

func student95(degrees float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(0.975)
}
