package shipped

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/games"
	"croupier/internal/strict"
)

// There is a comparison for each game under its default rules, in which all agents have met, and
// the network among them is the one that comes with the program: make.sh compares a new one.
func TestComparisons(t *testing.T) {
	for _, entry := range games.All {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := games.New(entry.Name, nil)
			require.NoError(t, err)
			c, err := Of(entry.Name)
			require.NoError(t, err)
			require.True(t, c.Covers(game))
			require.Positive(t, c.Games)
			require.Equal(t, Digest(entry.Name), c.Trained, "compared with another network: COMPARE_ONLY=1 agents/shipped/make.sh %s", entry.Name)
			require.Len(t, c.Met, len(c.Agents)*(len(c.Agents)-1))
			for i, a := range c.Agents {
				require.Equal(t, a.Name, a.Worst.Agent)
				if i > 0 {
					require.LessOrEqual(t, a.Worst.Mean, c.Agents[i-1].Worst.Mean)
				}
				for _, other := range c.Agents {
					if m, met := c.Between(a.Name, other.Name); a.Name != other.Name {
						require.True(t, met)
						require.GreaterOrEqual(t, m.Mean, a.Worst.Mean)
					}
				}
			}
			_, found := c.Strongest()
			require.True(t, found)
		})
	}
}

func TestComparisonsAreForTheirRules(t *testing.T) {
	c, err := Of("bank")
	require.NoError(t, err)
	four, err := games.New("bank", strict.YAML("players: 4"))
	require.NoError(t, err)
	require.False(t, c.Covers(four))
	pig, err := games.New("pig", nil)
	require.NoError(t, err)
	require.False(t, c.Covers(pig))
	_, err = Of("chess")
	require.ErrorContains(t, err, "no comparison of agents of chess")
}

func TestAllIsSmall(t *testing.T) {
	total := 0
	require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		total += len(data)
		return err
	}))
	require.Less(t, total, 5<<20)
	for _, entry := range games.All {
		require.Contains(t, Games(), entry.Name)
	}
	require.Nil(t, Network("chess"))
}
