package cluster

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// The games of a match that were kept are those that its result sums up.
func TestArchivedGamesAreTheMatch(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &site{bus: b, registry: newRegistry(), log: slog.New(slog.DiscardHandler), dir: t.TempDir(),
		config: changed(t, "bank", "archive: {arena_per_second: 1e6}")}
	s.config.Run = "kept"
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	a, err := s.newActor(1)
	require.NoError(t, err)
	k, err := s.newKeeper()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan error, 2)
	go func() { done <- a.Run(ctx) }()
	go func() { k.Run(ctx); done <- nil }()
	hash := engine.RulesHash(s.game)
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	played := map[string]*messages.Result{}
	for i, id := range []string{"m1", "m2", "m3"} {
		match, err := messages.Encode(&messages.Match{
			Schema: messages.SchemaVersion, Run: "kept", Id: id, RulesHash: hash[:],
			A: "leader-chaser", B: "threshold(100)", Sets: 10, FirstSet: uint64(10 * i),
		})
		require.NoError(t, err)
		require.NoError(t, b.Publish(ctx, bus.Matches, id, match))
	}
	for m := range results {
		if m != nil {
			r := &messages.Result{}
			require.NoError(t, messages.Decode(m.Data(), r))
			played[r.Match.Id] = r
		}
		if len(played) == 3 {
			break
		}
	}
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	for id, result := range played {
		found, err := archive.Read(s.dir).Find(t.Context(), archive.Query{Match: id, Limit: 1000})
		require.NoError(t, err)
		require.EqualValues(t, result.OneA.Games+result.OneB.Games, found.Total)
		requireSums(t, s.game.Spec(), result, found.Games)
	}
}

// requireSums compares the sums of a result with those of the games: of each agent where it sits
// alone among the others.
func requireSums(t *testing.T, spec *engine.Spec, result *messages.Result, games []archive.Summary) {
	sums, wins := map[string]float64{}, map[string]uint64{}
	shares := make([]float64, spec.Seats)
	for _, g := range games {
		alone := alone(g.Agents)
		spec.Shares(g.Returns, shares)
		sums[g.Agents[alone].Name] += shares[alone] / float64(spec.Seats) // a set's value is a mean
		if shares[alone] == 1 {
			wins[g.Agents[alone].Name]++
		}
	}
	require.InDelta(t, result.OneA.ShareSum, sums[result.Match.A], 1e-9)
	require.InDelta(t, result.OneB.ShareSum, sums[result.Match.B], 1e-9)
	require.Equal(t, result.OneA.Wins, wins[result.Match.A])
	require.Equal(t, result.OneB.Wins, wins[result.Match.B])
}

// alone returns the seat whose agent has no other.
func alone(agents []archive.Agent) int {
	seats := map[string]int{}
	for _, a := range agents {
		seats[a.Name]++
	}
	for seat, a := range agents {
		if seats[a.Name] == 1 {
			return seat
		}
	}
	return -1
}
