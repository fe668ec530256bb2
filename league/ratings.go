package league

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"croupier/internal/stat"
)

const (
	// eloPerNat turns log strengths into Elo: 400 points are odds of 10 to 1.
	eloPerNat = 400 / math.Ln10
	// priorElo is the standard deviation of the prior of every rating. It keeps the
	// rating of an agent finite that has won or lost everything (or played nothing),
	// and weighs less than a tenth of a game in any other.
	priorElo = 1000
)

// comparison is what the sets of one pair of agents say.
type comparison struct {
	a, b  int     // indices of the agents
	sets  float64 // sets played
	games float64 // games of a lineup
	// Mean share of a as the focal agent, and of b as the focal agent. With two
	// seats the second lineup is the first one again and left out: both is false.
	shareA, shareB float64
	both           bool
	// Sum over the sets of the squared deviation of (a's share - b's share as focal
	// agents) from its mean; of a's share alone where both is false.
	squares float64
}

// ratings are log strengths of agents in nats and their covariance.
type ratings struct {
	theta []float64
	cov   *mat.SymDense
}

// rate finds the strengths that make the shares most likely under the model
//
//	P(focal f wins among opponents o) = γf / (γf + (seats-1) γo),  θ = ln γ,
//
// which is Plackett-Luce for the first place (Plackett 1975; Luce 1959) and
// Bradley-Terry (1952) with two seats; a shared win counts as its share of a win.
// A normal prior with mean 0 and priorElo holds each θ. The objective is strictly
// concave, so Newton's method with step halving finds its only maximum.
//
// The covariance is H⁻¹ M H⁻¹ (Huber 1967; White 1982; by clusters Liang and Zeger
// 1986): H is the Hessian, M the variance of the gradient with the sets as clusters.
func rate(agents, seats int, data []comparison) (*ratings, error) {
	m := &model{n: agents, offset: math.Log(float64(seats - 1)), data: data, precision: sq(eloPerNat / priorElo)}
	theta := make([]float64, agents)
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
		if largest := m.move(theta, &step); largest < 1e-10 {
			break
		}
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, err
	}
	var half, full mat.Dense
	half.Mul(&inverse, m.meat())
	full.Mul(&half, &inverse)
	cov := mat.NewSymDense(agents, nil)
	for i := range agents {
		for j := i; j < agents; j++ {
			cov.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return &ratings{theta: theta, cov: cov}, nil
}

// model is the penalised log-likelihood.
type model struct {
	n         int
	offset    float64 // ln(seats-1)
	precision float64 // of the prior
	data      []comparison
}

// chances returns the modelled shares of a and of b as focal agents.
func (m *model) chances(theta []float64, c comparison) (p, q float64) {
	d := theta[c.a] - theta[c.b]
	return sigmoid(d - m.offset), sigmoid(-d - m.offset)
}

func (m *model) value(theta []float64) float64 {
	v := 0.0
	for _, t := range theta {
		v -= m.precision * t * t / 2
	}
	for _, c := range m.data {
		d := theta[c.a] - theta[c.b]
		v += c.games * logLikelihood(c.shareA, d-m.offset)
		if c.both {
			v += c.games * logLikelihood(c.shareB, -d-m.offset)
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
		p, q := m.chances(theta, c)
		slope, curve := c.shareA-p, p*(1-p)
		if c.both {
			slope, curve = slope-(c.shareB-q), curve+q*(1-q)
		}
		g.SetVec(c.a, g.AtVec(c.a)+c.games*slope)
		g.SetVec(c.b, g.AtVec(c.b)-c.games*slope)
		addContrast(h, c.a, c.b, c.games*curve)
	}
	return g, h
}

// meat returns the variance of the gradient. A set adds games/sets × (its value -
// the modelled value) to it.
func (m *model) meat() *mat.SymDense {
	v := mat.NewSymDense(m.n, nil)
	for i := range m.n {
		v.SetSym(i, i, m.precision)
	}
	for _, c := range m.data {
		addContrast(v, c.a, c.b, c.sets*sq(c.games/c.sets)*c.variance())
	}
	return v
}

// variance estimates the variance of a set's value. It includes one further set
// with the largest variance that a share of that mean can have, lest sets which all
// came out alike pretend to certainty. The mean is corrected by half a set won and
// half a set lost (Anscombe 1956), so that this is so even if all were won.
func (c comparison) variance() float64 {
	widest := func(share float64) float64 {
		p := (c.sets*share + 0.5) / (c.sets + 1)
		return p * (1 - p)
	}
	further := widest(c.shareA)
	if c.both {
		further += widest(c.shareB)
	}
	return (c.squares + further) / c.sets
}

// move makes the largest of the steps 1, ½, ¼, … that does not lower the value, and
// returns the greatest change of a strength.
func (m *model) move(theta []float64, step *mat.VecDense) float64 {
	before, next := m.value(theta), make([]float64, m.n)
	for scale := 1.0; scale > 1e-9; scale /= 2 {
		largest := 0.0
		for i := range theta {
			d := scale * step.AtVec(i)
			next[i] = theta[i] + d
			largest = max(largest, math.Abs(d))
		}
		if m.value(next) >= before {
			copy(theta, next)
			return largest
		}
	}
	return 0
}

// difference returns θa - θb in nats and its variance.
func (r *ratings) difference(a, b int) (mean, variance float64) {
	return r.theta[a] - r.theta[b], r.cov.At(a, a) + r.cov.At(b, b) - 2*r.cov.At(a, b)
}

// elo returns the rating of agent i in Elo with its 95 % interval, relative to
// agent anchor, whose own rating is exactly 0; relative to the mean of all agents
// if anchor is negative.
func (r *ratings) elo(i, anchor int) stat.Interval {
	var mean, variance float64
	if anchor >= 0 {
		mean, variance = r.difference(i, anchor)
	} else {
		n := float64(len(r.theta))
		mean, variance = r.theta[i], r.cov.At(i, i)
		for j, t := range r.theta {
			mean -= t / n
			variance -= 2 * r.cov.At(i, j) / n
			for k := range r.theta {
				variance += r.cov.At(j, k) / (n * n)
			}
		}
	}
	return stat.Normal(mean, variance).Scale(eloPerNat)
}

// addContrast adds w (ea-eb)(ea-eb)ᵀ.
func addContrast(s *mat.SymDense, a, b int, w float64) {
	s.SetSym(a, a, s.At(a, a)+w)
	s.SetSym(b, b, s.At(b, b)+w)
	s.SetSym(a, b, s.At(a, b)-w)
}

func logLikelihood(share, logit float64) float64 {
	return -share*softplus(-logit) - (1-share)*softplus(logit)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func sq(x float64) float64 { return x * x }
