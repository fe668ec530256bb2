package league

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLearningAgents(t *testing.T) {
	c := DefaultConfig()
	require.Equal(t, []Agent{{Name: "main", Role: Main, Share: 1, Weighting: Hard}}, c.Learning())
	c.Agents = []Agent{
		{Name: "x", Role: MainExploiter, Share: 0.5, ResetUpdates: 7}, {Name: "main", Role: Main},
		{Name: "y", Role: LeagueExploiter, Weighting: Even, ResetAbove: 0.9},
	}
	require.NoError(t, c.Validate())
	require.Equal(t, []Agent{
		{Name: "main", Role: Main, Share: 1, Weighting: Hard},
		{Name: "x", Role: MainExploiter, Share: 0.5, Weighting: Hard, ResetAbove: 0.7, ResetUpdates: 7},
		{Name: "y", Role: LeagueExploiter, Share: 1, Weighting: Even, ResetAbove: 0.9, ResetUpdates: 20000},
	}, c.Learning())
	require.Equal(t, "x", c.Agents[0].Name, "the settings stay as they are")
	a, err := c.Agent("y")
	require.NoError(t, err)
	require.Equal(t, LeagueExploiter, a.Role)
	_, err = c.Agent("z")
	require.EqualError(t, err, `no agent "z" learns in this run; there are main, x, y`)
}

func TestWrongAgents(t *testing.T) {
	main := Agent{Name: "main", Role: Main}
	many := []Agent{main}
	for i := range maxAgents {
		many = append(many, Agent{Name: fmt.Sprint("x", i), Role: MainExploiter})
	}
	for want, agents := range map[string][]Agent{
		`agents: 17, at most 16 are possible`: many,
		`agents: none is "main", with the role main`: {{Name: "x",
			Role: MainExploiter}},
		`agents[1].name: empty name`:                     {main, {}},
		`agents[1].name: name "a.b": only ASCII letters`: {main, {Name: "a.b"}},
		`agents[1].name: "a23456789012345678901234567890123" has 33 bytes, the limit is 32`: {main,
			{Name: "a23456789012345678901234567890123"}},
		`agents[1].role: "" is not one of main, main_exploiter, league_exploiter`:      {main, {Name: "x"}},
		`agents[1].role: the agent with the role main, and no other, is called "main"`: {main, {Name: "x", Role: Main}},
		`agents[0].role: the agent with the role main, and no other, is called "main"`: {{Name: "main",
			Role: MainExploiter}},
		`agents[1].name: "main" appears twice`: {main, main},
		`agents[0].share: -1 is not in 0.001..1000`: {{Name: "main", Role: Main,
			Share: -1}},
		`agents[1].weighting: "soft" is not one of hard, even, uniform`: {main,
			{Name: "x", Role: LeagueExploiter, Weighting: "soft"}},
		`agents[1].weighting: the role main_exploiter has a rule of its own`: {main,
			{Name: "x", Role: MainExploiter, Weighting: Hard}},
		`agents[0].reset_above: the agent "main" is never reset`: {{Name: "main", Role: Main,
			ResetUpdates: 1}},
		`agents[1].reset_above: 0.4 is not a chance above 0.5`: {main,
			{Name: "x", Role: MainExploiter, ResetAbove: 0.4}},
		`agents[1].reset_updates: must be a whole number in 0..2147483647`: {main,
			{Name: "x", Role: MainExploiter, ResetUpdates: 1 << 31}},
	} {
		c := DefaultConfig()
		c.Agents = agents
		require.ErrorContains(t, c.Validate(), want)
	}
}
