package train

import (
	"math"

	"croupier/nn/kernel"
)

// The constants of Adam.
const (
	adamBeta1   = 0.9   // decay of the mean gradient; this and the next: Kingma and Ba 2015
	adamBeta2   = 0.999 // decay of the mean squared gradient
	adamEpsilon = 1e-5  // added to the root of the mean square; the published 1e-8 makes rare features' steps large
)

// adam is the optimiser of Kingma and Ba (2015, arXiv 1412.6980, algorithm 1) on
// a flat parameter list.
type adam struct {
	m, v []float32 // decayed mean of the gradients and of their squares
	step uint64    // steps taken
}

func newAdam(size int) *adam { return &adam{m: make([]float32, size), v: make([]float32, size)} }

// update moves the parameters one step against scale times the gradient, in the ranges for
// which share calls its argument.
func (a *adam) update(parameters, gradient []float32, scale, learningRate float64,
	share func(n int, do func(first, end int))) {
	a.step++
	// The bias corrections are folded into step size and epsilon (section 2 of the paper), which changes no result.
	root := math.Sqrt(1 - math.Pow(adamBeta2, float64(a.step)))
	size, epsilon := learningRate*root/(1-math.Pow(adamBeta1, float64(a.step))), adamEpsilon*root
	share(len(parameters), func(i, k int) {
		kernel.AdamStep(parameters[i:k], gradient[i:k], a.m[i:k], a.v[i:k],
			float32(scale), adamBeta1, adamBeta2, float32(size), float32(epsilon))
	})
}

// copyFrom copies the moments and the step count of another.
func (a *adam) copyFrom(o *adam) {
	copy(a.m, o.m)
	copy(a.v, o.v)
	a.step = o.step
}

// clipScale returns the factor that limits a gradient of the given norm to limit (Pascanu
// et al. 2013, arXiv 1211.5063, algorithm 1).
func clipScale(norm, limit float64) float64 {
	if norm > limit {
		return limit / norm
	}
	return 1
}

// Finite reports whether no value is NaN or infinite.
func Finite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}
