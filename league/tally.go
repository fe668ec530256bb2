package league

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
	"croupier/messages"
)

// fixed is a number in units of 2^-32. Sums of results are kept in it, because
// adding integers is exact: the order of results cannot change a bit of a ladder.
type fixed int64

func toFixed(x float64) fixed  { return fixed(math.Round(x * (1 << 32))) }
func (f fixed) float() float64 { return float64(f) / (1 << 32) }

// lineup sums up the sets of one focal agent: a set's mean share and mean return
// (in units of Spec.MaxReturn) and their squares, and the squared shares of games.
type lineup struct {
	Share         fixed `json:"share"`
	ShareSquares  fixed `json:"share_squares"`
	Return        fixed `json:"return"`
	ReturnSquares fixed `json:"return_squares"`
	GameSquares   fixed `json:"game_share_squares"`
}

func (l *lineup) add(o lineup) {
	l.Share += o.Share
	l.ShareSquares += o.ShareSquares
	l.Return += o.Return
	l.ReturnSquares += o.ReturnSquares
	l.GameSquares += o.GameSquares
}

// newLineup reads a valid message.
func newLineup(m *messages.Lineup, maxReturn float64) lineup {
	return lineup{
		Share:         toFixed(m.ShareSum),
		ShareSquares:  toFixed(m.ShareSquares),
		Return:        toFixed(m.ReturnSum / maxReturn),
		ReturnSquares: toFixed(m.ReturnSquares / sq(maxReturn)),
		GameSquares:   toFixed(m.GameShareSquares),
	}
}

// mirrored returns the other agent's side of a lineup of a two-seat game, where
// shares sum to 1 and returns to 0.
func (l lineup) mirrored(sets, games uint64) lineup {
	return lineup{
		Share:         toFixed(float64(sets)) - l.Share,
		ShareSquares:  toFixed(float64(sets)) - 2*l.Share + l.ShareSquares,
		Return:        -l.Return,
		ReturnSquares: l.ReturnSquares,
		GameSquares:   toFixed(float64(games)) - 2*2*l.Share + l.GameSquares,
	}
}

// counts are the results of some sets of a pair. OneB is empty with two seats.
type counts struct {
	Sets     uint64 `json:"sets"`
	OneA     lineup `json:"one_a"`
	OneB     lineup `json:"one_b"`
	Products fixed  `json:"share_products"` // sum of the two lineups' shares multiplied
}

func (c *counts) add(o counts) {
	c.Sets += o.Sets
	c.OneA.add(o.OneA)
	c.OneB.add(o.OneB)
	c.Products += o.Products
}

// focal returns the sets of one focal agent, a or b of the pair.
func (c counts) focal(isA bool, spec *engine.Spec) focalSets {
	l := c.OneA
	if !isA && spec.Seats > 2 {
		l = c.OneB
	} else if !isA {
		l = c.OneA.mirrored(c.Sets, c.Sets*uint64(spec.Seats))
	}
	return focalSets{sets: c.Sets, spec: spec, lineup: l}
}

// compare returns what the counts say about the strengths of agents a and b.
func (c counts) compare(a, b, seats int) comparison {
	n, games := float64(c.Sets), float64(c.Sets)*float64(seats)
	x, y := c.OneA.Share.float(), c.OneB.Share.float()
	xx := deviations(n, x, c.OneA.ShareSquares.float())
	out := comparison{a: a, b: b, sets: n, games: games, shareA: x / n, squares: xx}
	if seats > 2 {
		yy := deviations(n, y, c.OneB.ShareSquares.float())
		// No covariance is larger than this; an actor that did not measure it (0)
		// is thereby taken for the worst case.
		worst := math.Sqrt(xx * yy)
		xy := min(max(c.Products.float()-x*y/n, -worst), worst)
		out.both, out.shareB, out.squares = true, y/n, xx+yy-2*xy
	}
	return out
}

// deviations is the sum of squared deviations from the mean of n values.
func deviations(n, sum, squares float64) float64 { return max(0, squares-sum*sum/n) }

// focalSets are the sets of one focal agent against one kind of opponent.
type focalSets struct {
	sets uint64
	spec *engine.Spec
	lineup
}

func (f focalSets) games() uint64 { return f.sets * uint64(f.spec.Seats) }

// share estimates the mean share of the win.
func (f focalSets) share() messages.Interval {
	parity := 1 / float64(f.spec.Seats)
	return f.estimate(f.Share, f.ShareSquares, bounds{0, 1, parity, parity})
}

// meanReturn estimates the mean return in the game's unit.
func (f focalSets) meanReturn() messages.Interval {
	i, unit := f.estimate(f.Return, f.ReturnSquares, bounds{-1, 1, 0, 1}), f.spec.MaxReturn
	return messages.Interval{Value: unit * i.Value, Low: unit * i.Low, High: unit * i.High}
}

// estimate returns the mean of the sets' values and its interval. Sets are the
// clusters, so that games which share their dice are not taken for independent.
// Sums of money vary from set to set, and their bounds are far from what is usual.
func (f focalSets) estimate(sum, squares fixed, b bounds) messages.Interval {
	if f.spec.Payoff == engine.Money {
		return student(f.sets, sum.float(), squares.float(), b)
	}
	return agrestiCoull(f.sets, sum.float(), squares.float(), b)
}

// bounds of the value of a set, and mean and mean square of the values that equal
// agents would have if every set went to one of them altogether.
type bounds struct{ low, high, mean, square float64 }

// agrestiCoull is the interval of the data with two more sets of equal agents in
// which one got everything, after Agresti and Coull 1998, so that sets that all came
// out alike do not pretend to certainty; the value is that of the data alone. Without
// sets it is the whole range.
func agrestiCoull(sets uint64, sum, squares float64, b bounds) messages.Interval {
	if sets == 0 {
		return messages.Interval{Value: b.mean, Low: b.low, High: b.high}
	}
	value, n := sum/float64(sets), float64(sets)+2
	sum, squares = sum+2*b.mean, squares+2*b.square
	half := z95 * math.Sqrt(deviations(n, sum, squares)/(n-1)/n)
	return messages.Interval{
		Value: value,
		Low:   max(b.low, min(value, sum/n-half)),
		High:  min(b.high, max(value, sum/n+half)),
	}
}

// student is the t interval of the data, the whole range for fewer than two sets.
func student(sets uint64, sum, squares float64, b bounds) messages.Interval {
	if sets < 2 {
		return messages.Interval{Value: b.mean, Low: b.low, High: b.high}
	}
	n := float64(sets)
	value := sum / n
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(deviations(n, sum, squares)/(n-1)/n)
	return messages.Interval{Value: value, Low: max(b.low, value-half), High: min(b.high, value+half)}
}

// standardError of an interval, as if it were symmetric.
func standardError(i messages.Interval) float64 { return (i.High - i.Low) / (2 * z95) }
