package league

import (
	"errors"
	"math"

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
}

// rate finds the strengths that make the results most likely under the family. A normal
// prior with mean 0 and the family's deviation holds each strength. The objective is
// strictly concave, so Newton's method with step halving finds its only maximum; where
// it is quadratic (money), that takes one step.
//
// The covariance is H⁻¹ M H⁻¹ (Huber 1967; White 1982; by clusters Liang and Zeger
// 1986): H is the Hessian, M the variance of the gradient with the sets as clusters.
func rate(agents int, f family, data []comparison) (*ratings, error) {
	m := &model{family: f, n: agents, data: data, precision: 1 / sq(f.prior())}
	theta := make([]float64, agents)
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
	return &ratings{family: f, theta: theta, cov: sandwich(&inverse, m.meat())}, nil
}

// model is the penalised log-likelihood.
type model struct {
	family
	n         int
	precision float64 // of the prior
	data      []comparison
}

// weight is the number of games of a lineup over the dispersion of a game.
func (m *model) weight(c comparison) float64 { return c.games / m.dispersion() }

func (m *model) value(theta []float64) float64 {
	v := 0.0
	for _, t := range theta {
		v -= m.precision * t * t / 2
	}
	for _, c := range m.data {
		d := theta[c.a] - theta[c.b]
		v += m.weight(c) * m.logLikelihood(c.resultA, d)
		if c.both {
			v += m.weight(c) * m.logLikelihood(c.resultB, -d)
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
	for _, c := range m.data {
		d := theta[c.a] - theta[c.b]
		mean, curve := m.mean(d)
		slope := c.resultA - mean
		if c.both {
			mean, further := m.mean(-d)
			slope, curve = slope-(c.resultB-mean), curve+further
		}
		w := m.weight(c)
		g.SetVec(c.a, g.AtVec(c.a)+w*slope)
		g.SetVec(c.b, g.AtVec(c.b)-w*slope)
		addContrast(h, c.a, c.b, w*curve)
	}
	return g, h
}

// meat returns the variance of the gradient. A set adds weight/sets × (its value - the
// modelled value) to it. One further set with the variance that the family takes for
// possible is included, lest sets which all came out alike pretend to certainty.
func (m *model) meat() *mat.SymDense {
	v := mat.NewSymDense(m.n, nil)
	for i := range m.n {
		v.SetSym(i, i, m.precision)
	}
	for _, c := range m.data {
		variance := (c.squares + m.further(c)) / c.sets
		addContrast(v, c.a, c.b, c.sets*sq(m.weight(c)/c.sets)*variance)
	}
	return v
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
