package league

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/league/rating"
	"croupier/messages"
)

// resultWith makes a result of a three-seat game in which every set of the focal
// agent a had the given share, alternately more and less by spread.
func resultWith(m *messages.Match, a, b, spread float64) *messages.Result {
	lineup := func(share float64) *messages.Lineup {
		n := float64(m.Sets)
		return &messages.Lineup{
			Sets: uint64(m.Sets), Games: 3 * uint64(m.Sets), ShareSum: n * share,
			ShareSquares:     n * (share*share + spread*spread),
			GameShareSquares: 3 * n * share, ReturnSquares: n * spread,
		}
	}
	return &messages.Result{Schema: 1, Run: m.Run, Match: m, OneA: lineup(a), OneB: lineup(b)}
}

// gateWorld is a core with main@1, which is best, and as many members after it.
func gateWorld(t *testing.T, members uint64) *world {
	config := testConfig()
	config.GateSets, config.GateMaxSets, config.GateGain = 50, 100, 0.2
	config.ReferenceSets, config.FinalSets = 100, 200
	w := newWorld(t, config, 3, 1)
	w.core.references = []string{"random"}
	for order := uint64(1); order <= members; order++ {
		w.members = append(w.members, &messages.Member{Name: messages.MemberName("main", order), Order: order})
		w.step(memberKnown{w.members[order-1]})
	}
	w.step(caughtUp{})
	require.Equal(t, "main@1", w.core.best)
	return w
}

// met enters sets of two agents in which the focal one had that share.
func (w *world) met(focal, other string, share float64, sets rating.Span) {
	k := rating.NewKey(focal, other)
	a, b := share, 1.0/3
	if k.A != focal {
		a, b = b, a
	}
	w.results = append(w.results, resultWith(w.core.Match(k, sets, 0), a, b, 0.25))
	w.core.trusting = true
	w.step(arrival(uint64(len(w.results)), w.results[len(w.results)-1]))
}

// tried are the sets for the gate with these numbers.
func tried(first, end uint64) rating.Span {
	return rating.Span{First: rating.FirstGateSet + first, End: rating.FirstGateSet + end}
}

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		againstBest       float64
		random, bestOther float64 // main@2's and main@1's share among random
		sets              uint64  // against random
		want              string
	}{
		"stronger":                             {0.45, 0.6, 0.6, 100, "main@2"},
		"not clearly stronger":                 {0.36, 0.6, 0.6, 100, "main@1"},
		"weaker":                               {0.2, 0.6, 0.6, 100, "main@1"},
		"stronger, a set of random is missing": {0.45, 0.6, 0.6, 99, "main@1"},
		"stronger, no longer beats random":     {0.45, 0.36, 0.7, 100, "main@1"},
		"stronger, beats random by less":       {0.45, 0.5, 0.7, 100, "main@2"},
		"stronger, insignificantly worse":      {0.45, 0.6, 0.62, 100, "main@2"},
	} {
		w := gateWorld(t, 2)
		w.met("main@2", "main@1", c.againstBest, tried(0, 50))
		w.met("main@2", "main@1", c.againstBest, tried(50, 100))
		w.met("main@1", "random", c.bestOther, rating.Span{First: 0, End: 100})
		w.met("main@2", "random", c.random, rating.Span{First: 0, End: c.sets})
		require.Equal(t, c.want, w.core.best, name)
	}
}

// An agent that learns against fixed opponents need not beat the best: it becomes best unless it makes less of a
// reference that it does not beat, or of an opponent.
func TestGateAgainstFixedOpponents(t *testing.T) {
	for name, c := range map[string]struct {
		opponent string
		shares   [2]float64 // main@1's and main@2's among random
		want     string
	}{
		"as good":                       {"random", [2]float64{0.6, 0.6}, "main@2"},
		"better":                        {"random", [2]float64{0.6, 0.7}, "main@2"},
		"worse, beats it":               {"random", [2]float64{0.7, 0.5}, "main@1"},
		"worse against another, beaten": {"caller", [2]float64{0.7, 0.5}, "main@2"},
		"worse against another":         {"caller", [2]float64{0.7, 0.36}, "main@1"},
	} {
		w := gateWorld(t, 2)
		w.core.config.Opponents = []string{c.opponent}
		w.met("main@1", "random", c.shares[0], rating.Span{First: 0, End: 100})
		w.met("main@2", "random", c.shares[1], rating.Span{First: 0, End: 99})
		w.tick()
		require.Equal(t, "main@1", w.core.best, "%s: a set is missing", name)
		w.met("main@2", "random", c.shares[1], rating.Span{First: 99, End: 100})
		w.met("main@1", "random", c.shares[0], rating.Span{First: 100, End: 200})
		w.met("main@2", "random", c.shares[1], rating.Span{First: 100, End: 200})
		w.tick()
		require.Equal(t, c.want, w.core.best, name)
		require.Nil(t, w.core.candidate(), name)
		for _, m := range w.core.outstanding {
			require.Less(t, m.sets.First, uint64(rating.FirstGateSet), "%s: sets for the gate", name)
		}
		if c.want == "main@2" {
			p := w.promoted[len(w.promoted)-1]
			require.Equal(t, "main@1", p.Over, name)
			require.Nil(t, p.Gate, name)
			require.Equal(t, "random", p.References[0].Name, name)
		}
	}
}

// There, too, a candidate that comes later waits until it is known what the candidate makes of the references.
func TestCandidateAgainstFixedOpponents(t *testing.T) {
	w := gateWorld(t, 3)
	w.core.config.Opponents = []string{"random"}
	w.core.outstanding = map[string]issued{}
	w.met("main@1", "random", 0.5, rating.Span{First: 0, End: 100})
	require.Equal(t, "main@3", w.core.candidate().GetName(), "nobody has begun")
	w.core.outstanding = map[string]issued{}
	w.met("main@2", "random", 0.5, rating.Span{First: 0, End: 50})
	require.Equal(t, "main@2", w.core.candidate().GetName())
	w.met("main@2", "random", 0.5, rating.Span{First: 50, End: 100})
	require.Equal(t, "main@2", w.core.best)
	require.Equal(t, "main@3", w.core.candidate().GetName())
}

// A version that seems to have regressed plays on, until it is sure.
func TestSuspicionOfRegression(t *testing.T) {
	for share, want := range map[float64]rating.Verdict{0.36: rating.Failed, 0.6: rating.Passed} {
		w := gateWorld(t, 2)
		w.met("main@2", "main@1", 0.45, tried(0, 50))
		w.met("main@1", "random", 0.5, rating.Span{First: 0, End: 100})
		w.met("main@2", "random", 0.36, rating.Span{First: 0, End: 100})
		require.Equal(t, rating.Undecided, w.core.gateOf("main@2", "main@1"))
		require.Len(t, w.core.suspects(), 2)
		require.Equal(t, "main@2", w.core.candidate().GetName())
		w.met("main@1", "random", 0.5, rating.Span{First: 100, End: 200})
		w.met("main@2", "random", share, rating.Span{First: 100, End: 200})
		require.Equal(t, want, w.core.gateOf("main@2", "main@1"))
		require.Nil(t, w.core.candidate())
	}
}

// What has been best is not unmade by sets of an older member that arrive late.
func TestLateSetsUnmakeNoPromotion(t *testing.T) {
	w := gateWorld(t, 3)
	for _, name := range []string{"main@1", "main@2", "main@3"} {
		w.met(name, "random", 0.6, rating.Span{First: 0, End: 100})
	}
	w.met("main@2", "main@1", 0.6, tried(10, 60))
	w.met("main@3", "main@1", 0.6, tried(0, 50))
	require.Equal(t, "main@3", w.core.best)
	w.met("main@2", "main@1", 0.6, tried(0, 10)) // the ten late sets
	w.tick()
	require.Equal(t, "main@3", w.core.best)
	require.Equal(t, []string{"main@1", "main@3"}, w.bests)

	again := newTestCore(w.core.config, 3, false)
	again.references = w.core.references
	ladder := replay(t, again, w.members, w.promoted, w.results, 1)
	require.Equal(t, document(t, w.ladder), document(t, ladder))
	require.Equal(t, "main@3", again.best)
}

// A promotion reports why it was made, and the sets that decided are not quoted.
func TestPromotionsHaveTheirEvidence(t *testing.T) {
	w := gateWorld(t, 2)
	w.met("main@2", "random", 0.6, rating.Span{First: 0, End: 100})
	w.met("main@1", "random", 0.5, rating.Span{First: 0, End: 100})
	w.met("main@2", "main@1", 0.45, tried(0, 50))
	w.tick()
	require.Len(t, w.promoted, 2)
	require.Nil(t, w.promoted[0].Gate)
	p := w.promoted[1]
	require.Equal(t, [2]string{"main@2", "main@1"}, [2]string{p.Agent, p.Over})
	require.EqualValues(t, 2, p.Number)
	require.EqualValues(t, 3, p.Result, "the last result that was known")
	require.EqualValues(t, 50, p.Gate.Sets)
	require.EqualValues(t, 300, p.Gate.Games, "50 sets of 3 games in 2 lineups")
	require.Equal(t, rating.NewKey("main@1", "main@2").Base()+rating.FirstGateSet, p.Gate.FirstSet)
	require.InDelta(t, 0.45-1.0/3, p.Gate.Outcome.Value, 1e-6)
	require.GreaterOrEqual(t, p.Gate.Evidence, p.Gate.Threshold)
	require.Equal(t, []float64{0.2, 0.05}, []float64{p.Gate.MinimumGain, p.Gate.Error})
	require.Len(t, p.References, 1)
	require.InDelta(t, 0.6-1.0/3, p.References[0].Agent.Value, 1e-6)
	require.InDelta(t, 0.5-1.0/3, p.References[0].Before.Value, 1e-6)

	require.Empty(t, w.ladder.Payoff[0].Games%300, "only games against random")
	require.Len(t, w.ladder.Promotions, 2)
	require.Nil(t, w.ladder.Promotions[1].Gain, "nothing but the sets that decided")
	w.met("main@2", "main@1", 0.4, rating.Span{First: 0, End: 50})
	w.tick()
	gain := w.ladder.Promotions[1].Gain
	require.EqualValues(t, 300, gain.Games)
	require.InDelta(t, rating.EloPerNat*0.2877, gain.Value, 1, "a share of 0.4 are odds of 4 to 3 against each")
	require.Less(t, gain.Low, gain.Value)
	require.Less(t, gain.Value, gain.High)
}

// After a promotion, what it gained is measured again, at least for as long as it took to
// decide.
func TestGainIsMeasuredAfterwards(t *testing.T) {
	w := newWorld(t, testConfig(), 3, 2)
	w.step(caughtUp{})
	for range 12 {
		w.learn(400)
		w.playAll()
	}
	require.Greater(t, len(w.promoted), 2)
	for i, p := range w.promoted[1:] {
		gain := w.ladder.Promotions[i+1].Gain
		require.NotNil(t, gain)
		require.GreaterOrEqual(t, gain.Games, 6*p.Gate.Sets)
	}
}

// A version at the gate stays there until it is decided, and the next version is frozen only then, unless that takes
// too long. The early ones are followed at once.
func TestCandidateIsNotDisplaced(t *testing.T) {
	config := testConfig()
	config.GateSets, config.GateMaxSets = 1000, 1000
	w := newWorld(t, config, 3, 2)
	w.step(caughtUp{})
	w.learn(0)
	for order := uint64(1); order < earlyMembers; order++ {
		w.playAll()
		w.learn(config.freezeGap(order))
		require.Len(t, w.members, int(order+1))
	}
	last, best := messages.MemberName("main", earlyMembers), w.core.best
	for range 200 {
		w.tick()
		w.play(0)
	}
	require.EqualValues(t, earlyMembers, w.core.reported)
	require.Equal(t, last, w.core.candidate().GetName())
	w.learn(4*config.FreezeUpdates - 1)
	require.Len(t, w.members, earlyMembers, "waiting for the gate")
	w.learn(1)
	require.Len(t, w.members, earlyMembers+1, "not for ever")
	require.Equal(t, last, w.core.candidate().GetName(), "whoever is at the gate stays there")
	w.playAll()
	require.Nil(t, w.core.candidate())
	require.NotEqual(t, rating.Undecided, w.core.testOf(last, best))
}

// An early version is followed as soon as it has met every reference, though it is at the gate.
func TestEarlyVersionsAreFollowedAtOnce(t *testing.T) {
	config := testConfig()
	w := newWorld(t, config, 3, 2)
	w.step(caughtUp{})
	w.learn(0)
	w.playAll()
	w.learn(config.freezeGap(1))
	require.Equal(t, "main@2", w.core.candidate().GetName())
	w.learn(config.freezeGap(2))
	for range 2 * int(config.MatchSets) * len(w.core.references) {
		if len(w.members) == 3 {
			break
		}
		w.tick()
		w.play(0)
	}
	require.Len(t, w.members, 3)
	require.Less(t, w.core.Focal("main@2", "random").Sets, config.ReferenceSets)
	require.True(t, w.core.measured("main@2", config.MatchSets))
}

func TestNoPromotionWithoutMembers(t *testing.T) {
	require.Nil(t, newTestCore(testConfig(), 3, false).nextPromotion())
}

// A promotion that could not be recorded is tried again at the next tick, and not twice at
// the same time.
func TestPromotionThatFails(t *testing.T) {
	c := newTestCore(testConfig(), 3, false)
	mustStep(t, c, caughtUp{})
	first := mustStep(t, c, memberKnown{&messages.Member{Name: "main@1", Order: 1}})
	require.IsType(t, promote{}, first[0])
	require.Empty(t, mustStep(t, c, pointerMoved{}), "one attempt at a time")
	require.Empty(t, mustStep(t, c, promotionFailed{}))
	effects := mustStep(t, c, tick{1})
	require.Contains(t, effects, first[0])
	p := first[0].(promote).promotion
	require.Contains(t, mustStep(t, c, promotionKnown{p}), moveBest{to: "main@1"})
	require.Empty(t, mustStep(t, c, promotionKnown{p}))
	require.Equal(t, "main@1", c.best)
	require.Len(t, c.promotions, 1)
}
