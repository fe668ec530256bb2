package advice

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/games/standard"
)

// judgeOf returns the agent that judges drills of a game.
func judgeOf(t *testing.T, name string) (engine.Game, Agent) {
	t.Helper()
	g, err := standard.Games.New(name, nil)
	require.NoError(t, err)
	agent, err := Choose(context.Background(), agents.New(g, agents.Sources{Catalog: standard.Games}), "", nil)
	require.NoError(t, err)
	return g, agent
}

// A drill is a possible decision; its rule of thumb is wrong more often than right, and where it is
// wrong the answer is sure of it.
func TestDrillsAreMistakesOfARule(t *testing.T) {
	for _, name := range []string{"pig", "kuhn", "leduc"} {
		g, agent := judgeOf(t, name)
		wrong := 0
		for seed := range uint64(20) {
			d, err := Deal(context.Background(), g, agent, DrillOptions{Seed: seed, Asks: 60, Easy: seed%2 == 0,
				Strongest: agents.New(g, agents.Sources{Catalog: standard.Games}).StrongestBot()})
			require.NoError(t, err)
			s := g.NewState()
			for _, step := range d.History {
				require.NoError(t, s.Apply(step))
			}
			require.Greater(t, len(s.LegalActions(nil)), 1)
			require.Equal(t, len(d.Answer.Actions), len(s.LegalActions(nil)))
			if taken := d.Answer.Of(d.Obvious); d.Obvious != d.Answer.Best {
				wrong++
				require.Positive(t, taken.Loss)
				require.LessOrEqual(t, taken.P, certain)
			}
			again, err := Deal(context.Background(), g, agent, DrillOptions{Seed: seed, Asks: 60, Easy: seed%2 == 0,
				Strongest: agents.New(g, agents.Sources{Catalog: standard.Games}).StrongestBot()})
			require.NoError(t, err)
			require.Equal(t, d, again, "the same seed deals the same decision")
		}
		require.Greater(t, wrong, 10, name)
		require.Less(t, wrong, 20, "%s: who always does otherwise is wrong at times", name)
	}
}

func TestDrillsNeedARuleThatErrs(t *testing.T) {
	g, agent := judgeOf(t, "pig")
	_, err := Deal(context.Background(), g, agent, DrillOptions{Asks: 0})
	require.ErrorIs(t, err, ErrNoDrill)
}
