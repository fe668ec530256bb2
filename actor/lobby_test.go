package actor

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// In a game of a curriculum the learner meets frozen networks but no bots, which are
// made for the run's own game.
func TestBotsStayAwayFromStages(t *testing.T) {
	game := leducGame(t)
	frozen, bot := network(t, game, "main@1", 2), randomPlayer()
	b := memory.New(bus.Options{})
	defer b.Close()
	l := newLobby(b, players{"main@1": frozen, "random": bot}, 1, slog.New(slog.DiscardHandler), newMetrics(prometheus.NewRegistry()))
	met := func(stage int, opponents ...*messages.Opponent) map[*Player]bool {
		table, err := messages.Encode(&messages.Matchmaking{Schema: messages.SchemaVersion, Learner: "main", Opponents: opponents})
		require.NoError(t, err)
		l.takePairings(t.Context(), table)
		learner := network(t, game, "main", 1)
		learner.Stage = stage
		seen, rng := map[*Player]bool{}, engine.NewRNG(1, 0)
		for range 100 {
			seats := make([]*Player, 2)
			l.seat(learner, seats, rng)
			require.Contains(t, seats, learner)
			for _, p := range seats {
				if p != learner {
					seen[p] = true
				}
			}
		}
		return seen
	}
	both := []*messages.Opponent{{Name: "main@1", Weight: 0.2}, {Name: "random", Weight: 0.8}}
	require.Equal(t, map[*Player]bool{frozen: true, bot: true}, met(0, both...))
	require.Equal(t, map[*Player]bool{frozen: true}, met(1, both...))
	require.Empty(t, met(1, both[1]))
}

func TestWeightsOfAnUnknownStageAreRefused(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	l := newLobby(b, players{}, 1, slog.New(slog.DiscardHandler), newMetrics(prometheus.NewRegistry()))
	publishWeights(t, b, leducGame(t), 1)
	entry, err := b.State().Get(t.Context(), messages.PointerKey("main"))
	require.NoError(t, err)
	var p messages.Pointer
	require.NoError(t, messages.Decode(entry.Value, &p))
	for stage, taken := range map[uint32]bool{2: false, 1: true} {
		l.learner.Store(nil)
		p.Stage = stage
		value, err := messages.Encode(&p)
		require.NoError(t, err)
		l.takeWeights(t.Context(), "main", value)
		require.Equal(t, taken, l.learner.Load() != nil)
	}
}
