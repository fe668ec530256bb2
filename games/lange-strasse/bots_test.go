package langestrasse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func bot(t require.TestingT, name string) engine.Bot {
	b, err := (&Game{sharedTables()}).Bots().New(name)
	require.NoError(t, err)
	return b
}

// choice returns what the bot does with the roll, by its name for people.
func choice(t *testing.T, name string, rolled ...uint8) string {
	t.Helper()
	s := newState(t)
	throw(t, s, rolled...)
	return s.ActionName(bot(t, name).Choose(s, s.LegalActions(nil), nil))
}

func TestThresholdBots(t *testing.T) {
	for _, test := range []struct {
		bot    string
		rolled []uint8
		want   string
	}{
		{"greedy-stop", []uint8{1, 2, 3, 4, 5, 6}, "Lange Strasse"},
		{"greedy-stop", []uint8{1, 1, 5, 5, 6, 6}, "Talheim"},
		{"greedy-stop", []uint8{1, 5, 2, 3, 4, 4}, "keep 1-5, roll"},
		{"greedy-stop", []uint8{1, 5, 3, 3, 3, 4}, "keep 1-3-3-3-5, stop"},
		{"greedy-stop", []uint8{1, 1, 1, 3, 3, 3}, "keep 1-1-1-3-3-3, roll"},
		{"threshold(450)", []uint8{1, 5, 3, 3, 3, 4}, "keep 1-3-3-3-5, stop"},
		{"threshold(450.5)", []uint8{1, 5, 3, 3, 3, 4}, "keep 1-3-3-3-5, roll"},
		{"threshold(9000)", []uint8{1, 2, 3, 4, 5, 6}, "Lange Strasse"},
	} {
		require.Equal(t, test.want, choice(t, test.bot, test.rolled...), "%s, %v", test.bot, test.rolled)
	}
}

func TestThresholdCountsFinishedSets(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 1, 3, 3, 3)
	keep(t, s, 1, 1, 1, 3, 3, 3)
	throw(t, s, 1, 5, 3, 3, 3, 4)
	legal := s.LegalActions(nil)
	require.Equal(t, 1, bot(t, "threshold(1750)").Choose(s, legal, nil)%2)
	require.Equal(t, 0, bot(t, "threshold(1800)").Choose(s, legal, nil)%2)
}

func TestBotNames(t *testing.T) {
	g := &Game{sharedTables()}
	for _, name := range []string{"threshold", "threshold(1,2)", "greedy-stop(3)", "turn-optimum(1)", "nobody", "",
		"random"} {
		_, err := g.Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}

// playTurns plays first turns with the bot and returns mean points and strich rate.
func playTurns(t require.TestingT, name string, turns int) (points, strich float64) {
	s, b, rng := newState(t), bot(t, name), engine.NewRNG(7, engine.ChanceStream)
	play := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int { return b.Choose(s, legal, rng) }}
	for range turns {
		for s.Reset(); s.standing.Seat == 0; {
			_, err := play.Step()
			require.NoError(t, err)
		}
		points += float64(s.standing.Points[0])
		strich += float64(s.standing.Strich)
	}
	return points / float64(turns), strich / float64(turns)
}

func TestOptimumMakesWhatItPromises(t *testing.T) {
	const turns = 200_000
	promised := TurnOptimum().values[0][0]
	points, strich := playTurns(t, "turn-optimum", turns)
	t.Logf("turn-optimum: exactly %.4f points, strich %.4f; simulated %.1f, %.4f", promised.points, promised.strich,
		points, strich)
	require.InDelta(t, promised.points, points, 9)     // 5.2 standard deviations
	require.InDelta(t, promised.strich, strich, 0.006) // 5.6
	for _, other := range []string{"greedy-stop", "threshold(300)", "threshold(500)", "threshold(700)",
		"threshold(1000)"} {
		points, strich := playTurns(t, other, turns/4)
		t.Logf("%s: simulated %.1f points, strich %.4f", other, points, strich)
		require.Less(t, points, promised.points)
	}
}
