package rating

import (
	"cmp"
	"math"

	"croupier/engine"
	"croupier/internal/stat"
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

func (l lineup) less(o lineup) lineup {
	return lineup{
		l.Share - o.Share, l.ShareSquares - o.ShareSquares, l.Return - o.Return, l.ReturnSquares - o.ReturnSquares,
		l.GameSquares - o.GameSquares,
	}
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

// Sums are the results of some sets of a pair. OneB is empty with two seats.
type Sums struct {
	Sets     uint64 `json:"sets"`
	OneA     lineup `json:"one_a"`
	OneB     lineup `json:"one_b"`
	Products fixed  `json:"share_products"` // sum of the two lineups' shares multiplied
}

// NewSums reads a valid result.
func NewSums(r *messages.Result, spec *engine.Spec) Sums {
	c := Sums{Sets: r.OneA.Sets, OneA: newLineup(r.OneA, spec.MaxReturn), Products: toFixed(r.ShareProducts)}
	if r.OneB != nil {
		c.OneB = newLineup(r.OneB, spec.MaxReturn)
	}
	return c
}

func (c *Sums) Add(o Sums) {
	c.Sets += o.Sets
	c.OneA.add(o.OneA)
	c.OneB.add(o.OneB)
	c.Products += o.Products
}

// Minus returns the results of those sets that the others are not among.
func (c Sums) Minus(o Sums) Sums {
	return Sums{Sets: c.Sets - o.Sets, OneA: c.OneA.less(o.OneA), OneB: c.OneB.less(o.OneB),
		Products: c.Products - o.Products}
}

// focal returns the sets of one focal agent, a or b of the pair.
func (c Sums) focal(isA bool, spec *engine.Spec) Focal {
	l := c.OneA
	if !isA && spec.Seats > 2 {
		l = c.OneB
	} else if !isA {
		l = c.OneA.mirrored(c.Sets, c.Sets*uint64(spec.Seats))
	}
	return Focal{Sets: c.Sets, spec: spec, lineup: l}
}

// compare returns what the sums say about the strengths of agents a and b.
func (c Sums) compare(a, b int, spec *engine.Spec) comparison {
	n, games := float64(c.Sets), float64(c.Sets)*float64(spec.Seats)
	x, y := c.OneA.results(n, spec), c.OneB.results(n, spec)
	out := comparison{a: a, b: b, sets: n, games: games, resultA: x.Mean, squares: x.Squares}
	out.gameSquares = c.OneA.gameSquares(games, spec) + c.OneB.gameSquares(games, spec)
	if spec.Seats > 2 {
		// No covariance is larger than this; an actor that did not measure it (0)
		// is thereby taken for the worst case.
		worst := math.Sqrt(x.Squares * y.Squares)
		xy := c.Products.float() - c.OneA.Share.float()*c.OneB.Share.float()/n
		if spec.Payoff == engine.Money {
			xy *= sq(moneyPerShare(spec))
		}
		out.both, out.resultB, out.squares = true, y.Mean, x.Squares+y.Squares-2*min(max(xy, -worst), worst)
	}
	return out
}

// results are the moments of the sets' results for the ratings: shares of the win, or
// returns in games for money.
func (l lineup) results(sets float64, spec *engine.Spec) stat.Moments {
	if spec.Payoff == engine.Money {
		m := moments(sets, l.Return, l.ReturnSquares)
		return stat.Moments{N: m.N, Mean: spec.MaxReturn * m.Mean, Squares: sq(spec.MaxReturn) * m.Squares}
	}
	return moments(sets, l.Share, l.ShareSquares)
}

// gameSquares is the sum of the squared deviations of the games' results.
func (l lineup) gameSquares(games float64, spec *engine.Spec) float64 {
	squares := moments(games, fixed(spec.Seats)*l.Share, l.GameSquares).Squares
	if spec.Payoff == engine.Money {
		squares *= sq(moneyPerShare(spec))
	}
	return squares
}

// moneyPerShare is by how much the return grows with the share in games for money
// (engine.Spec.Shares).
func moneyPerShare(spec *engine.Spec) float64 { return spec.MaxReturn * float64(spec.Seats) }

// Focal are the sets of one focal agent against one kind of opponent.
type Focal struct {
	Sets uint64
	spec *engine.Spec
	lineup
}

func (f Focal) games() uint64 { return f.Sets * uint64(f.spec.Seats) }

// WinShare estimates the mean share of the win.
func (f Focal) WinShare() stat.Interval {
	parity := 1 / float64(f.spec.Seats)
	return f.estimate(f.Share, f.ShareSquares, bounds{0, 1, parity, parity})
}

// MeanReturn estimates the mean return in the game's unit.
func (f Focal) MeanReturn() stat.Interval {
	return f.estimate(f.Return, f.ReturnSquares, bounds{-1, 1, 0, 1}).Scale(f.spec.MaxReturn)
}

// Outcome estimates how much more the focal agent got than one of equal agents, who get 0:
// the mean return in games for money, the share of the win above parity in others.
func (f Focal) Outcome() stat.Interval {
	if f.spec.Payoff == engine.Money {
		return f.MeanReturn()
	}
	share, parity := f.WinShare(), 1/float64(f.spec.Seats)
	return stat.Interval{Value: share.Value - parity, Low: share.Low - parity, High: share.High - parity}
}

// Compare tells by what a meeting is won, the sum of shares of the win, or of returns in games for money, which of two
// agents has more: -1, 0 or 1. The sums are fixed numbers, so that what is level is so to the bit.
func (f Focal) Compare(o Focal) int {
	if f.spec.Payoff == engine.Money {
		return cmp.Compare(f.Return, o.Return)
	}
	return cmp.Compare(f.Share, o.Share)
}

// estimate returns the mean of the sets' values and its interval. Sets are the
// clusters, so that games which share their dice are not taken for independent.
// Sums of money vary from set to set, and their bounds are far from what is usual.
func (f Focal) estimate(sum, squares fixed, b bounds) stat.Interval {
	sets := moments(float64(f.Sets), sum, squares)
	if f.spec.Payoff == engine.Money {
		return b.student(sets)
	}
	return b.agrestiCoull(sets)
}

// moments of n values with that sum and sum of squares.
func moments(n float64, sum, squares fixed) stat.Moments {
	return stat.FromSums(n, sum.float(), squares.float())
}

// bounds of the value of a set, and mean and mean square of the values that equal
// agents would have if every set went to one of them altogether.
type bounds struct{ low, high, mean, square float64 }

// nothing is what is known without sets: the whole range.
func (b bounds) nothing() stat.Interval {
	return stat.Interval{Value: b.mean, Low: b.low, High: b.high}
}

// agrestiCoull is the interval of the data with two more sets of equal agents in which
// one got everything, so that sets that all came out alike do not pretend to certainty.
func (b bounds) agrestiCoull(sets stat.Moments) stat.Interval {
	if sets.N == 0 {
		return b.nothing()
	}
	return sets.AgrestiCoull(stat.FromSums(2, 2*b.mean, 2*b.square)).Clamp(b.low, b.high)
}

// student is the t interval of the data, the whole range for fewer than two sets.
func (b bounds) student(sets stat.Moments) stat.Interval {
	i, ok := sets.Student()
	if !ok {
		return b.nothing()
	}
	return i.Clamp(b.low, b.high)
}
