package learner

// The constants of the outer optimiser, as in DiLoCo. Plain averages, of rate 1 and momentum 0, learn less from as many
// games (docs/explain/algorithms/learner-groups.md).
const (
	outerRate     = 0.7
	outerMomentum = 0.9
)

// outer is the optimiser of a group's common weights: descent with Nesterov's momentum, whose gradient is the mean
// change of the members' weights (Douillard et al. 2023, DiLoCo, arXiv 2311.08105, algorithm 1).
type outer struct{ momentum []float32 }

// reset forgets the rounds before.
func (o *outer) reset() { o.momentum = nil }

// step returns what is added to the common weights after a round with the given mean change.
func (o *outer) step(mean []float32) []float32 {
	if o.momentum == nil {
		o.momentum = make([]float32, len(mean))
	}
	step := make([]float32, len(mean))
	for i, change := range mean {
		o.momentum[i] = outerMomentum*o.momentum[i] + change
		step[i] = outerRate * (change + outerMomentum*o.momentum[i])
	}
	return step
}
