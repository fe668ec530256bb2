package rating

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
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// arena is a league of versions with known strengths, of which each has met the references.
type arena struct {
	*Results
	sim        *ratingtest.Simulation
	references []string
	plan       Plan
	standing   *Standing
	design     *Design
}

// newArena is one in which the members are a lineage that improves ever more slowly.
func newArena(t testing.TB, seed uint64, members, seats int, aim Aim, precision float64) *arena {
	rng := engine.NewRNG(seed, 7)
	a := &arena{
		Results: NewResults(ratingtest.Spec(seats), "run", ratingtest.Rules, Sequential{}),
		sim: &ratingtest.Simulation{Spec: ratingtest.Spec(seats), Theta: map[string]float64{}, Luck: 0.3,
			RNG: engine.NewRNG(seed, 8)},
		references: []string{"random", "threshold(100)"},
		plan:       Plan{Aim: aim, MatchSets: 10, Precision: precision / EloPerNat},
	}
	for _, r := range a.references {
		a.sim.Theta[r] = -1 + rng.Float64()
	}
	a.meet(t, a.Key(a.references[0], a.references[1]), 100)
	a.plan.Agents = slices.Clone(a.references)
	for i := range members {
		name := messages.MemberName("main", uint64(i+1))
		a.sim.Theta[name] = 2*(1-math.Exp(-float64(i)/6)) + 0.3*(rng.Float64()-0.5)
		if i+1 < members && (a.plan.Best == "" || a.sim.Theta[name] > a.sim.Theta[a.plan.Best]) {
			a.plan.Best = name
		}
		a.plan.Agents, a.plan.Newest = append(a.plan.Agents, name), name
		for _, r := range a.references {
			a.meet(t, a.Key(name, r), 100)
		}
	}
	return a
}

// reconsider rates all and makes a design of what is known now.
func (a *arena) reconsider(t testing.TB) {
	var err error
	a.standing, err = a.Rate(Listing{Agents: a.plan.Agents, Kind: ratingtest.Kind, Zero: a.references[1],
		Best: a.plan.Best})
	require.NoError(t, err)
	a.design = NewDesign(a.Results, a.standing, a.plan)
}

// meet plays the next sets of a pair.
func (a *arena) meet(t testing.TB, k Key, sets uint64) {
	first := a.PairOf(k).rated.Sets
	require.NoError(t, a.Apply(a.sim.Play(a.Match(k, Span{first, first + sets}, 0))))
}

// games returns how many all have played.
func (a *arena) games() (games uint64) {
	for _, p := range a.Pairs {
		games += a.Games(p.Total().Sets)
	}
	return games
}

// ownVariance is the rule that was there before: the pair whose next match lowers the variance of its own difference
// most.
func (d *Design) ownVariance(enough float64) (x, y string, ok bool) {
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

// settle lets the arena play until its ratings are certain enough, and returns how many games that takes.
func (a *arena) settle(t testing.TB, own bool) uint64 {
	const outstanding = 8
	before := a.games()
	for {
		a.reconsider(t)
		if a.certain() {
			return a.games() - before
		}
		var pairs []Key
		for range outstanding {
			x, y, ok := "", "", false
			if own {
				x, y, ok = a.design.ownVariance(sq(a.plan.Precision / stat.Z95))
				a.design.drops = nil
				if ok {
					a.design.played(a.design.index[x], a.design.index[y], 1)
				}
			} else {
				x, y, ok = a.design.Next(func(string, string) bool { return false })
			}
			if !ok {
				break
			}
			pairs = append(pairs, a.Key(x, y))
		}
		require.NotEmpty(t, pairs)
		for _, k := range pairs {
			a.meet(t, k, a.plan.MatchSets)
		}
	}
}

// certain says by the aim whether ratings are certain to ± the plan's precision: that of the differences of all agents,
// of the order of the eight strongest on average, and of the newest version and the best.
func (a *arena) certain() bool {
	r, enough := a.standing.ratings, a.plan.Precision/stat.Z95
	order := make([]int, len(r.theta))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.theta[j], r.theta[i]) })
	widest, sum, pairs := 0.0, 0.0, 0.0
	for place, i := range order {
		for _, j := range order[:place] {
			_, v := r.difference(i, j)
			widest = max(widest, math.Sqrt(v))
			if place < topAgents {
				sum += math.Sqrt(v)
				pairs++
			}
		}
	}
	_, gate := r.difference(a.standing.index[a.plan.Newest], a.standing.index[a.plan.Best])
	switch a.plan.Aim {
	case AimTop:
		return sum/pairs <= enough
	case AimGate:
		return math.Sqrt(gate) <= enough
	}
	return widest <= enough
}

// The rule that was there before takes 2 to 3 % more games for a matrix, which is the least, with a deviation of 1.5 %
// from league to league. The leagues are always the same ones, so that one of each kind is six that have to take fewer.
func TestAimsTakeFewerGames(t *testing.T) {
	for _, aim := range []Aim{AimMatrix, AimTop, AimGate} {
		for _, seats := range []int{2, 3} {
			former, now := uint64(0), uint64(0)
			for seed := range uint64(nightly.Cases(1, 5)) {
				before := newArena(t, seed, 24, seats, aim, 25).settle(t, true)
				after := newArena(t, seed, 24, seats, aim, 25).settle(t, false)
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
		a := newArena(t, 1, 12, 3, aim, 25)
		a.plan.Asked = []Asked{{a.Key(a.references[0], a.plan.Best), Span{1000, 1000 + 2*a.plan.MatchSets}}}
		a.reconsider(t)
		d := a.design
		uncertainty := func(d *Design) float64 {
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
		x, y, ok := d.Next(func(string, string) bool { return false })
		require.True(t, ok)
		require.InEpsilon(t, most, before-uncertainty(d), 1e-9, "%s: no match lowers it more than %s against %s", aim, x, y)
		again := sandwich(d.covariance, d.contrasts)
		require.True(t, mat.EqualApprox(again, d.drops, 1e-9*mat.Max(again)), "drops follow the covariance")
		k := a.Key(x, y)
		_, _, ok = d.Next(func(x, y string) bool { return true })
		require.False(t, ok, "all pairs are full")
		if aim == AimGate {
			require.Equal(t, a.Key(a.plan.Newest, a.plan.Best), k)
		}
	}
}

// Which matches are played follows from results, but the intervals still hold. 50 leagues have 550 intervals; the share
// of those that miss deviates by 1.2 %, so that one of 10 % shows.
func TestIntervalsHoldWhateverTheAim(t *testing.T) {
	for _, aim := range []Aim{AimMatrix, AimTop, AimGate} {
		missed, intervals := 0, 0
		for seed := range uint64(nightly.Cases(50, 150)) {
			a := newArena(t, 100+seed, 10, 2, aim, 40)
			a.settle(t, false)
			r, index, best := a.standing.ratings, a.standing.index, a.plan.Best
			for x, i := range index {
				d, v := r.difference(i, index[best])
				if x == best {
					continue
				}
				intervals++
				if math.Abs(d-(a.sim.Theta[x]-a.sim.Theta[best])) > stat.Z95*math.Sqrt(v) {
					missed++
				}
			}
		}
		t.Logf("%s: %d of %d intervals missed", aim, missed, intervals)
		require.Less(t, float64(missed), 0.075*float64(intervals), aim)
	}
}
