package actor

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/presence"
	"croupier/player"
	"croupier/policy"
)

// publishMatch asks for a match of a player against itself.
func publishMatch(t *testing.T, b bus.Bus, game engine.Game, player string) {
	t.Helper()
	hash := engine.RulesHash(game)
	data, err := messages.Encode(&messages.Match{
		Schema: messages.SchemaVersion, Run: testRun, Id: "m-1", RulesHash: hash[:], A: player, B: player, Sets: 1,
	})
	require.NoError(t, err)
	require.NoError(t, b.Publish(t.Context(), bus.Matches, "m-1", data))
}

// The gate looks at sets in their order: it stands still while an actor that has died holds a match, and the league,
// once it has asked for all others, with it.
func TestTheMatchesOfTheDeadAreSoonPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		game := leducGame(t)
		b := memory.New(bus.Options{})
		defer b.Close()
		publishMatch(t, b, game, "random")
		dead, err := b.Consume(t.Context(), bus.Matches, messages.ArenaConsumer, "")
		require.NoError(t, err)
		fetched, err := dead.Fetch(t.Context(), 1, time.Second)
		require.NoError(t, err)
		require.Len(t, fetched, 1)

		results, err := b.Read(t.Context(), bus.Results, 1)
		require.NoError(t, err)
		require.Nil(t, <-results)
		began := time.Now()
		defer startActor(t, b, game, players{"random": randomPlayer()}, "")()
		require.NotNil(t, <-results)
		require.Less(t, time.Since(began), presence.Lifetime+2*time.Second, "as soon as a process counts as gone")
	})
}

// slowPolicy takes its time for every decision.
type slowPolicy struct {
	policy.Random
	busy, most *atomic.Int32 // how many decide at a time, and the most so far
}

func (p slowPolicy) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	p.most.Store(max(p.most.Load(), p.busy.Add(1)))
	defer p.busy.Add(-1)
	time.Sleep(time.Minute)
	return p.Random.Choose(s, legal, rng)
}

// However long a turn takes, no other actor is given the match.
func TestALongTurnKeepsItsMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		game := leducGame(t)
		b := memory.New(bus.Options{})
		defer b.Close()
		publishMatch(t, b, game, "slow")
		var busy, most atomic.Int32
		slow := &player.Player{Name: "slow", NewPolicy: func() policy.Policy { return slowPolicy{busy: &busy, most: &most} }}
		results, err := b.Read(t.Context(), bus.Results, 1)
		require.NoError(t, err)
		require.Nil(t, <-results)
		stop := startActor(t, b, game, players{"slow": slow}, "")
		require.NotNil(t, <-results)
		stop()
		require.EqualValues(t, 1, most.Load(), "one of the two workers plays it")
		other, err := b.Consume(t.Context(), bus.Matches, messages.ArenaConsumer, "")
		require.NoError(t, err)
		given, err := other.Fetch(t.Context(), 1, time.Minute)
		require.NoError(t, err)
		require.Empty(t, given, "it is acknowledged")
	})
}
