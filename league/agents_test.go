package league

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLearningAgents(t *testing.T) {
	c := DefaultConfig()
	require.Equal(t, []Agent{{Name: "main", Role: Main, Share: 1}}, c.Learning())
	c.Agents = []Agent{{Name: "x", Role: MainExploiter, Share: 0.5}, {Name: "main", Role: Main}, {Name: "y", Role: LeagueExploiter}}
	require.NoError(t, c.Validate())
	require.Equal(t, []Agent{
		{Name: "main", Role: Main, Share: 1}, {Name: "x", Role: MainExploiter, Share: 0.5}, {Name: "y", Role: LeagueExploiter, Share: 1},
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
		`agents: 17, at most 16 are possible`:                                               many,
		`agents: none is "main", with the role main`:                                        {{Name: "x", Role: MainExploiter}},
		`agents[1].name: empty name`:                                                        {main, {}},
		`agents[1].name: name "a.b": only letters`:                                          {main, {Name: "a.b"}},
		`agents[1].name: "a23456789012345678901234567890123" has 33 bytes, the limit is 32`: {main, {Name: "a23456789012345678901234567890123"}},
		`agents[1].role: "" is none of main, main_exploiter, league_exploiter`:              {main, {Name: "x"}},
		`agents[1].role: the agent with the role main, and no other, is called "main"`:      {main, {Name: "x", Role: Main}},
		`agents[0].role: the agent with the role main, and no other, is called "main"`:      {{Name: "main", Role: MainExploiter}},
		`agents[1].name: "main" is there twice`:                                             {main, main},
		`agents[0].share: -1 is not in 0..1000`:                                             {{Name: "main", Role: Main, Share: -1}},
	} {
		c := DefaultConfig()
		c.Agents = agents
		require.ErrorContains(t, c.Validate(), want)
	}
}
