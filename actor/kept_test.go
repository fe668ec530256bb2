package actor

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/player"
)

// newTestOffers returns the offers of a worker, of games of Kuhn poker, and what it has sent by now.
func newTestOffers(t *testing.T, k Keeping) (*archiveOffers, func() []*messages.Kept) {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { b.Close() })
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	consumer, err := b.Consume(t.Context(), bus.Kept, "archive", "")
	require.NoError(t, err)
	sent := func() (list []*messages.Kept) {
		for {
			fetched, err := consumer.Fetch(t.Context(), 100, time.Millisecond)
			require.NoError(t, err)
			if len(fetched) == 0 {
				return list
			}
			for _, m := range fetched {
				kept := &messages.Kept{}
				require.NoError(t, messages.Decode(m.Data(), kept))
				list = append(list, kept)
			}
		}
	}
	return newArchiveOffers(k, b, newMetrics(prometheus.NewRegistry()), "run", "actor-0", game, game), sent
}

func testRecord(steps int) *episode {
	return &episode{
		seats: []*player.Player{{Name: "main", Version: 3, SHA256: make([]byte, 32)}, {Name: "random"}},
		steps: steps, history: make([]byte, steps), returns: []float64{1, -1},
	}
}

func TestSampleOfTrainingGames(t *testing.T) {
	ctx := context.Background()
	k, sent := newTestOffers(t, Keeping{TrainingShare: 0.1, TrainingPerSecond: 1e6})
	k.trainingLeft.games = 1e6
	for number := range uint64(1000) {
		k.trained(ctx, number, 0, testRecord(4))
	}
	k.send(ctx)
	list := sent()
	require.Len(t, list, 1)
	require.InDelta(t, 100, len(list[0].Games), 1)
	require.Empty(t, list[0].Match)
	require.Equal(t, []string{"main", "random"}, []string{list[0].Agents[0].Name, list[0].Agents[1].Name})
	require.EqualValues(t, 3, list[0].Agents[0].Version)
	require.Len(t, list[0].Agents[0].Sha256, 32)

	// A second brings that many games at most, and long games count as several.
	k, sent = newTestOffers(t, Keeping{TrainingShare: 1, TrainingPerSecond: 20})
	k.trainingLeft = allowance{20, time.Now()}
	for number := range uint64(1000) {
		k.trained(ctx, number, 0, testRecord(countedSteps*5))
	}
	k.send(ctx)
	require.Len(t, sent()[0].Games, 4)

	for _, none := range []Keeping{{}, {TrainingShare: 1}, {TrainingPerSecond: 10}} {
		k, sent = newTestOffers(t, none)
		k.trained(ctx, 0, 0, testRecord(4))
		k.send(ctx)
		require.Empty(t, sent())
	}
}

func TestMatchesAreKeptWholeOrNotAtAll(t *testing.T) {
	ctx := context.Background()
	k, sent := newTestOffers(t, Keeping{ArenaPerSecond: 10})
	play := func(id string, games, steps int) {
		m := k.match(&messages.Match{Id: id})
		for set := range games {
			m.add(uint64(set), testRecord(steps))
		}
		m.publish(ctx)
	}
	play("m-1", 60, 4)
	play("m-2", 60, 4) // more than its share: what is missing is -59
	k.arenaLeft.games = 10
	play("m-3", 60, 20_000) // of several messages
	kept := map[string]int{}
	for _, one := range sent() {
		kept[one.Match] += len(one.Games)
		require.LessOrEqual(t, one.Games[0].Number, one.Games[len(one.Games)-1].Number)
	}
	require.Equal(t, map[string]int{"m-1": 60, "m-3": 60}, kept)
	k.arenaLeft.games = 10
	play("m-4", 60, maxMatchBytes/50) // longer than anything that may wait
	require.Empty(t, sent())
	k, sent = newTestOffers(t, Keeping{})
	play("m-5", 1, 4)
	require.Empty(t, sent())
}

// An archive that is full or missing costs an actor nothing: it does not wait for the stream.
func TestNobodyWaitsForTheArchive(t *testing.T) {
	b := memory.New(bus.Options{Sizes: bus.Sizes{KeptBytes: 1 << 10}})
	defer b.Close()
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	k := newArchiveOffers(Keeping{ArenaPerSecond: 1e6}, b, newMetrics(prometheus.NewRegistry()), "run", "actor-0", game)
	for range 1000 {
		m := k.match(&messages.Match{Id: "m"})
		m.add(0, testRecord(100))
		m.publish(t.Context())
	}
	info, err := b.Info(t.Context(), bus.Kept)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Bytes, uint64(1<<10))
	require.EqualValues(t, 1000, info.Last)
}
