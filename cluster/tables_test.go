package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine/family"
	"croupier/games/bank"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/play"
)

// Versions are measured at presets and usual numbers that are in the family, and at the farthest table.
func TestTablesOfAFamily(t *testing.T) {
	names := func(rules string, most int) (names []string) {
		g, err := standard.Games.New("bank", []byte(rules))
		require.NoError(t, err)
		list, err := namedTables(standard.Games, g.(*family.Game), most)
		require.NoError(t, err)
		for _, table := range list {
			names = append(names, table.Name)
		}
		return names
	}
	require.Equal(t, []string{"Two players", "Standard, 15 rounds", farthest}, names("family: usual", 3))
	require.Len(t, names("family: usual", 100), 10)
	require.Equal(t, []string{"Two players"}, names("family: {players: [2, 3]}", 3), "which is the farthest as well")
	require.Equal(t, []string{"Party of eight", "players: 7", farthest}, names("rounds: 4\nfamily: {players: [3, 7, 8], rounds: [4, 5]}", 4))
	require.Equal(t, []string{farthest}, names("family: {players: [2, 3], rounds: [10, 11]}", 1))
	require.Empty(t, names("family: usual", 0))
}

// At a table of its family the best version of a run is an opponent, with what it got there; at others it is none, and
// the page says that no strong agent knows its rules.
func TestRunsOfAFamilyPlayAtItsTables(t *testing.T) {
	own, err := bank.New(nil)
	require.NoError(t, err)
	ladder := &messages.Ladder{
		Agents: []messages.LadderAgent{{Name: "greedy:main@1", Kind: "network", Best: true}},
		Tables: []messages.LadderTable{{Name: "Four", Rules: []byte(`{"players":4,"rounds":10,"roller":"round_robin","repoll":true}`),
			Seats: 4, Against: "leader-chaser", Unit: catalog.ShareUnit, Parity: 0.25, Results: []messages.TableResult{
				{Agent: "greedy:main@1", Games: 400, Interval: messages.Interval{Value: 0.6, Low: 0.5, High: 0.7}}}}},
	}
	run := &View{ID: "evening", Game: own,
		frozen: func(context.Context, string) ([]byte, error) { return bank.Entry.Family, nil },
		ladder: func(context.Context) (*messages.Ladder, error) { return ladder, nil }}
	source := &playSource{runs: oneRun{run}, agents: resolvers{games: standard.Games}}
	strongest := func(rules string) (play.Level, []play.Level) {
		levels, err := source.Levels(t.Context(), "bank", rules, "evening", 0)
		require.NoError(t, err)
		return levels[len(levels)-1], levels
	}
	last, _ := strongest("players: 4")
	require.Equal(t, "greedy:main@1", last.Agent)
	require.Equal(t, "0.600 (0.500 to 0.700) of the win against leader-chaser in 400 games", last.Strength)
	last, _ = strongest("players: 5")
	require.Equal(t, "greedy:main@1", last.Agent)
	require.Empty(t, last.Strength, "it was not measured there")
	last, _ = strongest("rounds: 999")
	require.Equal(t, "leader-chaser", last.Agent)
	require.Regexp(t, "^no strong agent knows these rules.*hints come from the bot leader-chaser$", last.Caution)
	last, _ = strongest("")
	require.Equal(t, "greedy:main@1", last.Agent)
	require.Contains(t, last.Strength, "rating 0")
	levels, err := source.Levels(t.Context(), "pig", "", "evening", 0)
	require.NoError(t, err)
	require.NotContains(t, levels[len(levels)-1].Agent, "main")
}
