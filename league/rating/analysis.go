package rating

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"croupier/messages"
)

// Analysis says of the payoff matrix of a ladder what no rating can.
type Analysis struct {
	// Agents that have all met one another, by falling Nash weight. Others are left out: they have not met somebody
	// among these. Versions other than the best and the newest are left out before references are.
	Agents  []AnalysedAgent `json:"agents"`
	LeftOut []string        `json:"left_out,omitempty"`
	// Explained is the share of the differences between results, beyond chance, that the ratings
	// explain: 1 if one number for each agent says everything, 0 if it says nothing.
	Explained float64 `json:"explained"`
	// Cycles are three agents of which each beats the next, beyond chance (5 % for all pairs
	// together), the clearest first.
	Cycles []Cycle `json:"cycles,omitempty"`
}

// AnalysedAgent is an agent of an [Analysis].
type AnalysedAgent struct {
	Name string `json:"name"`
	// Nash is its probability in the Nash equilibrium of the greatest entropy of the game "choose an
	// agent, and get what it gets against the other's": Nash averaging (Balduzzi et al. 2018,
	// arXiv 1806.02643). Copies of an agent share its weight, and one that is dominated has none.
	Nash float64 `json:"nash"`
	// NashLow and NashHigh are its 95 % interval: that of the equilibria of matrices that are as far from the results
	// as chance might have taken these from the truth.
	NashLow  float64 `json:"nash_low"`
	NashHigh float64 `json:"nash_high"`
	// Average is what it gets on average against that equilibrium, in the unit of results: at most 0.
	Average float64 `json:"nash_average"`
	// AlphaRank is its share of the time in the long run of α-Rank for one population and α → ∞
	// (Omidshafiei et al. 2019, arXiv 1903.01373).
	AlphaRank float64 `json:"alpha_rank"`
}

// Cycle is three agents, of which the first beats the second, the second the third, and the third the
// first.
type Cycle struct {
	Agents [3]string  `json:"agents"`
	Gains  [3]float64 `json:"gains"` // over the next, in the unit of results
}

// maxCycles bounds how many are reported.
const maxCycles = 10

// Analyse analyses the payoff matrix of a ladder. Results are mean returns in games for money, else
// shares of the win above parity.
func Analyse(l *messages.Ladder) (*Analysis, error) {
	g := newGains(l)
	if len(g.names) < 2 {
		return nil, errors.New("fewer than two agents have met")
	}
	a := &Analysis{LeftOut: g.leftOut, Explained: g.explained(), Cycles: g.cycles()}
	nash, rank := maxEntropyNash(g.mean, exact), alphaRank(g.mean)
	average, intervals := product(g.mean, nash), g.nashIntervals(nash)
	for i, name := range g.names {
		a.Agents = append(a.Agents, AnalysedAgent{name, nash[i], intervals[i][0], intervals[i][1], average[i], rank[i]})
	}
	slices.SortStableFunc(a.Agents, func(x, y AnalysedAgent) int {
		return cmp.Or(cmp.Compare(y.Nash, x.Nash), cmp.Compare(y.Average, x.Average))
	})
	return a, nil
}

// gains are what agents have over one another, for each two of them who have met.
type gains struct {
	names   []string
	leftOut []string
	// By two agents: the mean of what the first alone has over parity and the second alone lacks;
	// its standard error; and what the ratings say.
	mean, err, rated [][]float64
}

func newGains(l *messages.Ladder) *gains {
	type entry struct{ gain, low, high, rated float64 }
	met := map[[2]string]entry{}
	for _, p := range l.Payoff {
		e := entry{p.MeanReturnA, p.Low, p.High, p.Rated}
		if s := p.WinShare; s != nil {
			parity := 0.5
			if l.Seats > 0 {
				parity = 1 / float64(l.Seats)
			}
			e = entry{s.ShareA - parity, s.ShareLow - parity, s.ShareHigh - parity, p.Rated - parity}
		}
		met[[2]string{p.A, p.B}] = e
	}
	g := &gains{}
	for _, a := range l.Agents {
		g.names = append(g.names, a.Name)
	}
	g.leaveOut(passingVersions(l), func(a, b string) bool {
		_, ok := met[[2]string{a, b}]
		return ok
	})
	z := distuv.UnitNormal.Quantile(0.975)
	n := len(g.names)
	g.mean, g.err, g.rated = square(n), square(n), square(n)
	for i, a := range g.names {
		for j, b := range g.names {
			if i == j {
				continue
			}
			x, y := met[[2]string{a, b}], met[[2]string{b, a}]
			ex, ey := (x.high-x.low)/(2*z), (y.high-y.low)/(2*z)
			g.mean[i][j] = (x.gain - y.gain) / 2
			g.rated[i][j] = (x.rated - y.rated) / 2
			// With two seats both are the same games; with more they share their dice, and the sum
			// of the errors is the most that there can be.
			g.err[i][j] = (ex + ey) / 2
		}
	}
	return g
}

// leaveOut leaves agents out until all others have met. The one that has met the fewest goes, the last of equal ones,
// and one that is passing before one that is not.
func (g *gains) leaveOut(passing map[string]bool, met func(a, b string) bool) {
	for {
		worst, most, gone := -1, 0, false
		for i, a := range g.names {
			missing := 0
			for _, b := range g.names {
				if a != b && !met(a, b) {
					missing++
				}
			}
			if missing > 0 && (passing[a] && !gone || passing[a] == gone && missing >= most) {
				worst, most, gone = i, missing, passing[a]
			}
		}
		if worst < 0 {
			return
		}
		g.leftOut = append(g.leftOut, g.names[worst])
		g.names = slices.Delete(g.names, worst, worst+1)
	}
}

// passingVersions are those on a ladder that are neither the best nor the newest. They meet few of one another, and the
// references are who they are compared by.
func passingVersions(l *messages.Ladder) map[string]bool {
	passing, newest := map[string]bool{}, Newest(l)
	for _, a := range l.Agents {
		passing[a.Name] = IsMember(a.Name) && !a.Best && a.Name != newest
	}
	return passing
}

// resamples is how many matrices the intervals of Nash weights come from.
const resamples = 200

// nashIntervals returns the 95 % intervals of Nash weights: the parametric bootstrap by the errors of results, which
// are those of their sets (Efron and Tibshirani 1993, chapter 6). They contain the weights themselves.
func (g *gains) nashIntervals(weights []float64) [][2]float64 {
	rng := rand.New(rand.NewPCG(1, 0)) // the same ladder, the same intervals
	n := len(g.names)
	drawn, samples := square(n), make([][]float64, n)
	for range resamples {
		for i := range n {
			for j := range i {
				drawn[i][j] = g.mean[i][j] + g.err[i][j]*rng.NormFloat64()
				drawn[j][i] = -drawn[i][j]
			}
		}
		for i, weight := range maxEntropyNash(drawn, coarse) {
			samples[i] = append(samples[i], weight)
		}
	}
	intervals := make([][2]float64, n)
	for i, s := range samples {
		slices.Sort(s)
		intervals[i] = [2]float64{
			min(weights[i], stat.Quantile(0.025, stat.Empirical, s, nil)),
			max(weights[i], stat.Quantile(0.975, stat.Empirical, s, nil)),
		}
	}
	return intervals
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// explained compares what the ratings leave open with what there is to explain, each without what
// chance alone would bring.
func (g *gains) explained() float64 {
	var all, left, chance float64
	for i := range g.mean {
		for j := range i {
			all += sq(g.mean[i][j])
			left += sq(g.mean[i][j] - g.rated[i][j])
			chance += sq(g.err[i][j])
		}
	}
	if all <= chance {
		return 1 // there is nothing to explain
	}
	return 1 - min(1, max(0, left-chance)/(all-chance))
}

// cycles finds those beyond chance.
func (g *gains) cycles() (list []Cycle) {
	n := len(g.names)
	z := distuv.UnitNormal.Quantile(1 - 0.05/float64(max(1, n*(n-1))))
	beats := func(i, j int) bool { return g.mean[i][j] > z*g.err[i][j] }
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := i + 1; k < n; k++ {
				if j != k && beats(i, j) && beats(j, k) && beats(k, i) {
					list = append(list, Cycle{
						[3]string{g.names[i], g.names[j], g.names[k]}, [3]float64{g.mean[i][j], g.mean[j][k], g.mean[k][i]},
					})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Cycle) int {
		return cmp.Compare(slices.Min(y.Gains[:]), slices.Min(x.Gains[:]))
	})
	return list[:min(len(list), maxCycles)]
}

// product multiplies a matrix with a vector.
func product(m [][]float64, x []float64) []float64 {
	out := make([]float64, len(m))
	for i, row := range m {
		for j, v := range row {
			out[i] += v * x[j]
		}
	}
	return out
}

// effort is how long an equilibrium is looked for: in how many steps at most for each worth of entropy, and until which
// step is small enough.
type effort struct {
	temperatures []float64
	steps        int
	enough       float64
}

var (
	exact  = effort{[]float64{0.1, 0.03, 0.01, 0.003, 0.001}, 20_000, 1e-10}
	coarse = effort{[]float64{0.1, 0.01, 0.003}, 1500, 1e-5} // within about 0.01 of a probability
)

// maxEntropyNash returns the Nash equilibrium of the greatest entropy of the symmetric zero-sum game
// with these gains, to about 1e-3 of a probability. It is the limit of the equilibria of the game in
// which entropy is worth τ, for τ → 0. Those are found by mirror prox (Nemirovski 2004), from one τ
// to the next.
func maxEntropyNash(gains [][]float64, e effort) []float64 {
	n := len(gains)
	x, largest := make([]float64, n), 0.0
	for i, row := range gains {
		x[i] = 1 / float64(n)
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return x
	}
	logs := make([]float64, n) // of x
	for i := range logs {
		logs[i] = math.Log(x[i])
	}
	next := func(at []float64, temperature, step float64) []float64 {
		values, out := product(gains, at), make([]float64, n)
		for i := range out {
			out[i] = (logs[i] + step*values[i]/largest) / (1 + step*temperature)
		}
		normalise(out)
		return out
	}
	for _, temperature := range e.temperatures {
		for range e.steps {
			half := next(exponentials(logs), temperature, 0.5)
			newer := next(exponentials(half), temperature, 0.5)
			moved := 0.0
			for i := range newer {
				moved = max(moved, math.Abs(math.Exp(newer[i])-math.Exp(logs[i])))
			}
			if logs = newer; moved < e.enough {
				break
			}
		}
	}
	return exponentials(logs)
}

// normalise makes logarithms those of probabilities.
func normalise(logs []float64) {
	most, sum := slices.Max(logs), 0.0
	for _, v := range logs {
		sum += math.Exp(v - most)
	}
	for i := range logs {
		logs[i] -= most + math.Log(sum)
	}
}

func exponentials(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, v := range logs {
		out[i] = math.Exp(v)
	}
	return out
}

// alphaRank returns the stationary distribution of the chain in which a mutant takes a population of
// 50 over with its probability of fixation, at a strength of selection that is the greatest for which
// the numbers stay apart from 0.
func alphaRank(gains [][]float64) []float64 {
	const population, ratio = 50, 1e-7 // ratio: probability against one who is better by the largest gain
	n, largest := len(gains), 0.0
	for _, row := range gains {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	rank := make([]float64, n)
	if largest == 0 {
		for i := range rank {
			rank[i] = 1 / float64(n)
		}
		return rank
	}
	alpha := -math.Log(ratio) / ((population - 1) * largest)
	fixation := func(gain float64) float64 { // of one who gains against the others
		if x := 2 * alpha * gain; x != 0 {
			return math.Expm1(-x) / math.Expm1(-population*x)
		}
		return 1.0 / population
	}
	// The balance of each agent but the last, and all sum to 1.
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			rate := fixation(gains[j][i]) // from i to j
			if j < n-1 {
				a.Set(j, i, a.At(j, i)+rate)
			}
			if i < n-1 {
				a.Set(i, i, a.At(i, i)-rate)
			}
		}
		a.Set(n-1, i, 1)
	}
	b.SetVec(n-1, 1)
	var out mat.VecDense
	if err := out.SolveVec(a, b); err != nil && out.Len() == 0 {
		return rank
	}
	total := 0.0
	for i := range rank {
		rank[i] = max(0, out.AtVec(i))
		total += rank[i]
	}
	for i := range rank {
		rank[i] /= total
	}
	return rank
}
