package league

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"croupier/messages"
)

// Analysis says of the payoff matrix of a ladder what no rating can.
type Analysis struct {
	// Agents that have all met one another, by falling Nash weight. Others are left out: they have
	// not met somebody among these.
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
	// arXiv 1806.02643). Copies of an agent share its weight, and who is dominated has none.
	Nash float64 `json:"nash"`
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

// maxCycles bounds how many are told.
const maxCycles = 10

// Analyse analyses the payoff matrix of a ladder. Results are mean returns in games for money, else
// shares of the win above parity.
func Analyse(l *messages.Ladder) (*Analysis, error) {
	g := newGains(l)
	if len(g.names) < 2 {
		return nil, errors.New("fewer than two agents have met")
	}
	a := &Analysis{LeftOut: g.leftOut, Explained: g.explained(), Cycles: g.cycles()}
	nash, rank := maxEntropyNash(g.mean), alphaRank(g.mean)
	average := product(g.mean, nash)
	for i, name := range g.names {
		a.Agents = append(a.Agents, AnalysedAgent{name, nash[i], average[i], rank[i]})
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
	for { // who has met the fewest goes, the last of equal ones, until all have met
		worst, most := -1, 0
		for i, a := range g.names {
			missing := 0
			for _, b := range g.names {
				if _, ok := met[[2]string{a, b}]; !ok && a != b {
					missing++
				}
			}
			if missing > 0 && missing >= most {
				worst, most = i, missing
			}
		}
		if worst < 0 {
			break
		}
		g.leftOut = append(g.leftOut, g.names[worst])
		g.names = slices.Delete(g.names, worst, worst+1)
	}
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

// maxEntropyNash returns the Nash equilibrium of the greatest entropy of the symmetric zero-sum game
// with these gains, to about 1e-3 of a probability. It is the limit of the equilibria of the game in
// which entropy is worth τ, for τ → 0. Those are found by mirror prox (Nemirovski 2004), from one τ
// to the next.
func maxEntropyNash(gains [][]float64) []float64 {
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
	const steps = 20_000
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
	for _, temperature := range []float64{0.1, 0.03, 0.01, 0.003, 0.001} {
		for range steps {
			half := next(exponentials(logs), temperature, 0.5)
			newer := next(exponentials(half), temperature, 0.5)
			moved := 0.0
			for i := range newer {
				moved = max(moved, math.Abs(math.Exp(newer[i])-math.Exp(logs[i])))
			}
			if logs = newer; moved < 1e-10 {
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
