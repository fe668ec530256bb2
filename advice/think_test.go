package advice

import (
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/games/pig"
)

// An agent is said to do what it does, also where something else is better.
func TestThoughtsAreTheAgents(t *testing.T) {
	const deep = `{"scores": [0, 0], "turn": 24, "seat": 0}`
	think := func(name string) *Thoughts {
		q := at(t, "pig", deep)
		agent, err := Choose(t.Context(), agents.New(q.Game, agents.Sources{Catalog: standard.Games}), name, nil)
		require.NoError(t, err)
		thoughts, err := Think(t.Context(), q, agent, Options{Samples: 64})
		require.NoError(t, err)
		require.Equal(t, name, thoughts.Agent)
		return thoughts
	}
	of := func(thoughts *Thoughts, action int) float64 {
		for _, a := range thoughts.Actions {
			if a.Action == action {
				return a.Probability
			}
		}
		return -1
	}
	daring := think("hold(100)")
	require.InDelta(t, 1, of(daring, pig.Roll), 1e-9)
	require.Equal(t, "took these when asked 200 times", daring.Plays)
	require.Less(t, daring.Value, think("solver:optimal").Value, "it is not worth what the best move is")
	random := think("random")
	require.Equal(t, 0.5, of(random, pig.Roll))
	require.Equal(t, "draws by these probabilities", random.Plays)
	greedy, sampled := think("greedy:trained"), think("trained")
	require.Contains(t, greedy.Plays, "takes the likeliest")
	require.Equal(t, sampled.Actions, greedy.Actions, "as it was trained")
	require.Greater(t, of(greedy, pig.Roll), 0.0)
	require.Less(t, of(greedy, pig.Roll), 1.0)
	require.Contains(t, think("temperature(0.5):trained").Plays, "at temperature 0.5")
}
