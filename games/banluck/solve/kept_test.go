package solve

import (
	"bytes"
	"encoding/gob"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/policy"
)

// reopened returns a player of kept tables, and the bytes that it took to open them and to ask in an example.
func reopened(t *testing.T, g engine.Game, tables *Tables) (policy.Valuer, uint64) {
	t.Helper()
	var kept bytes.Buffer
	require.NoError(t, gob.NewEncoder(&kept).Encode(tables))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read := &Tables{}
	require.NoError(t, gob.NewDecoder(&kept).Decode(read))
	players, err := EquilibriumOf(g, read)
	require.NoError(t, err)
	p := players().(policy.Valuer)
	positions := g.(engine.Positioned)
	s, _, err := positions.ParsePosition(positions.ExamplePosition(), newRNG(1))
	require.NoError(t, err)
	worths(p, s)
	runtime.ReadMemStats(&after)
	return p, after.TotalAlloc - before.TotalAlloc
}

// worths returns what the legal actions are worth.
func worths(p policy.Valuer, s engine.State) []policy.Value {
	legal := s.LegalActions(nil)
	values := make([]policy.Value, len(legal))
	p.Values(s, legal, values)
	return values
}

// A kept solution answers from what is kept: the tables of all hands, of more than a million pairs, are not built
// again. Its answers are those of the solution, to the last bit.
func TestKeptTablesAnswerWithoutTablesOfHands(t *testing.T) {
	for players := 1; players <= 2; players++ {
		s := usualCrowd(t, players)
		g := s.crowd.table
		p, bytes := reopened(t, g, s.tables())
		require.Less(t, bytes, uint64(6<<20), "%d players", players)
		requireSameWorth(t, g, s.Policy().(policy.Valuer), p)
	}
}

// requireSameWorth compares the values and reasons of two players in random games, but for reveals that leave some
// players.
func requireSameWorth(t *testing.T, g engine.Game, a, b policy.Valuer) {
	t.Helper()
	rng, s := newRNG(5), g.NewState()
	play := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int {
		if len(legal) < 3 {
			require.Equal(t, worths(a, s), worths(b, s), "%s", s)
			require.Equal(t, a.(policy.Explainer).Explain(s, legal), b.(policy.Explainer).Explain(s, legal), "%s", s)
		}
		return legal[rng.IntN(len(legal))]
	}}
	for range 200 {
		s.Reset()
		require.NoError(t, play.ToEnd())
	}
}
