package learner

import (
	"slices"

	"croupier/learner/train"
	"croupier/nn"
)

// leastRate bounds from below how far the average moves in an iteration: moves that are smaller still would be
// lost in the rounding of its weights.
const leastRate = 1e-4

// average is the polynomial-decay average of the network's weights over the iterations (Shamir and Zhang 2013, arXiv
// 1212.1824, section 4): after iteration t it moves by 1 / (1 + share·(t−1)) of the way to the weights, so that a
// weight in it is share/(1+share) of the iterations old in the mean, however many there have been.
type average struct {
	share      float64 // Config.Average, above 0
	iterations uint64
	weights    []float32
}

// newAverage returns the average that continues that of a snapshot, if that has one, or begins with the weights. It
// is nil if none is kept.
func newAverage(share float64, weights []float32, s *snapshot) *average {
	if share == 0 {
		return nil
	}
	a := &average{share: share}
	if s == nil || s.Average == nil {
		a.begin(weights)
		return a
	}
	a.iterations, a.weights = s.Averaged, slices.Clone(s.Average)
	return a
}

// begin forgets the weights before these.
func (a *average) begin(weights []float32) {
	if a != nil {
		a.iterations, a.weights = 0, slices.Clone(weights)
	}
}

// follow takes in the weights after an iteration.
func (a *average) follow(weights []float32) {
	if a != nil {
		train.Blend(a.weights, weights, max(1/(1+a.share*float64(a.iterations)), leastRate))
		a.iterations++
	}
}

// note adds the average to a snapshot.
func (a *average) note(s *snapshot) {
	if a != nil {
		s.Average, s.Averaged = a.weights, a.iterations
	}
}

// network returns a network with the average's weights, nil without an average.
func (a *average) network(layout *nn.Layout) (*nn.Network, error) {
	if a == nil {
		return nil, nil
	}
	return nn.NewNetwork(layout, slices.Clone(a.weights))
}
