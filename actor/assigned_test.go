package actor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// A match that is given to an actor by name is played as one from the queue, and once if it comes both ways; what is
// given to others is not.
func TestActorPlaysWhatItIsGivenByName(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	b := memory.New(bus.Options{})
	defer b.Close()
	stop := startActor(t, b, game, players{"random": randomPlayer(), "main@1": network(t, game, "main@1", 1)}, "")
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	match := func(id string) *messages.Match {
		return &messages.Match{Schema: messages.SchemaVersion, Run: testRun, Id: id, RulesHash: hash[:], A: "main@1",
			B: "random", Sets: 2}
	}
	give := func(actor string, matches ...*messages.Match) {
		value, err := messages.EncodeAssigned(matches)
		require.NoError(t, err)
		_, err = b.State().Put(ctx, messages.AssignedKey(actor), value)
		require.NoError(t, err)
	}
	played := func() string {
		for m := range results {
			if m != nil {
				return m.Subject()
			}
		}
		return ctx.Err().Error()
	}
	give("somebody", match("m-0"))
	give("actor-t", match("m-1"))
	require.Equal(t, "m-1.actor-t", played())
	data, err := messages.Encode(match("m-1"))
	require.NoError(t, err)
	require.NoError(t, b.Publish(ctx, bus.Matches, "m-1", data))
	require.Eventually(t, func() bool {
		info, err := b.Info(ctx, bus.Matches)
		return err == nil && info.Messages == 0
	}, time.Minute, 10*time.Millisecond)
	give("actor-t", match("m-1"), match("m-2"))
	require.Equal(t, "m-2.actor-t", played())
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Messages)
}

func TestRecentMatches(t *testing.T) {
	var r recentMatches
	require.True(t, r.begin("a"))
	require.False(t, r.begin("a"))
	r.forget("a")
	require.True(t, r.begin("a"))
	for i := range maxRecent {
		require.True(t, r.begin(string(rune('ā'+i))))
	}
	require.Len(t, r.ids, maxRecent)
	require.True(t, r.begin("a"), "the oldest is forgotten")
}
