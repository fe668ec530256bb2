package sweep

import (
	"math"
	"os"
	"slices"
	"testing"

	"croupier/games/pig"
	"croupier/games/standard"
	"croupier/league/tournament"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/messages"
	"croupier/messages/curves"
	"croupier/settings"
)

// A curve that falls from 3 to 1 between 1 s and 3 s, and is level outside.
var falling = []Point{{1, 3}, {2, 2}, {3, 1}}

func TestArea(t *testing.T) {
	require.InDelta(t, (3+4+1)/4.0, area(falling, 4), 1e-12)
	require.InDelta(t, 3, area(falling[:1], 10), 1e-12)
	require.InDelta(t, (3+2.5)/2, area(falling, 2), 1e-12, "what is behind the end does not count")
	require.True(t, math.IsNaN(area(nil, 4)))
}

func TestCrossing(t *testing.T) {
	require.InDelta(t, 2.5, crossing(falling, 1.5, true), 1e-12)
	require.InDelta(t, 1, crossing(falling, 3, true), 1e-12)
	require.True(t, math.IsNaN(crossing(falling, 0.5, true)))
	require.InDelta(t, 1, crossing(falling, 1.5, false), 1e-12, "it begins above")
	require.True(t, math.IsNaN(crossing(nil, 1, true)))
}

func TestSummary(t *testing.T) {
	level := 1.5
	for _, test := range []struct {
		objective Objective
		budget    float64
		want      float64
		reached   bool
		smaller   bool
	}{
		{Objective{Measure: Exploitability, Summary: End}, 4, 7, true, true},
		{Objective{Measure: Return, Summary: End}, 4, 7, true, false},
		{Objective{Measure: Exploitability, Summary: End, Curve: "rating/newest"}, 4, 7, true, true},
		{Objective{Measure: Exploitability, Summary: Area, Curve: Exploitability}, 4, 2, true, true},
		{Objective{Measure: Exploitability, Summary: Threshold, Threshold: &level, Curve: Exploitability}, 4, 2.5, true,
			true},
		{Objective{Measure: Exploitability, Summary: Threshold, Threshold: &level, Curve: Exploitability}, 2, 2, false, true},
		{Objective{Measure: Rating, Summary: Threshold, Threshold: &level, Curve: "rating/newest"}, 4, 1, true, true},
		// The direction is the curve's, whatever is measured at the end.
		{Objective{Measure: Exploitability, Summary: Area, Curve: "rating/newest"}, 4, 2, true, false},
		{Objective{Measure: Exploitability, Summary: Threshold, Threshold: &level, Curve: "rating/newest"}, 4, 1, true, true},
		{Objective{Measure: Return, Summary: Area, Curve: "exploitability/dealer"}, 4, 2, true, true},
		{Objective{Measure: Rating, Summary: Threshold, Threshold: &level, Curve: "value_loss"}, 4, 2.5, true, true},
	} {
		value, reached := test.objective.summary(falling, 7, test.budget)
		require.InDelta(t, test.want, value, 1e-12)
		require.Equal(t, test.reached, reached)
		require.Equal(t, test.smaller, test.objective.smaller())
	}
}

func TestPlayByDefault(t *testing.T) {
	for objective, want := range map[string]string{
		"measure: exploitability": Sampled, "measure: rating, opponents: [random]": Sampled,
		"measure: exploiter, budget: 1s":                Best,
		"measure: exploiter, budget: 1s, play: sampled": Sampled, "measure: return, opponents: [random], play: best": Best,
	} {
		f, err := Parse(standard.Games, []byte("game: kuhn\nbudget: 1s\nobjective: {"+objective+"}\n"))
		require.NoError(t, err)
		require.Equal(t, want, f.Objective.Play, objective)
	}
}

// The same weights, sampled, and greedily as networks of Pig play best: each is what a tournament of the agent so named
// says.
func TestPlay(t *testing.T) {
	config, err := settings.Default(standard.Games, "pig")
	require.NoError(t, err)
	game, err := config.Build()
	require.NoError(t, err)
	t.Chdir(t.TempDir()) // what is played depends on the agents' names, so the path is the same every time
	path := "pig.safetensors"
	require.NoError(t, os.WriteFile(path, pig.Entry.Network, 0o600))
	values := map[string]float64{}
	for play, name := range map[string]string{Sampled: "file:" + path, Best: "greedy:file:" + path} {
		o := Objective{Measure: Return, Play: play, Opponents: []string{"hold(20)"}, Games: 200}
		got, err := o.measure(t.Context(), config, game, nil, path, 1)
		require.NoError(t, err)
		tournament := agents.Tournament{Game: game, Format: tournament.Gauntlet{First: 1}, Games: 200, Seed: config.Seed,
			Workers: 1}
		ladder, _, err := tournament.Play(t.Context(), agentsOf(standard.Games, game), []string{name, "hold(20)"})
		require.NoError(t, err)
		i := slices.IndexFunc(ladder.Payoff, func(p messages.Payoff) bool { return p.A == name })
		require.Equal(t, ladder.Payoff[i].MeanReturnA, got.value, play)
		values[play] = got.value
	}
	require.NotEqual(t, values[Sampled], values[Best])
}

// Curves have training time on their axis; the clock knows what processor time that was.
func TestClock(t *testing.T) {
	c := &clock{ticks: []tick{{1, 2}, {2, 6}, {4, 7}}}
	for seconds, want := range map[float64]float64{0: 0, 0.5: 1, 1: 2, 1.5: 4, 2: 6, 3: 6.5, 4: 7, 9: 7} {
		require.InDelta(t, want, c.at(seconds), 1e-12, "%v s", seconds)
	}
	record := func(seconds, value float64) curves.Entry {
		return curves.Entry{Points: &messages.Points{Seconds: seconds, Points: []*messages.Point{
			{Series: "entropy", Value: 9}, {Series: Exploitability, Value: value},
		}}}
	}
	require.Equal(t, []Point{{2, 3}, {7, 1}}, c.curve([]curves.Entry{record(4, 1), record(1, 3)}, Exploitability))
}

func TestThinned(t *testing.T) {
	long := make([]Point, 1000)
	for i := range long {
		long[i] = Point{float64(i), 0}
	}
	short := thinned(long)
	require.Len(t, short, maxPoints)
	require.Equal(t, long[0], short[0])
	require.Equal(t, long[999], short[maxPoints-1])
	require.Len(t, thinned(falling), 3)
}
