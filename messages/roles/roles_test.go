package roles

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/presence"
)

// A role's heartbeats are in the bus's bucket of roles under its name, and say since when it runs and where its metrics
// are.
func TestProcessOfARole(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	c := Common{Bus: b, MetricsAddress: "127.0.0.1:9400"}
	p := c.Process(messages.ActorRole, "actor-1")
	require.NoError(t, p.Beat(t.Context(), presence.State{Words: "playing"}))
	key := messages.RoleKey(messages.ActorRole, "actor-1")
	entry, err := b.Roles().Get(t.Context(), key)
	require.NoError(t, err)
	h, err := presence.Read(key, entry.Value)
	require.NoError(t, err)
	require.Equal(t, "playing", h.State)
	require.Equal(t, "127.0.0.1:9400", h.Metrics)
	require.WithinDuration(t, time.Now(), h.Started, time.Minute)
}

// named is a game of which nothing but its name is asked.
type named struct {
	engine.Game
	name string
}

// Training games are those of matches where the run does not say otherwise; those of the curriculum come after them.
func TestTrainingGames(t *testing.T) {
	own, family, stage := named{name: "own"}, named{name: "family"}, named{name: "stage"}
	c := Common{Game: own, Stages: []engine.Game{stage}}
	require.Equal(t, []engine.Game{own, stage}, c.TrainingGames())
	c.Training = family
	require.Equal(t, []engine.Game{family, stage}, c.TrainingGames())
}
