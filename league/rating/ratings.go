package rating

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"croupier/internal/stat"
)

// comparison is what the sets of one pair of agents say. A focal agent's result is its
// share of the win, or its mean return in games for money.
type comparison struct {
	a, b  int     // indices of the agents
	sets  float64 // sets played
	games float64 // games of a lineup
	// Mean result of a as the focal agent, and of b as the focal agent. With two
	// seats the second lineup is the first one again and left out: both is false.
	resultA, resultB float64
	both             bool
	// Sum over the sets of the squared deviation of (a's result - b's result as focal
	// agents) from its mean; of a's result alone where both is false.
	squares float64
	// Sum over the games of all lineups of the squared deviation of the focal agent's
	// result from its mean.
	gameSquares float64
}

// ratings are strengths of agents and their covariance, in the units of the family.
type ratings struct {
	family family
	theta  []float64
	cov    *mat.SymDense
	// misfit is by agent. What two agents have over one another beyond the difference of their strengths has the sum of
	// theirs as its variance.
	misfit []float64
}

// rate finds the strengths that make the results most likely under the family. A normal
// prior with mean 0 and the family's deviation holds each strength. The objective is
// strictly concave, so Newton's method with step halving finds its only maximum; where
// it is quadratic (money), that takes one step.
//
// One number for each agent cannot tell who beats whom. Each pair has something of its own beyond the difference of the
// strengths, whose variance is the sum of the two agents' misfits, which are estimated: a pair counts by the variance
// of its sets and this together, so that the most games of one pair do not outweigh a few of each other one, nor a
// member that always does the same what is known of the others. Where all have met one another alike, ratings are what
// they make of one another, and nothing is concluded from some pairs about others: there the misfits are left out.
//
// The covariance is H⁻¹ M H⁻¹ (Huber 1967; White 1982; by clusters Liang and Zeger
// 1986): H is the Hessian, M the variance of the gradient with the sets as clusters, and the misfit.
func rate(agents int, f family, data []comparison) (*ratings, error) {
	m := &model{family: f, n: agents, data: data, precision: 1 / sq(f.prior())}
	m.measure()
	theta := make([]float64, agents)
	misfit := make([]float64, agents)
	for range maxMisfits {
		inverse, err := m.maximise(theta)
		if err != nil {
			return nil, err
		}
		if !m.misfits(theta, inverse, misfit) {
			break
		}
		m.allow(misfit)
	}
	inverse, err := m.maximise(theta)
	if err != nil {
		return nil, err
	}
	return &ratings{family: f, theta: theta, cov: sandwich(inverse, m.meat(misfit)), misfit: misfit}, nil
}

// maxMisfits bounds how often the misfits are estimated.
const maxMisfits = 6

// even reports whether all agents have met one another, and none twice as often as others.
func (m *model) even() bool {
	least, most := math.Inf(1), 0.0
	for _, c := range m.data {
		least, most = min(least, c.sets), max(most, c.sets)
	}
	return len(m.data) == m.n*(m.n-1)/2 && most < 2*least
}

// maximise moves the strengths to where the value is greatest, and returns the inverse of the Hessian there.
func (m *model) maximise(theta []float64) (*mat.SymDense, error) {
	value := m.value(theta)
	var chol mat.Cholesky
	for range 200 {
		gradient, hessian := m.derivatives(theta)
		if !chol.Factorize(hessian) {
			return nil, errors.New("ratings: singular information matrix")
		}
		var step mat.VecDense
		if err := chol.SolveVecTo(&step, gradient); err != nil {
			return nil, err
		}
		var largest float64
		if value, largest = m.move(theta, value, &step); largest < 1e-10 {
			break
		}
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, err
	}
	return &inverse, nil
}

// model is the penalised log-likelihood.
type model struct {
	family
	n         int
	precision float64 // of the prior
	data      []comparison
	measured  []measured // of data
}

// measured is how certain a comparison by itself is of the difference of two strengths.
type measured struct {
	variance    float64 // of what its sets say
	information float64 // Fisher's, of independent games
	share       float64 // of the variance in the sum of that and the misfits
}

// weight is the number of games of a lineup over the dispersion of a game.
func (m *model) weight(c comparison) float64 { return c.games / m.dispersion() }

// measure looks at each comparison by itself.
func (m *model) measure() {
	m.measured = make([]measured, len(m.data))
	for i, c := range m.data {
		_, curve, rare := m.read(c.resultA, c.sets)
		if c.both {
			_, further, rareB := m.read(c.resultB, c.sets)
			curve, rare = curve+further, min(rare, rareB)
		}
		information := m.weight(c) * curve
		variance := m.gradientVariance(c) / sq(information)
		if rare < manySets {
			// Of what has hardly happened the sets tell no variance: that of independent games is used.
			variance += (1 - rare/manySets) * max(0, 1/information-variance)
		}
		// A square over a variance that c.sets + 1 values tell of is so much larger than over the true one (the mean of
		// F).
		variance *= c.sets / max(0.5, c.sets-2)
		m.measured[i] = measured{variance, information, 1}
	}
}

// manySets with the rarer outcome are enough for their variance to be known.
const manySets = 10

// deviation is how far the difference of two strengths that a comparison tells of lies from that of theta. Where sets
// with the rarer outcome are few, all that is known is that the difference is large: there the deviation is that of the
// results, over their slope.
func (m *model) deviation(c comparison, theta []float64) float64 {
	read := func(result, d float64) (deviation, curve float64) {
		difference, curve, rare := m.read(result, c.sets)
		told, _ := m.mean(difference)
		expected, _ := m.mean(d)
		few := max(0, 1-rare/manySets)
		return (1-few)*(difference-d) + few*(told-expected)/curve, curve
	}
	d := theta[c.a] - theta[c.b]
	deviation, curve := read(c.resultA, d)
	if c.both {
		of, further := read(c.resultB, -d)
		deviation = (deviation*curve - of*further) / (curve + further)
	}
	return deviation
}

// allow has the comparisons count less, by the agents' misfits.
func (m *model) allow(misfit []float64) {
	for i, c := range m.data {
		m.measured[i].share = m.measured[i].variance / (m.measured[i].variance + misfit[c.a] + misfit[c.b])
	}
}

// misfits estimates the agents' misfits from the squared deviations of the measured differences from those of the
// strengths, each divided by its expectation for a deviation of variance 1, which is 1 less the leverage. It takes
// steps of the EM algorithm for variance components (Dempster, Laird and Rubin 1977, Journal of the Royal Statistical
// Society B
// 39, section 4.4), with the median of all agents for some further pairs of each. Half of the prior's deviation bounds
// theirs. It reports whether they have moved: they are 0 and stay so while chance can explain the deviations, but once
// in a hundred times.
func (m *model) misfits(theta []float64, inverse *mat.SymDense, misfit []float64) (moved bool) {
	squares := make([]float64, len(m.data))
	sum, expected, sets := 0.0, 0.0, 0.0
	for i, c := range m.data {
		x := m.measured[i]
		spread := inverse.At(c.a, c.a) + inverse.At(c.b, c.b) - 2*inverse.At(c.a, c.b)
		free := max(0.05, 1-spread*x.share*x.information)
		square := sq(m.deviation(c, theta))
		squares[i] = square / free
		sum += square / x.variance
		expected += free
		sets += x.variance
	}
	if len(m.data) == 0 {
		return false
	}
	if slices.Max(misfit) == 0 {
		if m.even() || expected < 1 || sum <= (distuv.ChiSquared{K: expected}).Quantile(0.99) {
			return false
		}
		for i := range misfit {
			misfit[i] = sets / float64(len(m.data))
		}
	}
	before := slices.Clone(misfit)
	total, pairs := make([]float64, m.n), make([]float64, m.n)
	for range emSteps {
		sorted := slices.Sorted(slices.Values(misfit))
		median := sorted[len(sorted)/2]
		for i := range total {
			total[i], pairs[i] = median*usualPairs, usualPairs
		}
		for i, c := range m.data {
			all := m.measured[i].variance + misfit[c.a] + misfit[c.b]
			for _, a := range [2]int{c.a, c.b} {
				part := misfit[a] / all
				total[a] += sq(part)*squares[i] + misfit[a]*(1-part)
				pairs[a]++
			}
		}
		for i := range misfit {
			misfit[i] = min(total[i]/pairs[i], sq(m.prior()/2))
		}
	}
	for i := range misfit {
		moved = moved || math.Abs(misfit[i]-before[i]) > 0.01*before[i]
	}
	return moved
}

// pairs returns how many comparisons each agent has.
func (m *model) pairs() []float64 {
	pairs := make([]float64, m.n)
	for _, c := range m.data {
		pairs[c.a]++
		pairs[c.b]++
	}
	return pairs
}

// emSteps bounds the work for one estimate of the misfits; each is quick.
const emSteps = 100

// usualPairs is as how many pairs of an agent of its own the median of all misfits counts.
const usualPairs = 2

func (m *model) value(theta []float64) float64 {
	v := 0.0
	for _, t := range theta {
		v -= m.precision * t * t / 2
	}
	for i, c := range m.data {
		d := theta[c.a] - theta[c.b]
		w := m.weight(c) * m.measured[i].share
		v += w * m.logLikelihood(c.resultA, d)
		if c.both {
			v += w * m.logLikelihood(c.resultB, -d)
		}
	}
	return v
}

// derivatives returns the gradient and the negative Hessian.
func (m *model) derivatives(theta []float64) (*mat.VecDense, *mat.SymDense) {
	g, h := mat.NewVecDense(m.n, nil), mat.NewSymDense(m.n, nil)
	for i, t := range theta {
		g.SetVec(i, -m.precision*t)
		h.SetSym(i, i, m.precision)
	}
	for i, c := range m.data {
		d := theta[c.a] - theta[c.b]
		mean, curve := m.mean(d)
		slope := c.resultA - mean
		if c.both {
			mean, further := m.mean(-d)
			slope, curve = slope-(c.resultB-mean), curve+further
		}
		w := m.weight(c) * m.measured[i].share
		g.SetVec(c.a, g.AtVec(c.a)+w*slope)
		g.SetVec(c.b, g.AtVec(c.b)-w*slope)
		addContrast(h, c.a, c.b, w*curve)
	}
	return g, h
}

// meat returns the variance of the gradient. Of a comparison it is share² × (that of its sets + that of its misfit).
// Few pairs tell of the misfits, so that these count by the t distribution for the pairs of each agent.
func (m *model) meat(misfit []float64) *mat.SymDense {
	v := mat.NewSymDense(m.n, nil)
	student := make([]float64, m.n)
	for a, pairs := range m.pairs() {
		student[a] = stat.Student95(max(1, pairs-1))
	}
	for i := range m.n {
		v.SetSym(i, i, m.precision)
	}
	for i, c := range m.data {
		x := m.measured[i]
		misfits := 0.0
		for _, a := range [2]int{c.a, c.b} {
			misfits += misfit[a] * sq(student[a]/stat.Z95)
		}
		addContrast(v, c.a, c.b, sq(x.share)*m.gradientVariance(c)*(1+misfits/x.variance))
	}
	return v
}

// gradientVariance is what the sets of a comparison add to the variance of the gradient where they count in full. A set
// adds weight/sets × (its value - the modelled value) to the gradient. One further set with the variance that the
// family takes for possible is included, lest sets which all came out alike pretend to certainty.
func (m *model) gradientVariance(c comparison) float64 {
	variance := (c.squares + m.further(c)) / c.sets
	return c.sets * sq(m.weight(c)/c.sets) * variance
}

// move makes the largest of the steps 1, ½, ¼, … that does not lower the value, and returns the new value and the
// greatest change of a strength.
func (m *model) move(theta []float64, value float64, step *mat.VecDense) (higher, largest float64) {
	next := make([]float64, m.n)
	for scale := 1.0; scale > 1e-9; scale /= 2 {
		largest = 0
		for i := range theta {
			d := scale * step.AtVec(i)
			next[i] = theta[i] + d
			largest = max(largest, math.Abs(d))
		}
		if higher = m.value(next); higher >= value {
			copy(theta, next)
			return higher, largest
		}
	}
	return value, 0
}

// difference returns θa - θb and its variance.
func (r *ratings) difference(a, b int) (mean, variance float64) {
	return r.theta[a] - r.theta[b], r.cov.At(a, a) + r.cov.At(b, b) - 2*r.cov.At(a, b)
}

// above returns how much higher than b's the rating of a is, in the scale's unit.
func (r *ratings) above(a, b int) stat.Interval {
	return stat.Normal(r.difference(a, b)).Scale(r.family.unit())
}

// aboveMean returns how much higher than the mean of all ratings that of a is, in the
// scale's unit.
func (r *ratings) aboveMean(a int) stat.Interval {
	n := float64(len(r.theta))
	mean, variance := r.theta[a], r.cov.At(a, a)
	for j, t := range r.theta {
		mean -= t / n
		variance -= 2 * r.cov.At(a, j) / n
		for k := range r.theta {
			variance += r.cov.At(j, k) / (n * n)
		}
	}
	return stat.Normal(mean, variance).Scale(r.family.unit())
}

// places returns the best and the worst place, from 1, that agent i can have among n: behind
// all that are certainly stronger, before all that are certainly weaker. Each of the n-1
// differences has an interval of level 1 - 0.05/(n-1), so that both bounds hold together
// in at least 95 % of cases (Bonferroni; Mogstad, Romano, Shaikh and Wilhelm 2024, Review
// of Economic Studies 91). Of two agents, the places are open where 0 is in the interval.
func (r *ratings) places(i int, among []int) (first, last int) {
	first, last = 1, len(among)
	z := distuv.UnitNormal.Quantile(1 - 0.025/float64(max(1, len(among)-1)))
	for _, j := range among {
		mean, variance := r.difference(i, j)
		switch half := z * math.Sqrt(max(0, variance)); {
		case j != i && mean+half < 0:
			first++
		case j != i && mean-half > 0:
			last--
		}
	}
	return first, last
}

// addContrast adds w (ea-eb)(ea-eb)ᵀ.
func addContrast(s *mat.SymDense, a, b int, w float64) {
	s.SetSym(a, a, s.At(a, a)+w)
	s.SetSym(b, b, s.At(b, b)+w)
	s.SetSym(a, b, s.At(a, b)-w)
}

func sq(x float64) float64 { return x * x }
