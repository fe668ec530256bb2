package rating

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/nightly"
	"croupier/internal/stat"
	"croupier/league/rating/ratingtest"
)

// testOfDefaults is the gate's test as the league has it without settings.
var testOfDefaults = Sequential{Gain: 0.05, Error: 0.05, Least: 100, Most: 6000}

func TestSequential(t *testing.T) {
	s := testOfDefaults
	require.InDelta(t, math.Log(19), s.Threshold(), 1e-12)
	values := stat.Moments{N: 1000, Mean: 0.2, Squares: 4000} // deviation 2
	require.InDelta(t, 1000*0.05*(0.1-0.025), s.Evidence(values), 1e-9)
	require.Equal(t, Passed, s.Judge(1000, values))
	require.Equal(t, Undecided, s.Judge(99, values), "too few")
	values.Mean = 0.05
	require.Equal(t, Undecided, s.Judge(1000, values))
	require.Equal(t, Failed, s.Judge(s.Most, values), "enough is enough")
	values.Mean = -0.1
	require.Equal(t, Failed, s.Judge(1000, values))
	require.InDelta(t, -1000*0.05*0.025, s.Evidence(stat.Moments{N: 1000}), 1e-9, "no difference at all")
}

// outcomes returns the gains, in standard deviations of a set, of sets that are like those
// of a kind of game.
type outcomes func(rng *engine.RNG, gain float64) float64

// The rates of false verdicts are at most those that are promised, within the error of the
// simulation, whatever a set's outcome looks like: 1,000 tests tell 7 % from the 5 % that are
// promised, the 300 of each change 9 %.
func TestGateErrs(t *testing.T) {
	// Two games with the seats exchanged, each won or lost: 0, ½ or 1 of the win.
	two := func(rng *engine.RNG, gain float64) float64 {
		share := 0.0
		for range 2 {
			if rng.Float64() < 0.5+gain*math.Sqrt(0.125) {
				share += 0.5
			}
		}
		return (share - 0.5) / math.Sqrt(0.125)
	}
	// Three games of three seats.
	three := func(rng *engine.RNG, gain float64) float64 {
		deviation, share := math.Sqrt(2.0/27), 0.0
		for range 3 {
			if rng.Float64() < 1.0/3+gain*deviation {
				share += 1.0 / 3
			}
		}
		return (share - 1.0/3) / deviation
	}
	// Most sets are even: players that hardly differ, one set in 20 goes to one of them.
	rare := func(rng *engine.RNG, gain float64) float64 {
		deviation := math.Sqrt(0.05)
		switch x := rng.Float64(); {
		case x < 0.025+gain*deviation/2:
			return 1 / deviation
		case x > 0.975+gain*deviation/2:
			return -1 / deviation
		}
		return 0
	}
	// Money: small losses and rare large wins, the other way round, and Student's t with four
	// degrees of freedom, whose fourth moment is infinite.
	skewed := func(rng *engine.RNG, gain float64) float64 { return -1 - math.Log(1-rng.Float64()) + gain }
	losing := func(rng *engine.RNG, gain float64) float64 { return 1 + math.Log(1-rng.Float64()) + gain }
	heavy := func(rng *engine.RNG, gain float64) float64 {
		z := math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
		chi := -2 * math.Log((1-rng.Float64())*(1-rng.Float64())) // with 4 degrees of freedom
		return z/math.Sqrt(chi/4)/math.Sqrt2 + gain
	}
	test := testOfDefaults
	test.Most = math.MaxUint64 // which fails more and passes fewer
	for name, draw := range map[string]outcomes{
		"two seats": two, "three seats": three, "rarely different": rare,
		"rare wins": skewed, "rare losses": losing, "heavy tails": heavy,
	} {
		trials := float64(nightly.Cases(300, 1000))
		slack := 3 * math.Sqrt(0.05*0.95/trials)
		rng := engine.NewRNG(7, 0)
		rates := func(gain float64) (passes, fails float64) {
			for range int(trials) {
				switch test.run(func() float64 { return draw(rng, gain) }) {
				case Passed:
					passes += 1.0 / trials
				case Failed:
					fails += 1.0 / trials
				}
			}
			return passes, fails
		}
		false0, _ := rates(0)
		require.LessOrEqual(t, false0, 0.05+slack, "%s: promoted at no gain", name)
		worse, _ := rates(-0.05)
		require.LessOrEqual(t, worse, 0.01, "%s: promoted although worse", name)
		_, missed := rates(test.Gain)
		require.LessOrEqual(t, missed, 0.05+slack, "%s: missed the gain", name)
		found, _ := rates(0.3)
		require.GreaterOrEqual(t, found, 0.999, "%s: a great gain", name)
		t.Logf("%s: promoted at no gain %.3f, when worse %.3f; missed %.3f", name, false0, worse, missed)
	}
}

// run draws values, ten at a time, until the test has decided.
func (s Sequential) run(draw func() float64) Verdict {
	var values stat.Moments
	for {
		for range 10 {
			values.Add(draw())
		}
		if v := s.Judge(uint64(values.N), values); v != Undecided {
			return v
		}
	}
}

// The same rates for results as they come from games with common dice, through a pair's results.
func TestGateErrsWithSets(t *testing.T) {
	const leagues = 300
	for _, seats := range []int{2, 3} {
		test := Sequential{Gain: 0.15, Error: 0.05, Least: 50, Most: 2000}
		promoted := 0
		for i := range leagues {
			s := &ratingtest.Simulation{Spec: ratingtest.Spec(seats), Theta: map[string]float64{}, Luck: 0.3,
				RNG: engine.NewRNG(uint64(i), 0)}
			b := NewResults(s.Spec, "run", ratingtest.Rules, test)
			k := NewKey("main@1", "main@2")
			for first := uint64(0); ; first += 10 {
				require.NoError(t, b.Apply(s.Play(b.Match(k, Span{FirstGateSet + first, FirstGateSet + first + 10}, 0))))
				if v := b.Pairs[k].Trial.Verdict; v != Undecided {
					if v == Passed {
						promoted++
					}
					break
				}
			}
		}
		rate := float64(promoted) / leagues
		require.LessOrEqual(t, rate, 0.05+3*math.Sqrt(0.05*0.95/leagues))
		t.Logf("%d seats: %.3f", seats, rate)
	}
}
