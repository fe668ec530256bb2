package rating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"croupier/internal/stat"
)

// Aim reports what the arena's matches between uncertain pairs are to make certain.
type Aim string

// All aims.
const (
	AimMatrix Aim = "matrix" // the differences of all active agents, alike
	AimTop    Aim = "top"    // the order of the strongest
	AimGate   Aim = "gate"   // what the newest version has over the best
)

// topAgents are those whose order AimTop is about.
const topAgents = 8

// Design chooses matches by the expected drop of an uncertainty, the sum over pairs of agents of
//
//	w(i,j) · variance of θi - θj = tr(CΣ),  C = Σ w(i,j) (ei-ej)(ei-ej)ᵀ,
//
// where the weights follow from the aim and Σ is the covariance of the ratings. A match of x and y with Fisher
// information I on θx - θy changes Σ to Σ - κuuᵀ with u = Σ(ex-ey), v = (ex-ey)ᵀu and κ = I/(1+Iv), so that it lowers
// the uncertainty by κ·uᵀCu = κ·(ex-ey)ᵀH(ex-ey) with H = ΣCΣ: an A-optimal choice, one match at a time (Chaloner and
// Verdinelli 1995, Statistical Science 10, section 2). A match counts as played as soon as it is asked for.
type Design struct {
	names       []string
	index       map[string]int // of names
	covariance  *mat.SymDense  // Σ
	contrasts   *mat.SymDense  // C
	drops       *mat.SymDense  // H
	information []float64      // of a match, by two agents i < j
	full        []bool         // pairs that are to play no more, by two agents i < j
	matchSets   float64
}

// Plan reports what a design is for.
type Plan struct {
	Agents    []string // that are matched with one another
	Aim       Aim
	MatchSets uint64  // of a match
	Precision float64 // half the width of the interval with which a difference of strengths is certain enough
	Newest    string  // version of the main agent
	Best      string
	Asked     []Asked // matches without a result
}

// Asked are sets of a pair that have no result yet.
type Asked struct {
	Key  Key
	Sets Span
}

// NewDesign is the design for those of a plan's agents that are rated. Matches without a result are taken for played.
func NewDesign(b *Results, s *Standing, p Plan) *Design {
	d := &Design{index: map[string]int{}, matchSets: float64(p.MatchSets)}
	var at []int
	for _, name := range p.Agents {
		if i, ok := s.index[name]; ok {
			d.index[name] = len(d.names)
			d.names, at = append(d.names, name), append(at, i)
		}
	}
	n := len(at)
	if n == 0 {
		return d
	}
	d.covariance, d.information, d.full = mat.NewSymDense(n, nil), make([]float64, n*n), make([]bool, n*n)
	theta := make([]float64, n)
	for j, y := range at {
		theta[j] = s.ratings.theta[y]
		for i, x := range at[:j+1] {
			d.covariance.SetSym(i, j, s.ratings.cov.At(x, y))
			d.information[i*n+j] = b.gain(s, p, d.names[i], d.names[j], theta[i]-theta[j])
		}
	}
	for _, o := range p.Asked {
		x, known := d.index[o.Key.A]
		y, both := d.index[o.Key.B]
		if known && both && o.Sets.First < FirstGateSet {
			d.played(x, y, float64(o.Sets.End-o.Sets.First)/d.matchSets)
		}
	}
	d.contrasts = d.weigh(p, theta)
	d.drops = sandwich(d.covariance, d.contrasts)
	return d
}

// gain returns how much more a match of two agents, whose strengths have about that difference, says of it: less from
// match to match, since the misfit of the pair stays.
func (b *Results) gain(s *Standing, p Plan, x, y string, difference float64) float64 {
	information, misfit := s.information(difference), s.misfit(x, y)
	if misfit == 0 {
		return float64(p.MatchSets) * information
	}
	sets := float64(b.Focal(x, y).Sets)
	said := func(sets float64) float64 { return sets * information / (1 + sets*information*misfit) }
	return said(sets+float64(p.MatchSets)) - said(sets)
}

// misfit is the variance that the difference of two agents has beyond that of their strengths.
func (s *Standing) misfit(x, y string) (variance float64) {
	for _, name := range [2]string{x, y} {
		if i, ok := s.index[name]; ok {
			variance += s.ratings.misfit[i]
		}
	}
	return variance
}

// information returns how much (Fisher) information on the difference of two agents' strengths, which is about so
// large, a set holds if its games are independent.
func (s *Standing) information(difference float64) float64 {
	f, seats := s.ratings.family, s.Ladder.Seats
	_, information := f.mean(difference)
	if seats > 2 {
		_, further := f.mean(-difference)
		information += further
	}
	return information * float64(seats) / f.dispersion()
}

// weigh returns the weighted differences that the aim is about. Those that are known precisely enough have no weight.
func (d *Design) weigh(p Plan, theta []float64) *mat.SymDense {
	contrasts, weight := mat.NewSymDense(len(theta), nil), d.aim(p, theta)
	enough := sq(p.Precision / stat.Z95)
	for j := range theta {
		for i := range j {
			if v := d.variance(i, j); v > enough {
				addContrast(contrasts, i, j, weight(i, j, v))
			}
		}
	}
	return contrasts
}

// aim returns the weights of differences, by two agents i < j and the difference's variance.
func (d *Design) aim(p Plan, theta []float64) func(i, j int, variance float64) float64 {
	switch p.Aim {
	case AimGate:
		newest, known := d.index[p.Newest]
		best, both := d.index[p.Best]
		return func(i, j int, _ float64) float64 {
			if known && both && i == min(newest, best) && j == max(newest, best) {
				return 1
			}
			return 0
		}
	case AimTop:
		sorted := slices.SortedFunc(slices.Values(theta), func(x, y float64) int { return cmp.Compare(y, x) })
		least := sorted[min(topAgents, len(sorted))-1]
		return func(i, j int, variance float64) float64 {
			if max(theta[i], theta[j]) < least {
				return 0
			}
			// Taking the wrong one of two for the stronger loses s·φ(d/s) - |d|·Φ(-|d|/s) of strength on
			// average (Chick and Inoue 2001, Operations Research 49); this is its derivative by s².
			s := math.Sqrt(variance)
			return distuv.UnitNormal.Prob((theta[i]-theta[j])/s) / (2 * s)
		}
	default:
		return func(int, int, float64) float64 { return 1 }
	}
}

// Next returns the pair whose next match lowers the uncertainty most, and counts that match as played; false where no
// match lowers it. Pairs that full says are to play no more are left out.
func (d *Design) Next(full func(x, y string) bool) (x, y string, ok bool) {
	for {
		i, j, ok := d.best()
		if !ok {
			return "", "", false
		}
		if x, y = d.names[i], d.names[j]; !full(x, y) {
			d.played(i, j, 1)
			return x, y, true
		}
		d.full[i*len(d.names)+j] = true
	}
}

// best returns the agents i < j whose match lowers the uncertainty most, false where no match lowers it.
func (d *Design) best() (x, y int, ok bool) {
	n, most := len(d.names), 0.0
	for i := range n {
		// Rows of the upper triangles.
		variances, drops := d.covariance.RawSymmetric().Data[i*n:], d.drops.RawSymmetric().Data[i*n:]
		for j := i + 1; j < n; j++ {
			information := d.information[i*n+j]
			v := variances[i] + d.covariance.At(j, j) - 2*variances[j]
			drop := (drops[i] + d.drops.At(j, j) - 2*drops[j]) * information / (1 + information*v)
			if drop > most && !d.full[i*n+j] {
				x, y, most, ok = i, j, drop, true
			}
		}
	}
	return x, y, ok
}

// variance of the difference of two agents' strengths.
func (d *Design) variance(i, j int) float64 {
	return d.covariance.At(i, i) + d.covariance.At(j, j) - 2*d.covariance.At(i, j)
}

// played takes matches of two agents for played.
func (d *Design) played(i, j int, matches float64) {
	n := len(d.names)
	information := matches * d.information[min(i, j)*n+max(i, j)]
	k := information / (1 + information*d.variance(i, j))
	u := mat.NewVecDense(n, nil)
	for a := range n {
		u.SetVec(a, d.covariance.At(a, i)-d.covariance.At(a, j))
	}
	if d.drops != nil {
		var cu, g mat.VecDense
		cu.MulVec(d.contrasts, u)
		g.MulVec(d.covariance, &cu)
		d.drops.RankTwo(d.drops, -k, u, &g)
		d.drops.SymRankOne(d.drops, sq(k)*mat.Dot(u, &cu), u)
	}
	d.covariance.SymRankOne(d.covariance, -k, u)
}

// sandwich returns the product ABA of symmetric matrices.
func sandwich(a, b *mat.SymDense) *mat.SymDense {
	// Products of general matrices are several times as fast as those of symmetric ones.
	var half, full mat.Dense
	outer := mat.DenseCopyOf(a)
	half.Mul(outer, mat.DenseCopyOf(b))
	full.Mul(&half, outer)
	n := a.SymmetricDim()
	product := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			product.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return product
}
