package actor

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/internal/stat"
	"croupier/messages"
	"croupier/player"
	"croupier/policy"
)

// playMatch plays a match with the given number of tables.
func playMatch(t *testing.T, game engine.Game, tables int, match *messages.Match,
	a, b *player.Player) *messages.Result {
	t.Helper()
	result, err := PlayMatch(t.Context(), game, 5, match, a, b, tables)
	require.NoError(t, err)
	return result
}

func TestResultDependsOnTheMatchAlone(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	match := &messages.Match{Schema: messages.SchemaVersion, Run: "run", Id: "m", RulesHash: hash[:], A: "main@1",
		B: "random", Sets: 40}
	a, b := network(t, game, "main@1", 1, 8), randomPlayer()
	first, err := messages.Encode(playMatch(t, game, 1, match, a, b))
	require.NoError(t, err)
	second, err := messages.Encode(playMatch(t, game, 33, match, a, b))
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// The same agent on both sides meets itself in both seats of every deal: every
// set is worth exactly nothing.
func TestDuplicatesCancelLuck(t *testing.T) {
	game := leducGame(t)
	a := network(t, game, "main@1", 1)
	result := playMatch(t, game, 8, &messages.Match{Sets: 50}, a, a)
	require.EqualValues(t, 50, result.OneA.Sets)
	require.EqualValues(t, 100, result.OneA.Games)
	require.InDelta(t, 0, result.OneA.ReturnSum, 1e-9)
	require.InDelta(t, 0, result.OneA.ReturnSquares, 1e-9)
	require.InDelta(t, 25, result.OneA.ShareSum, 1e-9)
	require.Nil(t, result.OneB)
}

func botPlayer(t *testing.T, game engine.Game, name string) *player.Player {
	t.Helper()
	bot, err := game.Bots().New(name)
	require.NoError(t, err)
	return &player.Player{Name: name, NewPolicy: func() policy.Policy { return policy.Bot(bot) }}
}

// An agent that always bets in Kuhn poker meets one who only passes: in each of the two games
// of a set both make one move.
func TestFiguresOfATwoSeatGame(t *testing.T) {
	game, err := kuhn.New(nil)
	require.NoError(t, err)
	r := playMatch(t, game, 8, &messages.Match{Sets: 50}, botPlayer(t, game, "always-bet"),
		botPlayer(t, game, "always-pass"))
	a, err := messages.UnpackFigures(r.FiguresA, 50, game.Spec().Figures)
	require.NoError(t, err)
	// It makes both moves freely, and bets; a set counts 2 of 2.
	require.Equal(t, stat.Ratio{Value: 100, Weight: 100, ValueSquares: 200, WeightSquares: 200, Products: 200}, a[0])
	require.Zero(t, a[2], "it never faces a bet")
	b, err := messages.UnpackFigures(r.FiguresB, 50, game.Spec().Figures)
	require.NoError(t, err)
	// As the first it passes, and then it folds; as the second it folds: 1 and 2 in a set.
	require.Equal(t, stat.Ratio{Weight: 50, WeightSquares: 50}, b[0])
	require.Equal(t, stat.Ratio{Weight: 100, WeightSquares: 200}, b[2])
}

// With three seats the figures are those of the focal agents: each plays a game in
// every seat, of as many rounds.
func TestFiguresOfAThreeSeatGame(t *testing.T) {
	game, err := bank.New([]byte("rounds: 4"))
	require.NoError(t, err)
	r := playMatch(t, game, 8, &messages.Match{Sets: 20}, botPlayer(t, game, "threshold(50)"),
		botPlayer(t, game, "threshold(100)"))
	for name, sums := range map[string]*messages.FigureSums{"threshold(50)": r.FiguresA, "threshold(100)": r.FiguresB} {
		all, err := messages.UnpackFigures(sums, 20, game.Spec().Figures)
		require.NoError(t, err)
		rounds := all[slices.IndexFunc(game.Spec().Figures, func(f engine.Figure) bool { return f.Name == "banked" })]
		require.Equal(t, 20*3*4.0, rounds.Weight, name)
		require.Equal(t, 20*12*12.0, rounds.WeightSquares, name)
		require.Equal(t, all[0].Weight, rounds.Value, "%s: banks", name)
		require.Greater(t, all[0].Value/all[0].Weight, 50.0, "%s: points of a bank", name)
	}
	require.Greater(t, r.FiguresB.Values[0]/r.FiguresB.Weights[0], 100.0)
}

func TestCheckMatch(t *testing.T) {
	rules := [8]byte{1}
	good := func() *messages.Match {
		return &messages.Match{Run: "run", Id: "m-1", RulesHash: rules[:], Sets: 1}
	}
	require.NoError(t, checkMatch(good(), "run", rules))
	for name, spoil := range map[string]func(*messages.Match){
		"run":   func(m *messages.Match) { m.Run = "other" },
		"rules": func(m *messages.Match) { m.RulesHash = []byte{2} },
		"sets":  func(m *messages.Match) { m.Sets = maxSets + 1 },
		"name":  func(m *messages.Match) { m.Id = "a b" },
	} {
		m := good()
		spoil(m)
		require.ErrorContains(t, checkMatch(m, "run", rules), name)
	}
}

// A match of bots alone ends within a game of its end, whose games are played in one step: at other tables none begins.
func TestMatchOfBotsEndsAtOnce(t *testing.T) {
	game, err := kuhn.New(nil)
	require.NoError(t, err)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	played := 0
	bot := &player.Player{Name: "bot", NewPolicy: func() policy.Policy {
		return policyFunc(func(legal []int) int {
			played++
			cancel()
			return legal[0]
		})
	}}
	match := &messages.Match{A: "bot", B: "bot", Sets: 100}
	_, err = PlayMatch(ctx, game, 1, match, bot, bot, 64)
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, played, 3, "decisions of one game")
}

type policyFunc func(legal []int) int

func (f policyFunc) Reset() {}

func (f policyFunc) Choose(_ engine.State, legal []int, _ *engine.RNG) int { return f(legal) }
