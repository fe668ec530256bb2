package league

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"croupier/engine"
	"croupier/internal/nightly"
	"croupier/internal/stat"
	"croupier/messages"
)

// arena is a league of versions with known strengths, of which each has met the references.
func arena(t testing.TB, seed uint64, members, seats int) (*core, *simulation) {
	config := DefaultConfig()
	config.Population, config.LadderMembers, config.MaxSets = members, members, maxPairSets
	c := newTestCore(config, seats, false)
	rng := engine.NewRNG(seed, 7)
	s := &simulation{spec: c.spec, theta: map[string]float64{}, luck: 0.3, rng: engine.NewRNG(seed, 8)}
	for _, r := range c.references {
		s.theta[r] = -1 + rng.Float64()
	}
	s.meet(t, c, c.key(c.references[0], c.references[1]), 100)
	best := ""
	for i := range uint64(members) {
		m := &messages.Member{Name: messages.MemberName("main", i+1), Order: i + 1}
		c.join(m)
		// A lineage that improves ever more slowly.
		name := c.player(m)
		s.theta[name] = 2*(1-math.Exp(-float64(i)/6)) + 0.3*(rng.Float64()-0.5)
		if i+1 < uint64(members) && (best == "" || s.theta[name] > s.theta[best]) {
			best = name
		}
		for _, r := range c.references {
			s.meet(t, c, c.key(name, r), 100)
		}
	}
	c.promote(&messages.Promotion{Number: 1, Agent: best})
	return c, s
}

// meet plays the next sets of a pair.
func (s *simulation) meet(t testing.TB, c *core, k pairKey, sets uint64) {
	first := c.pairOf(k).rated.Sets
	require.NoError(t, c.apply(s.play(c.match(k, span{first, first + sets}, 0))))
}

// ownVariance is the rule that was there before: the pair whose next match lowers the variance of its own difference
// most.
func (d *design) ownVariance(enough float64) (x, y string, ok bool) {
	n, most, bestI, bestJ := len(d.names), 0.0, 0, 0
	for j := range n {
		for i := range j {
			v := d.variance(i, j)
			if drop := v - v/(1+v*d.information[i*n+j]); v > enough && drop > most {
				most, bestI, bestJ = drop, i, j
			}
		}
	}
	return d.names[bestI], d.names[bestJ], most > 0
}

// games lets the arena play until a league's ratings are certain enough, and returns how many games that takes.
func (s *simulation) games(t testing.TB, c *core, own bool, certain func(*core) bool) uint64 {
	before := c.games()
	for {
		_, err := c.reconsider()
		require.NoError(t, err)
		if certain(c) {
			return c.games() - before
		}
		var pairs []pairKey
		for range c.config.Outstanding {
			x, y, ok := "", "", false
			if own {
				x, y, ok = c.design.ownVariance(sq(c.precision() / stat.Z95))
				c.design.drops = nil
				if ok {
					c.design.played(c.design.index[x], c.design.index[y], 1)
				}
			} else {
				x, y, ok = c.design.next(func(string, string) bool { return false })
			}
			if !ok {
				break
			}
			pairs = append(pairs, c.key(x, y))
		}
		require.NotEmpty(t, pairs)
		for _, k := range pairs {
			s.meet(t, c, k, c.config.MatchSets)
		}
	}
}

// certain says by the aim whether ratings are certain to ± the configured precision: that of the differences of all
// agents, of the order of the eight strongest on average, and of the newest version and the best.
func certain(aim Aim) func(*core) bool {
	return func(c *core) bool {
		r, enough := c.standing.ratings, c.precision()/stat.Z95
		order := make([]int, len(r.theta))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.theta[j], r.theta[i]) })
		widest, sum, pairs := 0.0, 0.0, 0.0
		for a, i := range order {
			for _, j := range order[:a] {
				_, v := r.difference(i, j)
				widest = max(widest, math.Sqrt(v))
				if a < topAgents {
					sum += math.Sqrt(v)
					pairs++
				}
			}
		}
		_, gate := r.difference(c.standing.index[c.player(c.newest())], c.standing.index[c.best])
		switch aim {
		case AimTop:
			return sum/pairs <= enough
		case AimGate:
			return math.Sqrt(gate) <= enough
		}
		return widest <= enough
	}
}

// The rule that was there before takes 2 to 3 % more games for a matrix, which is the least, with a deviation of 1.5 %
// from league to league. The leagues are always the same ones, so that one of each kind is six that have to take fewer.
func TestAimsTakeFewerGames(t *testing.T) {
	for _, aim := range []Aim{AimMatrix, AimTop, AimGate} {
		for _, seats := range []int{2, 3} {
			former, now := uint64(0), uint64(0)
			for seed := range uint64(nightly.Cases(1, 5)) {
				c, s := arena(t, seed, 24, seats)
				c.config.Aim = aim
				before := s.games(t, c, true, certain(aim))
				c, s = arena(t, seed, 24, seats)
				c.config.Aim = aim
				after := s.games(t, c, false, certain(aim))
				t.Logf("%s, %d seats, seed %d: %d games, %d by the variance of each pair", aim, seats, seed, after, before)
				former, now = former+before, now+after
			}
			t.Logf("%s, %d seats: %.3f of the games", aim, seats, float64(now)/float64(former))
			require.Less(t, now, former, aim)
		}
	}
}

func TestDesignExpectsWhatAMatchBrings(t *testing.T) {
	for _, aim := range []Aim{AimMatrix, AimTop, AimGate} {
		c, _ := arena(t, 1, 12, 3)
		c.config.Aim = aim
		c.outstanding["one"] = issued{key: c.key(c.references[0], c.best), sets: span{1000, 1000 + 2*c.config.MatchSets}}
		_, err := c.reconsider()
		require.NoError(t, err)
		d := c.design
		uncertainty := func(d *design) float64 {
			var product mat.Dense
			product.Mul(d.contrasts, d.covariance)
			return mat.Trace(&product)
		}
		before := uncertainty(d)
		require.Positive(t, before)
		most := 0.0
		for j := range d.names {
			for i := range j {
				after := *d
				after.covariance, after.drops = mat.NewSymDense(len(d.names), nil), nil
				after.covariance.CopySym(d.covariance)
				after.played(j, i, 1)
				most = max(most, before-uncertainty(&after))
			}
		}
		x, y, ok := d.next(func(string, string) bool { return false })
		require.True(t, ok)
		require.InEpsilon(t, most, before-uncertainty(d), 1e-9, "%s: no match lowers it more than %s against %s", aim, x, y)
		again := sandwich(d.covariance, d.contrasts)
		require.True(t, mat.EqualApprox(again, d.drops, 1e-9*mat.Max(again)), "drops follow the covariance")
		k := c.key(x, y)
		_, _, ok = d.next(func(x, y string) bool { return true })
		require.False(t, ok, "all pairs are full")
		if aim == AimGate {
			require.Equal(t, c.key(c.player(c.newest()), c.best), k)
		}
	}
}

// A match that has no result yet is not asked for again and again, at a new rating either.
func TestDesignCountsWhatIsAskedFor(t *testing.T) {
	c, _ := arena(t, 2, 6, 2)
	c.config.Aim = AimGate
	c.config.Outstanding = 1000
	_, err := c.reconsider()
	require.NoError(t, err)
	wanted := 0
	for ; ; wanted++ {
		k, ok := c.nextUncertain()
		if !ok {
			break
		}
		c.issue(k, 0)
		if wanted%5 == 0 {
			_, err := c.reconsider()
			require.NoError(t, err)
		}
		require.Less(t, wanted, 100)
	}
	require.Greater(t, wanted, 10)
	_, v := c.standing.ratings.difference(c.standing.index[c.player(c.newest())], c.standing.index[c.best])
	require.Greater(t, math.Sqrt(v), c.precision()/stat.Z95, "without results nothing is more certain")
}

// Which matches are played follows from results, but the intervals still hold. 50 leagues have 550 intervals; the share
// of those that miss deviates by 1.2 %, so that one of 10 % shows.
func TestIntervalsHoldWhateverTheAim(t *testing.T) {
	for _, aim := range []Aim{AimMatrix, AimTop, AimGate} {
		missed, intervals := 0, 0
		for seed := range uint64(nightly.Cases(50, 150)) {
			c, s := arena(t, 100+seed, 10, 2)
			c.config.Aim, c.config.Precision = aim, 40
			s.games(t, c, false, certain(aim))
			r, index := c.standing.ratings, c.standing.index
			for x, i := range index {
				d, v := r.difference(i, index[c.best])
				if x == c.best {
					continue
				}
				intervals++
				if math.Abs(d-(s.theta[x]-s.theta[c.best])) > stat.Z95*math.Sqrt(v) {
					missed++
				}
			}
		}
		t.Logf("%s: %d of %d intervals missed", aim, missed, intervals)
		require.Less(t, float64(missed), 0.075*float64(intervals), aim)
	}
}
