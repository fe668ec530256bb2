package settings

import (
	"os"
	"path/filepath"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/league"
)

func TestLeagueFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "league.yaml")
	apply := func(doc string) (*Config, error) {
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o644))
		c, err := Default(standard.Games, "bank")
		require.NoError(t, err)
		changes := Changes{League: path}
		require.False(t, changes.Empty())
		if err := changes.Apply(t.Context(), c); err != nil {
			return c, err
		}
		_, err = c.Build()
		return c, err
	}
	c, err := apply("freeze_updates: 7\nagents:\n  - {name: main, role: main, share: 2}\n  - {name: x, role: main_exploiter}\n")
	require.NoError(t, err)
	require.EqualValues(t, 7, c.League.FreezeUpdates)
	require.Equal(t, []string{"main", "x"}, []string{c.League.Learning()[0].Name, c.League.Learning()[1].Name})

	// The run keeps it.
	doc, err := c.Encode()
	require.NoError(t, err)
	again, err := Load(standard.Games, doc, "saved")
	require.NoError(t, err)
	require.Equal(t, c.League.Learning(), again.League.Learning())
	alone, err := Default(standard.Games, "bank")
	require.NoError(t, err)
	doc, err = alone.Encode()
	require.NoError(t, err)
	require.NotContains(t, string(doc), "agents")
	require.Equal(t, league.Main, alone.League.Learning()[0].Role)

	for doc, want := range map[string]string{
		"agents:\n  - {name: main, role: main}\n  - name: x\n    role: maim": ":4: league.agents[1].role: ",
		"agents:\n  - {name: main, role: main, shre: 2}":                     ":2: league.agents[0].shre: unknown key (did you mean share?)",
		"agents:\n  - {name: main, role: main, share: much}":                 `:2: league.agents[0].share: "much" is not a number`,
		"agents:\n  - {name: x, role: main_exploiter}":                       ":1: league.agents: none is \"main\"",
		"\nfreeze_updates: 0": ":2: league.freeze_updates: must be a whole number",
		"game: bank":          ":1: league.game: unknown key",
	} {
		_, err := apply(doc)
		require.ErrorContains(t, err, path+want, doc)
	}
	changes := Changes{League: path + ".missing"}
	c, err = Default(standard.Games, "bank")
	require.NoError(t, err)
	require.ErrorContains(t, changes.Apply(t.Context(), c), "--league: open ")
	require.True(t, (&Changes{}).Empty())
}
