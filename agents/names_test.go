package agents

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/policy"
)

// Every listed name is that of an agent, in every game, and stands for it wherever people name agents.
func TestNamesAreThoseOfAgents(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game, err := entry.New(nil)
		require.NoError(t, err)
		known := New(game, Sources{Catalog: standard.Games, Levels: true})
		names := known.Names()
		require.Contains(t, names, policy.RandomName)
		require.Contains(t, names, "expert", entry.Name)
		for i, name := range names {
			require.NotContains(t, names[:i], name)
			agent := known.Resolve(name)
			if Kind(agent) != "solver" { // the game would be solved
				p, err := known.Player(t.Context(), name)
				require.NoError(t, err, "%s: %s", entry.Name, name)
				require.Equal(t, agent, p.Name)
			}
		}
		for _, l := range known.Levels() {
			require.Contains(t, names, l.Name)
			require.Equal(t, l.Agent, known.Resolve(l.Name))
		}
		for _, bot := range game.Bots().Table {
			require.NotContains(t, append(levelNames[maxLevels], All), bot.Call, "a bot has the name of something else")
		}
	}
}

// "all" stands for the bots of the ladders that are not named, and levels for their agents.
func TestSeveralNames(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	bots, known := game.Bots().References, New(game, Sources{Catalog: standard.Games})
	require.Equal(t, bots, known.Expand([]string{All}))
	expanded := known.Expand([]string{"main@4", bots[1], All, "beginner"})
	require.Equal(t, []string{"main@4", bots[1], policy.RandomName}, expanded[:3])
	require.ElementsMatch(t, append(slices.Clone(bots), "main@4", policy.RandomName), expanded)
	require.Empty(t, known.Expand(nil))
}

// An unknown name is distinguished from an agent that fails, and the error says what there is.
func TestUnknownNames(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	a := New(game, Sources{Catalog: standard.Games, Files: true, Programs: true, Levels: true,
		Frozen: FromRun(t.TempDir())})
	for name, says := range map[string]string{
		"exprt":                `unknown agent "exprt" of kuhn (did you mean expert?); there are beginner, `,
		"randm":                "(did you mean random?)",
		"trainde":              "(did you mean trained?)",
		"always-bett":          "(did you mean always-bet?)",
		"someone":              "file:PATH, greedy:NETWORK, temperature(T):NETWORK, search:NETWORK, exec:COMMAND, http://HOST/PATH (croupier help reference/agents)",
		"a b":                  `unknown agent "a b" of kuhn`,
		"equilibrium(1,2,3)":   "agent equilibrium(1,2,3): ",
		"solver:nothing":       "agent solver:nothing: ",
		"main@3":               "has no version main@3",
		"file:/nowhere/at/all": "agent file:/nowhere/at/all: ",
		"temperature(-1):main": "agent temperature(-1):main: ",
		"search:random":        "agent search:random: ",
		"exec:":                "it does not say which program",
	} {
		_, err := a.Player(t.Context(), name)
		require.ErrorContains(t, err, says, name)
		require.ErrorAs(t, err, new(*NameError), name)
	}
	_, err = a.Player(t.Context(), "exec:true")
	require.ErrorContains(t, err, "the process ended")
	require.NotErrorAs(t, err, new(*NameError), "it is one, and fails")
	_, err = New(game, Sources{Catalog: standard.Games}).Player(t.Context(), "expert")
	require.ErrorAs(t, err, new(*NameError), "records have the agent's own name")
	require.NotContains(t, err.Error(), "beginner")
	require.NotContains(t, err.Error(), "exec:")
}
