package settings

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/policy"
)

func TestTeacherIsABotOrASolution(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	for name, wrong := range map[string]string{
		"":                   "",
		"equilibrium(0.2)":   "",
		"solver:equilibrium": "",
		"equilibrum(0.2)":    `ppo.teacher: unknown kuhn bot "equilibrum(0.2)" (did you mean equilibrium?); the bots are equilibrium(ALPHA), always-bet, always-pass`,
		"solver:money":       "ppo.teacher: the solvers of kuhn are solver:equilibrium",
	} {
		if err := checkTeacher(standard.Games.Of(game), game, name); wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, wrong)
		}
	}
}

// TestSolutionTeaches: its bots are as many as are asked for, and answer as the solution does.
func TestSolutionTeaches(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	newBot, err := Teacher(t.Context(), standard.Games.Of(game), game, "solver:equilibrium")
	require.NoError(t, err)
	s := game.NewState()
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.Outcomes(nil)[0].Index))
	}
	legal := s.LegalActions(nil)
	probabilities := make([]float64, len(legal))
	newBot().(policy.Stochastic).Distribution(s, legal, probabilities)
	sum := 0.0
	for _, p := range probabilities {
		sum += p
	}
	require.InDelta(t, 1, sum, 1e-9)
	require.Contains(t, legal, newBot().Choose(s, legal, engine.NewRNG(1, 0)))

	_, err = Teacher(t.Context(), standard.Games.Of(game), game, "solver:money")
	require.EqualError(t, err, "the solvers of kuhn are solver:equilibrium")

	leduc, err := standard.Games.New("leduc", nil)
	require.NoError(t, err)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = Teacher(stopped, standard.Games.Of(leduc), leduc, "solver:equilibrium")
	require.ErrorIs(t, err, context.Canceled)
}
