package agents

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/actor"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/player"
	"croupier/policy"
)

// correctedMatches plays matches of two agents and corrects them.
func correctedMatches(t *testing.T, game engine.Game, a, b, baseline string, matches int, sets uint32) []corrected {
	known, players := New(game, Sources{Catalog: standard.Games}), map[string]*player.Player{}
	for _, name := range []string{a, b} {
		player, err := known.Player(t.Context(), name)
		require.NoError(t, err)
		players[name] = player
	}
	c, err := Tournament{Game: game, Baseline: baseline}.newCorrection(t.Context(), known, players)
	require.NoError(t, err)
	rules := engine.RulesHash(game)
	for i := range matches {
		m := &messages.Match{
			Schema: messages.SchemaVersion, Run: "arena", Id: fmt.Sprint(i), RulesHash: rules[:],
			A: a, B: b, FirstSet: uint64(i) * uint64(sets), Sets: sets,
		}
		_, kept, err := actor.PlayAndKeep(t.Context(), game, 1, m, players[a], players[b], matchTables)
		require.NoError(t, err)
		require.NoError(t, c.match(m, kept))
	}
	return c.pairs[[2]string{a, b}]
}

// expected is what agent a gets of b on average over both seats, by all histories of the game.
func expected(t *testing.T, game engine.Game, a, b string) float64 {
	known, both := New(game, Sources{Catalog: standard.Games}), [2]policy.Stochastic{}
	for i, name := range []string{a, b} {
		player, err := known.Player(t.Context(), name)
		require.NoError(t, err)
		both[i] = player.Policy().(policy.Stochastic)
	}
	var walk func(s engine.State, first int) float64
	walk = func(s engine.State, first int) (value float64) {
		player := s.Player()
		if player == engine.Terminal {
			return returnOf(s)
		}
		agent := both[0]
		if player >= 0 {
			agent = both[(player+first)%2]
		}
		for _, o := range possible(s, agent) {
			next := s.Clone()
			require.NoError(t, next.Apply(o.Index))
			value += o.Probability * walk(next, first)
		}
		return value
	}
	return (walk(game.NewState(), 0) - walk(game.NewState(), 1)) / 2
}

// Whatever the baseline, corrected results estimate what the games are worth, and their intervals cover it.
func TestCorrectedResultsCoverTheTruth(t *testing.T) {
	for _, test := range []struct {
		game, a, b, baseline string
		left                 float64 // of the variance, at most
	}{
		{"kuhn", "random", "solver:equilibrium", "solver:equilibrium", 0.4},
		{"kuhn", "random", "solver:equilibrium", "random", 0.6},
		{"leduc", "random", "solver:equilibrium", "solver:equilibrium", 0.4},
	} {
		t.Run(fmt.Sprintf("%s by %s", test.game, test.baseline), func(t *testing.T) {
			game, err := standard.Games.New(test.game, nil)
			require.NoError(t, err)
			truth := expected(t, game, test.a, test.b)
			const matches = 400
			covered := 0
			var all corrected
			for _, m := range correctedMatches(t, game, test.a, test.b, test.baseline, matches, 50) {
				interval, ok := m.correction.Student()
				require.True(t, ok)
				if interval.Low <= truth && truth <= interval.High {
					covered++
				}
				all.plain.Merge(m.plain)
				all.correction.Merge(m.correction)
			}
			left := all.correction.Squares / all.plain.Squares
			mean := all.correction.Interval()
			t.Logf("truth %.4f; plain %.4f ± %.4f, corrected %.4f ± %.4f; %.1f %% of the variance left; %d of %d intervals cover",
				truth, all.plain.Mean, all.plain.Margin(), mean.Value, all.correction.Margin(), 100*left, covered, matches)
			require.InDelta(t, truth, mean.Value, 2*all.correction.Margin())
			require.InDelta(t, 0.95*matches, covered, 0.04*matches)
			require.Less(t, left, test.left)
		})
	}
}

// Of the exact answers' games chance is all that decides: nothing is left of it.
func TestExactValuesLeaveNoChance(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	matches := correctedMatches(t, game, "hold(20)", "solver:optimal", "solver:optimal", 2, 50)
	var all corrected
	for _, m := range matches {
		all.plain.Merge(m.plain)
		all.correction.Merge(m.correction)
	}
	require.Less(t, all.correction.Squares, 0.03*all.plain.Squares, "hold(20) loses by its errors, which are small")
	require.Less(t, all.correction.Interval().High, 0.0, "the optimum is better, and that shows in a hundred games")

	c := &correction{game: game, newBaseline: func() baseline { return nil }, players: map[string]*player.Player{}}
	optimal, err := New(game, Sources{Catalog: standard.Games}).Player(t.Context(), "solver:optimal")
	require.NoError(t, err)
	same := optimal.Policy().(policy.Stochastic)
	base, err := New(game, Sources{Catalog: standard.Games}).newBaseline(t.Context(), "solver:optimal")
	require.NoError(t, err)
	_, err = c.term(base(), []byte{1}, [2]policy.Stochastic{same, same})
	require.ErrorContains(t, err, "its probability is 0", "the optimum does not hold without points")
}

func TestBaselinesThatCannotBe(t *testing.T) {
	for _, test := range []struct{ game, name, want string }{
		{"bank", "random", "bank has 3 seats"},
		{"kuhn", "trained", "it is a network"},
		{"pig", "hold(20)", "it gives neither values nor probabilities"},
		{"pig", "random", "pig has more than"},
		{"kuhn", "nobody", "nobody"},
	} {
		game, err := standard.Games.New(test.game, nil)
		require.NoError(t, err)
		_, err = New(game, Sources{Catalog: standard.Games}).newBaseline(t.Context(), test.name)
		require.ErrorContains(t, err, test.want, test.name)
	}
}
