package play

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// A person's bet multiplies what they gain and what the dealer pays, from the game on that follows; it stays with its
// person when seats are exchanged.
func TestBets(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made, err := h.Lay(t.Context(), Request{Game: "banluck", Rules: "players: 2",
			Seats: []SeatRequest{{Person: "Anna", Bet: 5}, {Agent: "random"}, {Agent: "random"}}})
		require.NoError(t, err)
		over := seen(t, h, made, made.Keys[0])
		for ; over.Over == nil; over = seen(t, h, made, made.Keys[0]) {
			_, err := h.Act(made.Table, made.Keys[0], over.Step, over.Actions[0].Action)
			require.NoError(t, err)
		}
		require.Equal(t, []float64{5, 1, 0}, over.Table.Bets)
		plain := h.rooms[made.Table].table.story.returns()
		require.Equal(t, []float64{5 * plain[0], plain[1], -5*plain[0] - plain[1]}, over.Over.Returns)
		require.Equal(t, over.Over.Returns, over.Table.Sum)

		show, err := h.Bet(made.Table, made.Keys[0], nil, 20)
		require.NoError(t, err)
		require.Equal(t, []float64{5, 1, 0}, show.Table.Bets, "what is over is over")
		require.Equal(t, []float64{20, 1, 0}, show.Table.NextBets)
		next, err := h.Again(made.Table, made.Keys[0], true)
		require.NoError(t, err)
		show = seen(t, h, next, next.Keys[1])
		require.Equal(t, []float64{1, 20, 0}, show.Table.Bets)
		require.Equal(t, over.Over.Returns[2], h.rooms[next.Table].table.plan.Sum[0])
	})
}

// betting returns a table of Banluck at which Anna bets and the dealer is an agent.
func betting(t *testing.T, bet float64) *Table {
	t.Helper()
	game, err := standard.Games.New("banluck", nil)
	require.NoError(t, err)
	chairs := robots(game)
	chairs[0] = Chair{Kind: Person, Name: "Anna", Bet: bet}
	table, err := NewTable(Plan{Game: game, Chairs: chairs, Seed: 3}, noon)
	require.NoError(t, err)
	return table
}

// Statistics are of bets of one unit, as the values of the game are.
func TestStatisticsAreOfBetsOfOneUnit(t *testing.T) {
	table := betting(t, 100)
	rng := engine.NewRNG(1, 0)
	for !table.Over() {
		require.NoError(t, table.repeat(anyStep(table.story.state, rng)))
	}
	require.NotZero(t, table.story.returns()[0])
	entries, err := table.Entries(noon)
	require.NoError(t, err)
	require.Equal(t, table.story.returns()[0], entries[0].Return)
	require.Equal(t, 100*entries[0].Return, table.Sum()[0])
}

// An agent that takes the seat of a person plays on for the bet that was made.
func TestABetStaysWithItsSeat(t *testing.T) {
	table := betting(t, 100)
	table.Replace(0, randomAgent(), noon)
	bets, _ := table.bets()
	require.Equal(t, []float64{100, 0}, bets)
}

func TestWrongBetsAreRefused(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := lay(t, h, "banluck", SeatRequest{Agent: "random"})
		for _, units := range []float64{0, -1, 0.5, 101, 1.5} {
			_, err := h.Bet(made.Table, made.Keys[0], nil, units)
			require.ErrorContains(t, err, "a bet is a whole number of units from 1 to 100")
		}
		_, err := h.Bet(made.Table, made.Watch, nil, 2)
		require.ErrorContains(t, err, "spectators do not play")
		refused := func(game string, seat SeatRequest) error {
			_, err := h.Lay(t.Context(), Request{Game: game, Seats: []SeatRequest{seat, {Agent: "random"}}})
			return err
		}
		require.ErrorContains(t, refused("banluck", SeatRequest{Person: "Anna", Bet: 0.5}), "seats[0]: a bet is a whole")
		require.ErrorContains(t, refused("banluck", SeatRequest{Agent: "random", Bet: 2}), "seats[0]: bet is for a person")
		require.ErrorContains(t, refused("pig", SeatRequest{Person: "Anna", Bet: 2}), "nobody bets in Pig")
	})
}
