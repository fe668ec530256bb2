package actor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
)

// playMatch plays a match with the given number of tables.
func playMatch(t *testing.T, game engine.Game, tables int, match *messages.Match, a, b *Player) *messages.Result {
	t.Helper()
	result, err := PlayMatch(t.Context(), game, 5, match, a, b, tables)
	require.NoError(t, err)
	return result
}

func TestResultDependsOnTheMatchAlone(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	match := &messages.Match{Schema: messages.SchemaVersion, Run: "run", Id: "m", RulesHash: hash[:], A: "main@1", B: "random", Sets: 40}
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
