package solve

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/policy"
)

// TestMeter: a bot's losses are those of its solution, and an interrupted measurement does not
// affect the next.
func TestMeter(t *testing.T) {
	study := usualStudy(t)
	bot, err := study.Game.Bots().New("stand(16)")
	require.NoError(t, err)
	newPolicy := func() policy.Policy { return policy.Bot(bot) }
	meter, err := NewMeter(study.Game)
	require.NoError(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = meter.Measure(over, newPolicy)
	require.ErrorIs(t, err, context.Canceled)

	s, err := study.HeadsUp.SolutionOf(newPolicy)
	require.NoError(t, err)
	player, dealer := s.Losses(study.Equilibrium.EV)
	for range 2 {
		curves, err := meter.Measure(t.Context(), newPolicy)
		require.NoError(t, err)
		require.InDeltaMapValues(t, map[string]float64{
			"exploitability": s.Exploitability, "exploitability/player": player, "exploitability/dealer": dealer,
		}, curves, 1e-12)
	}
}
