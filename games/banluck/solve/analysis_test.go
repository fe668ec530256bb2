package solve

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/policy"
)

func TestStudyOfTheUsualRules(t *testing.T) {
	s := usualStudy(t)
	require.Len(t, s.Baselines, 4)
	require.Equal(t, s.WithReveal.EV, s.WithoutReveal.EV)

	total, mean := 0.0, 0.0
	for _, r := range s.Equilibrium.Results {
		total += r.Probability
		mean += r.Probability * float64(r.Units)
	}
	require.InDelta(t, 1, total, 1e-9)
	require.InDelta(t, s.Equilibrium.EV, mean, 1e-9)

	saved := s.Saved()
	require.InDelta(t, 1, saved.Loses+saved.Pushes+saved.Wins, 1e-9)
	require.Negative(t, saved.EV)
	require.LessOrEqual(t, s.WithoutSurrender.EV-s.Equilibrium.EV, -saved.EV*s.Hard15+1e-9,
		"the player could do better without surrender")
	require.Greater(t, s.WithoutSurrender.EV-s.Equilibrium.EV, 0.9*-saved.EV*s.Hard15)
}

// TestBasicIsTheBot plays the game's own bot.
func TestBasicIsTheBot(t *testing.T) {
	s := usualStudy(t)
	bot, err := s.Game.Bots().New("basic")
	require.NoError(t, err)
	seats := func() []policy.Policy { return []policy.Policy{policy.Bot(bot), s.Equilibrium.Policy()} }
	played, err := Simulate(context.Background(), s.Game, seats, nightly.Cases(few, 500_000), 4)
	require.NoError(t, err)
	basic := s.Basic()
	require.True(t, played[0].Contains(basic.EV, 2), "%+v, exact %g", played[0], basic.EV)
	require.Less(t, basic.EV, s.Equilibrium.EV)
	require.NotEmpty(t, basic.Differences)
	require.Less(t, basic.Chance, 0.5)
}

// TestVariants solves three, and all of them in the nightly list.
func TestVariants(t *testing.T) {
	s := usualStudy(t)
	known := []string{"no reveal", "five-card pays 1", "five-card pays 3"}
	variants, err := s.variants(t.Context(), nil, func(name string) bool {
		return nightly.On || slices.Contains(known, name)
	})
	require.NoError(t, err)
	require.Len(t, variants, nightly.Cases(len(known), len(houseRules)))
	change := map[string]float64{}
	for _, v := range variants {
		require.LessOrEqual(t, v.Solution.Exploitability, DefaultOptions().Target, v.Name)
		change[v.Name] = v.Solution.EV - s.Equilibrium.EV
	}
	require.Zero(t, change["no reveal"])
	require.Positive(t, change["five-card pays 3"])
	require.Negative(t, change["five-card pays 1"])
	if nightly.On {
		require.NotZero(t, change["Ban Luck pays 1"])
		require.InDelta(t, change["Ban Luck pays 1"], -change["Ban Luck pays 3"], 1e-9, "nobody chooses anything there")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Variants(over, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "aces counted one by one", "the first that the study has not solved")
}

func TestCountingIsWorthless(t *testing.T) {
	s := usualStudy(t)
	count := nightly.Cases(2*few, 400_000) // in two parts
	c, err := s.EstimateCounting(context.Background(), count, 8)
	require.NoError(t, err)
	require.True(t, c.AfterLow.Contains(s.Equilibrium.EV, 2), "%+v", c)
	require.True(t, c.AfterHigh.Contains(s.Equilibrium.EV, 2), "%+v", c)
	require.Equal(t, count, c.AfterLow.Samples+c.AfterHigh.Samples)
}

// TestRuinOfTheGambler: with results of one unit each way, the probability of losing all
// before winning forever is known.
func TestRuinOfTheGambler(t *testing.T) {
	fair := []Result{{-1, 0.5}, {1, 0.5}}
	require.InDelta(t, 0.5, Ruin(fair, 1, 1), 1e-12)
	require.InDelta(t, 0.5+0.125, Ruin(fair, 1, 3), 1e-12)
	require.Zero(t, Ruin(fair, 4, 3))
	better := []Result{{-1, 0.4}, {1, 0.6}}
	require.InDelta(t, math.Pow(0.4/0.6, 5), Ruin(better, 5, 2000), 1e-9)
	require.Equal(t, []Result{{-3, 0.25}, {1, 0.75}}, DealerResults([]Result{{-1, 0.75}, {3, 0.25}}))
}

func TestSimulationIsTheSameForASeed(t *testing.T) {
	s := usualStudy(t)
	const count = 2*block + 7 // in blocks on several cores, and a part of one
	first, err := s.SimulateBaseline(context.Background(), 0, count, 9)
	require.NoError(t, err)
	again, err := s.SimulateBaseline(context.Background(), 0, count, 9)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, count, first.Samples)
	other, err := s.SimulateEquilibrium(context.Background(), block, 10)
	require.NoError(t, err)
	require.NotEqual(t, first.Mean, other.Mean)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = s.SimulateEquilibrium(ctx, count, 10)
	require.ErrorIs(t, err, context.Canceled)
}

// TestBaselinesAreThoseOfTheRules: dealers that the rules forbid are left out.
func TestBaselinesAreThoseOfTheRules(t *testing.T) {
	list, err := solved(t, "surrender: false\nreveal: false").game.Baselines()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, Dealer{}, list[0].Dealer)
}
