package play

import (
	"math"
	"slices"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/internal/nightly"
)

// Every game has a beginner and an expert, each level is an agent that there is, and each gets no
// less than its share against the one below it, as far as the games tell.
func TestLevelsAreOrdered(t *testing.T) {
	each(t, func(t *testing.T, game engine.Game) {
		known := agents.New(game, agents.Sources{Catalog: standard.Games})
		levels := Levels(known)
		require.Equal(t, "beginner", levels[0].Name)
		require.Equal(t, "random", levels[0].Agent)
		require.Equal(t, "expert", levels[len(levels)-1].Name)
		var found []Agent
		for _, l := range levels {
			require.NotEmpty(t, l.About)
			agent, err := Find(t.Context(), known, l.Name)
			require.NoError(t, err)
			require.Equal(t, l.Agent, agent.Name)
			found = append(found, agent)
		}
		if games := gamesToCompare(t, game); games > 0 {
			for i := 1; i < len(found); i++ {
				requireNoWeaker(t, game, found[i], found[i-1], games)
			}
		}
	})
}

// gamesToCompare is how many deals are played, each in every seat; 0 where an agent takes more than a millisecond for a
// move. The mean share of a deal in three seats deviates by sqrt(1/3*2/3/3) = 0.27: three standard errors are 0.16 with
// 25 deals, which tells a level that has come to a wrong place among beginners, and 0.08 with the 100 of the nightly
// list. With the 10 of agents that take more than a tenth of a millisecond they are 0.26: an expert in a beginner's
// place, that is a beginner who gets next to nothing of the third that is its share, is still shown.
func gamesToCompare(t *testing.T, game engine.Game) int {
	recorded, _, err := standard.Games.Of(game).Compared(game)
	require.NoError(t, err)
	slowest := 0.0
	for _, a := range recorded.Agents {
		slowest = max(slowest, a.MillisecondsPerMove)
	}
	switch {
	case slowest > 1:
		return 0
	case slowest > 0.1:
		return nightly.Cases(10, 100)
	}
	return nightly.Cases(25, 100)
}

// requireNoWeaker plays games of one agent alone among copies of another, in every seat, and
// requires that its share of the win is not significantly below parity.
func requireNoWeaker(t *testing.T, game engine.Game, agent, among Agent, games int) {
	t.Helper()
	spec := game.Spec()
	sum, squares, n := 0.0, 0.0, 0.0
	returns, shares := make([]float64, spec.Seats), make([]float64, spec.Seats)
	for seed := range uint64(games) {
		total := 0.0
		for seat := range spec.Seats { // the same cards in every seat
			chairs := slices.Repeat([]Chair{{Kind: Robot, Agent: among}}, spec.Seats)
			chairs[seat].Agent = agent
			table, err := NewTable(Plan{Game: game, Chairs: chairs, Seed: seed}, noon)
			require.NoError(t, err)
			finish(t, table, func() {})
			table.State().Returns(returns)
			spec.Shares(returns, shares)
			total += shares[seat]
		}
		share := total / float64(spec.Seats)
		sum, squares, n = sum+share, squares+share*share, n+1
	}
	mean := sum / n
	high := mean + 3*math.Sqrt(max(0, squares/n-mean*mean)/n)
	require.GreaterOrEqual(t, high+1e-9, 1/float64(spec.Seats), "%s gets %.4f among copies of %s", agent.Name, mean,
		among.Name)
}
