package advice

import (
	"math"

	"croupier/engine"
	"croupier/internal/stat"
)

// outcomes are the results of what was played out: of each sample those of all actions, under the
// same chance, and its weight. Means are ratios of weighted sums; their errors are those of the
// self-normalised importance sampler (Owen, "Monte Carlo theory, methods and examples",
// section 9.2).
type outcomes struct {
	actions int
	unit    float64 // largest possible difference of two results
	shares  bool    // results are shares of the win
	w       []float64
	x       []float64 // results by sample and action
	habit   []float64 // how often the agent takes each action
	struck  []float64 // by action, the weight of the samples in which the hazard struck
	steps   int       // that were made for it
	reach   float64   // see quantile; 0: not computed yet
}

func newOutcomes(actions int, spec *engine.Spec) *outcomes {
	g := &outcomes{actions: actions, unit: 1, shares: true, struck: make([]float64, actions)}
	if spec.Payoff == engine.Money {
		g.unit, g.shares = 2*spec.MaxReturn, false
	}
	return g
}

// add enters a sample. One without weight counts for nothing.
func (g *outcomes) add(w float64, x []float64, struck []bool) {
	if w <= 0 {
		return
	}
	g.w = append(g.w, w)
	g.x = append(g.x, x...)
	for a := range struck {
		if struck[a] {
			g.struck[a] += w
		}
	}
}

// merge appends the samples of others.
func (g *outcomes) merge(o *outcomes) {
	g.w = append(g.w, o.w...)
	g.x = append(g.x, o.x...)
	for a, w := range o.struck {
		g.struck[a] += w
	}
	g.steps += o.steps
}

// part is a part of the samples: every stride-th from the first.
type part struct{ first, stride int }

var (
	all    = part{0, 1}
	halves = [2]part{{0, 2}, {1, 2}}
)

// weight returns the sum of the weights of a part and that of their squares.
func (g *outcomes) weight(p part) (sum, squares float64) {
	for i := p.first; i < len(g.w); i += p.stride {
		sum += g.w[i]
		squares += g.w[i] * g.w[i]
	}
	return sum, squares
}

// means returns the mean result of each action, zeros for no samples.
func (g *outcomes) means(p part) []float64 {
	means := make([]float64, g.actions)
	for i := p.first; i < len(g.w); i += p.stride {
		for a := range means {
			means[a] += g.w[i] * g.x[i*g.actions+a]
		}
	}
	sum, _ := g.weight(p)
	for a := range means {
		means[a] /= max(sum, math.SmallestNonzeroFloat64)
	}
	return means
}

const (
	// none stands for a result of 0 where an action is expected,
	none = -1
	// habitual for what the agent itself plays.
	habitual = -2
)

func (g *outcomes) at(sample, action int) float64 {
	if action == none {
		return 0
	}
	return g.of(g.x[sample*g.actions:][:g.actions], action)
}

// of returns the entry of an action in a list by action.
func (g *outcomes) of(list []float64, action int) float64 {
	if action != habitual {
		return list[action]
	}
	mean := 0.0
	for a, p := range g.habit {
		mean += p * list[a]
	}
	return mean
}

// squaredError returns the square of the standard error of the difference of the means of two
// actions, +Inf where there are too few samples. Results that all come out alike are not certain:
// in games that are won or lost two more samples count for the spread, as Agresti and Min propose
// ("Effects and non-effects of paired identical observations in comparing proportions with binary
// matched-pairs data", 2004): half of one in which only the first action wins, half of one in
// which only the second does, and one in which there is no difference. For a single action
// (b is none) they are a win and a loss, after Agresti and Coull (1998). For money there is no such
// measure: where all results differ by the same, the error is that with which 3/n of the games may
// differ by anything ("rule of three", Hanley and Lippman-Hand 1983).
func (g *outcomes) squaredError(p part, a, b int) float64 {
	sum, squares := g.weight(p)
	if sum == 0 {
		return math.Inf(1)
	}
	mean := 0.0
	for i := p.first; i < len(g.w); i += p.stride {
		mean += g.w[i] * (g.at(i, a) - g.at(i, b)) / sum
	}
	residuals := 0.0
	for i := p.first; i < len(g.w); i += p.stride {
		d := g.w[i] * (g.at(i, a) - g.at(i, b) - mean)
		residuals += d * d
	}
	typical, n := squares/sum, sum*sum/squares
	if g.shares {
		extra := 1 + 2*mean*mean // Σ (d - mean)² of 1/2 · (+1), 1/2 · (-1) and 0
		if b == none {
			extra = (1-mean)*(1-mean) + mean*mean
		}
		residuals += typical * typical * extra
		sum, n = sum+2*typical, n+2
	}
	if n < 2 {
		return math.Inf(1)
	}
	if residuals <= same*same*sum*sum {
		return math.Pow(3/n*g.unit/stat.Z95, 2)
	}
	return n / (n - 1) * residuals / (sum * sum)
}

// value returns the mean result of an action with its interval.
func (g *outcomes) value(a int, means []float64) stat.Interval {
	half := min(g.quantile()*math.Sqrt(g.squaredError(all, a, none)), g.unit)
	i := stat.Interval{Value: means[a], Low: means[a] - half, High: means[a] + half}
	if g.shares {
		return i.Clamp(0, 1)
	}
	return i.Clamp(-g.unit/2, g.unit/2)
}

// quantile is that of Student's distribution for a 95 % interval, with as many degrees of freedom
// as samples of equal weight would have that say as much (Kish 1965).
func (g *outcomes) quantile() float64 {
	if g.reach == 0 {
		sum, squares := g.weight(all)
		g.reach = stat.Student95(max(1, sum*sum/squares-1))
	}
	return g.reach
}
