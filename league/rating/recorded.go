package rating

import (
	"math"

	"croupier/engine"
	"croupier/internal/stat"
)

// Recorded is what two references got against one another in games that were played before the run, under the same
// rules. The ratings of a young run are based on it.
type Recorded struct {
	A, B string
	// Games is the number of games of each alone among copies of the other.
	Games uint64
	// Of A alone among copies of B, and of B among copies of A, per game: shares of the win, or returns in games for
	// money, with 95 % intervals.
	OfA, OfB stat.Interval
}

// AddRecorded bases ratings on results from before the run.
func (b *Results) AddRecorded(all []Recorded) {
	for _, r := range all {
		if r.B < r.A {
			r = Recorded{A: r.B, B: r.A, Games: r.Games, OfA: r.OfB, OfB: r.OfA}
		}
		b.recorded[NewKey(r.A, r.B)] = r
	}
}

// IsRecorded reports whether results of two agents from before the run are known.
func (b *Results) IsRecorded(x, y string) bool {
	_, ok := b.recorded[NewKey(x, y)]
	return ok
}

// comparison makes of it what sets of the run would say. How the two lineups of a set vary together is not recorded:
// the worst case is taken.
func (r Recorded) comparison(a, b int, spec *engine.Spec) comparison {
	seats := float64(spec.Seats)
	c := comparison{a: a, b: b, games: float64(r.Games), sets: float64(r.Games) / seats, resultA: r.OfA.Value}
	deviation := (r.OfA.High - r.OfA.Low) / 2 / stat.Z95
	if spec.Seats > 2 {
		c.both, c.resultB = true, r.OfB.Value
		deviation += (r.OfB.High - r.OfB.Low) / 2 / stat.Z95
	}
	c.squares = sq(deviation * c.sets)
	c.gameSquares = sq(seats) * c.squares
	return c
}

// gain is the value of a set whose variance squares is about.
func (c comparison) gain() float64 {
	if c.both {
		return c.resultA - c.resultB
	}
	return c.resultA
}

// join returns what two comparisons of the same agents say together.
func (c comparison) join(o comparison) comparison {
	sets := c.sets + o.sets
	mean := func(x, y float64) float64 { return (x*c.sets + y*o.sets) / sets }
	between := c.sets * o.sets / sets * sq(c.gain()-o.gain())
	out := c
	out.sets, out.games = sets, c.games+o.games
	out.resultA, out.resultB = mean(c.resultA, o.resultA), mean(c.resultB, o.resultB)
	out.squares = c.squares + o.squares + between
	out.gameSquares = c.gameSquares + o.gameSquares
	return out
}

// contradicts reports whether two comparisons of the same agents cannot be of the same game: so that their difference
// is one that one in 10,000 pairs of the same game ever shows, however often its growing results are compared. If they
// are of the same game, so is the variance of a set, which few sets alone too often underestimate: that of all sets
// counts.
func (c comparison) contradicts(o comparison, f family) bool {
	variance := (c.squares + f.further(c) + o.squares + f.further(o)) / (c.sets + o.sets)
	return math.Abs(c.gain()-o.gain()) > 5*math.Sqrt(variance*(1/c.sets+1/o.sets))
}
