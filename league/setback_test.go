package league

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// tries has the gate try members of gateWorld, from the first on, with these shares of the win where 1/3 is an equal's.
func (w *world) tries(first int, shares ...float64) {
	for i, share := range shares {
		w.met(messages.MemberName("main", uint64(first+i)), "main@1", share, tried(0, 50))
		w.met(messages.MemberName("main", uint64(first+i)), "main@1", share, tried(50, 100))
	}
	w.tick()
}

func TestSetback(t *testing.T) {
	for name, c := range map[string]struct {
		shares []float64
		want   []string // the weaker versions; none: no setback
	}{
		"all weaker":                  {[]float64{0.15, 0.15, 0.15}, []string{"main@2", "main@3", "main@4"}},
		"only two":                    {[]float64{0.15, 0.15}, nil},
		"one in between was no worse": {[]float64{0.15, 0.15, 0.33, 0.15, 0.15}, nil},
		"after one that was no worse": {[]float64{0.33, 0.15, 0.1, 0.05}, []string{"main@3", "main@4", "main@5"}},
		"a little weaker":             {[]float64{0.3, 0.3, 0.3, 0.3}, nil},
	} {
		w := gateWorld(t, 6)
		w.tries(2, c.shares...)
		if c.want == nil {
			require.Empty(t, w.setbacks, name)
			continue
		}
		require.Len(t, w.setbacks, 1, name)
		s := w.setbacks[0]
		require.Equal(t, []any{"main@1", uint64(1), 1}, []any{s.Best, s.Number, s.Again}, name)
		var weaker []string
		for _, x := range s.Weaker {
			weaker = append(weaker, x.Agent)
			require.Less(t, x.Gain, -0.5, name)
		}
		require.Equal(t, c.want, weaker, name)
		require.GreaterOrEqual(t, s.Evidence, s.Threshold, name)
		w.tick()
		require.Len(t, w.setbacks, 1, "told once: %s", name)
	}
}

// An agent that learns against fixed opponents may well lose to what it was.
func TestNoSetbackAgainstFixedOpponents(t *testing.T) {
	w := gateWorld(t, 6)
	w.core.config.Opponents = []string{"random"}
	w.tries(2, 0.15, 0.15, 0.15)
	require.Empty(t, w.setbacks)
}

// What was found weaker before the learner went back is no reason to go back again, also for a league
// that starts again; what comes after it is.
func TestSetbackAgain(t *testing.T) {
	w := gateWorld(t, 7)
	w.tries(2, 0.15, 0.15, 0.15)
	require.Len(t, w.setbacks, 1)
	for _, m := range w.members[4:] {
		m.Setbacks = 1
	}
	w.core.pointers["main"] = &messages.Pointer{Setbacks: 1}
	w.tries(5, 0.15, 0.15)
	require.Len(t, w.setbacks, 1)
	w.core.finishing = true
	w.tries(7, 0.15)
	require.Len(t, w.setbacks, 1, "nobody trains any more")
	w.core.finishing = false
	w.tick()
	require.Len(t, w.setbacks, 2)
	require.Equal(t, []any{uint64(2), 2}, []any{w.setbacks[1].Number, w.setbacks[1].Again})

	w.core.setback = nil // the broker has lost it, and the learner knows better
	w.core.pointer().Setbacks = 2
	w.tick()
	require.Len(t, w.setbacks, 2)
	require.Equal(t, uint64(2), w.core.setbacks())
	w.core.config.SetbackLoss = 0
	w.core.pointer().Setbacks = 0
	w.tick()
	require.Len(t, w.setbacks, 2, "switched off")
}

// TestSetbackErrs measures how often three versions are found to be weaker that are not, with an error that can be
// measured, and how often three that are weaker by setback_loss are, with the usual one. The returns have a long
// tail: a version that mostly loses a little and rarely wins much is no weaker.
func TestSetbackErrs(t *testing.T) {
	const runs = 300
	rng := engine.NewRNG(7, 0)
	alarms := func(config Config, mean, sign float64) (share float64) {
		for range runs {
			c := newCore(coreOptions{spec: ratingtest.MoneySpec(2), config: config, kind: ratingtest.Kind})
			for order := uint64(1); order <= declining+1; order++ {
				c.join(&messages.Member{Name: messages.MemberName("main", order), Order: order})
			}
			c.best = "main@1"
			for order := uint64(2); order <= declining+1; order++ {
				p := c.Pair(c.player(c.members[order-1]), c.best)
				p.Trial = &rating.Trial{}
				for p.Trial.Verdict == rating.Undecided {
					gain := sign*(-math.Log(1-rng.Float64())-1) + mean
					p.Trial.Seen.Add(rating.NewSums(&messages.Result{OneA: &messages.Lineup{
						Sets: 1, ReturnSum: -gain * c.Spec.MaxReturn, ReturnSquares: gain * gain * c.Spec.MaxReturn * c.Spec.MaxReturn,
					}}, c.Spec))
					p.Trial.Verdict = c.Gate.Judge(p.Trial.Seen.Sets, c.Seen(p).Gain())
				}
				c.Pairs[p.Key] = p
			}
			if c.nextSetback() != nil {
				share += 1.0 / runs
			}
		}
		return share
	}
	often := DefaultConfig()
	often.SetbackError, often.GateMaxSets = 0.05, 500
	for _, sign := range []float64{-1, 1} {
		require.Less(t, alarms(often, 0, sign), often.SetbackError+3*math.Sqrt(often.SetbackError/runs))
		require.Greater(t, alarms(DefaultConfig(), -DefaultConfig().SetbackLoss, sign), 0.75)
		require.Greater(t, alarms(DefaultConfig(), -1.5*DefaultConfig().SetbackLoss, sign), 0.95)
	}
}

// A setback is put down once: a league whose answer was lost reads its own, one that starts again has it from the
// broker, and what cannot be read is left alone.
func TestSetbackOnTheBroker(t *testing.T) {
	inCluster(t, func(c *cluster) {
		s := &messages.Setback{
			Number: 1, Best: "main@2", Object: messages.MemberObjects + "main@2", SHA256: strings.Repeat("ab", 32), Again: 1,
			Weaker: []messages.Weakness{{Agent: "main@3", Sets: 50, Gain: -0.3}}, Evidence: 8, Threshold: 7, Loss: 0.2,
			Error: 0.001,
		}
		first, err := New(c.options())
		require.NoError(t, err)
		require.NoError(t, first.setBack(c.t.Context(), s))
		require.Equal(t, s, first.core.setback)

		second, err := New(c.options())
		require.NoError(t, err)
		other := *s
		other.Again = 7
		require.NoError(t, second.setBack(c.t.Context(), &other))
		require.Equal(t, s, second.core.setback, "the first one's stands")
		require.NoError(t, second.setBack(c.t.Context(), &other), "it knows the revision now")
		require.Equal(t, 7, second.core.setback.Again)

		third, err := New(c.options())
		require.NoError(t, err)
		require.NoError(t, third.readSetback(c.t.Context()))
		require.Equal(t, second.core.setback, third.core.setback)
		_, err = c.bus.State().Put(c.t.Context(), messages.SetbackKey, []byte("{"))
		require.NoError(t, err)
		require.NoError(t, third.readSetback(c.t.Context()))
		require.Equal(t, second.core.setback, third.core.setback)
		require.Contains(t, c.log.String(), "setback refused")
	})
}
