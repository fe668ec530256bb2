package player

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/nn"
	"croupier/policy"
)

// A caller that needs no room plays a seat with what the player is: its network at its temperature, or a policy of its
// own.
func TestPolicyOfAPlayer(t *testing.T) {
	bot := &Player{Name: "random", NewPolicy: func() policy.Policy { return policy.Random{} }}
	require.Equal(t, policy.Random{}, bot.Policy())

	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	layout, err := nn.NewLayout(nn.Description{}, game.Spec())
	require.NoError(t, err)
	network, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(t, err)
	s := game.NewState()
	s.Reset()
	rng := engine.NewRNG(1, 0)
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.SampleChance(rng)))
	}
	legal := s.LegalActions(nil)
	greedy := (&Player{Name: "main", Network: network, Temperature: policy.Greedy}).Policy()
	probabilities := make([]float64, len(legal))
	greedy.(policy.Stochastic).Distribution(s, legal, probabilities)
	require.Contains(t, probabilities, 1.0, "greedy play is certain")
}
