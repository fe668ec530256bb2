package league

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/league/rating"
	"croupier/messages"
)

// measuredWorld is a gateWorld in which what versions can lose is measured; main@1 can lose that.
func measuredWorld(t *testing.T, members uint64, loss float64) *world {
	w := gateWorld(t, members)
	w.core.evaluates = true
	w.step(evaluated{1, loss})
	return w
}

// beats enters the sets in which a member beats the best, and in which both beat random.
func (w *world) beats(member string) {
	w.met(member, w.core.best, 0.45, tried(0, 50))
	w.met(member, w.core.best, 0.45, tried(50, 100))
	w.met(w.core.best, "random", 0.6, rating.Span{First: 0, End: 100})
	w.met(member, "random", 0.6, rating.Span{First: 0, End: 100})
}

// Once exploitability fell to 0.244 and rose to 0.375, while each version beat the one before (Liar's Dice).
func TestWhoCanLoseClearlyMoreIsNotPromoted(t *testing.T) {
	for name, c := range map[string]struct {
		best, candidate float64
		want            string
	}{
		"clearly more":         {0.244, 0.375, "main@1"},
		"hardly more":          {0.244, 0.26, "main@2"},
		"less":                 {0.375, 0.244, "main@2"},
		"cannot be measured":   {0.244, math.NaN(), "main@2"},
		"the best cannot be":   {math.NaN(), 0.375, "main@2"},
		"nothing is left":      {0, 0, "main@2"},
		"an equilibrium keeps": {0, 0.1, "main@1"},
	} {
		w := measuredWorld(t, 2, c.best)
		w.beats("main@2")
		require.Equal(t, "main@1", w.core.best, "%s: before it is measured", name)
		w.step(evaluated{2, c.candidate})
		require.Equal(t, c.want, w.core.best, name)
		w.tick()
		held := w.ladder.HeldBack
		require.Equal(t, c.want == "main@1", held != nil, name)
		if c.want == "main@2" {
			require.Equal(t, w.core.known("main@2"), w.promoted[1].Exploitability)
			require.Equal(t, w.core.known("main@2"), w.ladder.Promotions[1].Exploitability)
		}
	}
}

// What a version can lose is exact: one that can lose clearly less needs no sets against the best, from whom it cannot
// be distinguished where both draw.
func TestWhoCanLoseClearlyLessIsPromoted(t *testing.T) {
	for name, c := range map[string]struct {
		best, candidate float64
		want            string
	}{
		"an equilibrium":       {0.5, 0, "main@2"},
		"clearly less":         {0.5, 0.45, "main@2"},
		"hardly less":          {0.5, 0.46, "main@1"},
		"both equilibria":      {0, 0, "main@1"},
		"cannot be measured":   {0.5, math.NaN(), "main@1"},
		"the best cannot be":   {math.NaN(), 0, "main@1"},
		"more than an optimum": {0, 0.1, "main@1"},
	} {
		w := measuredWorld(t, 2, c.best)
		w.step(evaluated{2, c.candidate})
		require.Equal(t, "main@1", w.core.best, "%s: before it has met the references", name)
		w.met("main@1", "random", 0.6, rating.Span{First: 0, End: 100})
		w.met("main@2", "random", 0.6, rating.Span{First: 0, End: 100})
		w.tick()
		require.Equal(t, c.want, w.core.best, name)
		if c.want == "main@2" {
			require.Nil(t, w.promoted[1].Gate, "no sets have decided")
			require.Equal(t, c.best, *w.promoted[1].ExploitabilityBefore)
			require.False(t, w.core.gainKnown())
			w.met("main@2", "main@1", 0.5, rating.Span{First: 0, End: w.core.config.ReferenceSets})
			require.True(t, w.core.gainKnown())
		}
	}
}

func TestHeldBackIsSaidWithItsReason(t *testing.T) {
	w := measuredWorld(t, 3, 0.244)
	w.beats("main@2")
	w.step(evaluated{2, 0.375})
	w.tick()
	require.Equal(t, &messages.HeldBack{Agent: "main@2", Over: "main@1", Exploitability: 0.375,
		ExploitabilityOfBest: 0.244},
		w.ladder.HeldBack)
	var text bytes.Buffer
	require.NoError(t, rating.Render(&text, w.ladder, rating.Style{}))
	require.Contains(t, text.String(),
		"main@2 beats main@1 but does not become best: an opponent that knows it wins 0.375 a game, "+
			"of main@1 only 0.244\n")

	w.beats("main@3") // the next one is not kept from it
	w.step(evaluated{3, 0.2})
	w.tick()
	require.Equal(t, "main@3", w.core.best)
	require.Nil(t, w.ladder.HeldBack)
	require.Equal(t, 0.2, *w.promoted[1].Exploitability)
	require.Equal(t, 0.244, *w.promoted[1].ExploitabilityBefore)
}

// An agent that learns to make the most of fixed opponents may be open to others.
func TestLossesThatTheGateDoesNotAskFor(t *testing.T) {
	w := measuredWorld(t, 2, 0.1)
	require.True(t, w.core.heedsLosses())
	w.core.config.Opponents = []string{"random"}
	require.False(t, w.core.heedsLosses())
}

// A league that starts measures the best again, and who has beaten it, without a second point of the curve.
func TestLossesAreMeasuredAgain(t *testing.T) {
	w := gateWorld(t, 3)
	w.core.evaluates, w.core.evaluated = true, 3
	require.Equal(t, w.members[0], w.core.nextEvaluation())
	w.step(evaluated{1, 0.244})
	require.Nil(t, w.core.nextEvaluation())
	w.beats("main@2")
	w.core.evaluating = false
	require.Equal(t, w.members[1], w.core.nextEvaluation())
	w.step(evaluated{2, 0.375})
	require.Equal(t, "main@1", w.core.best)
	require.Nil(t, w.core.nextEvaluation())
}

func TestWhyThereIsNoCurveIsOnTheLadder(t *testing.T) {
	inCluster(t, func(c *cluster) {
		o := c.options()
		o.Unmeasured = "the tree of game has more than 100 nodes"
		c.startActor()
		c.start(o)
		time.Sleep(2 * time.Second)
		require.Equal(t, o.Unmeasured, c.ladder().NoExploitability)
	})
}

// A league that is started again has the same best and holds the same version back.
func TestHeldBackOutlivesTheLeague(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.evaluate = func(context.Context, []byte) (map[string]float64, error) {
			return map[string]float64{Exploitability: 0.1}, nil
		}
		c.startActor()
		stop := c.start(c.options())
		c.learn()
		time.Sleep(5 * time.Second)
		best, found := c.ladder().Best()
		require.True(t, found)
		require.NoError(t, stop())
		before := len(c.curves(Exploitability))
		stop = c.start(c.options())
		time.Sleep(5 * time.Second)
		again, found := c.ladder().Best()
		require.True(t, found)
		require.Equal(t, best.Exploitability, again.Exploitability)
		require.Len(t, c.curves(Exploitability), before)
		require.NoError(t, stop())
	})
}
