package solve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/cli/clitest"
	"croupier/games/pig"
)

// program has the game alone.
var program = clitest.Of(pig.Entry.With(Exact))

func TestSolvePig(t *testing.T) {
	var a answer
	require.NoError(t, json.Unmarshal([]byte(program.Succeed(t, "", "solve", "pig", "--json")), &a))
	require.InDelta(t, 0.530592, a.FirstPlayer, 1e-6)
	require.Contains(t, program.Succeed(t, "", "solve", "pig"),
		"pig to 100\nthe first player wins with probability 0.53059")

	path := filepath.Join(t.TempDir(), "pig.csv")
	program.Succeed(t, "", "solve", "pig", "--set", "rules.target=30", "--out", path)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	rows := clitest.Lines(string(content))
	require.Equal(t, "own,other,win,roll", rows[0])
	require.Len(t, rows, 1+30*30)
	require.Contains(t, program.Refuse(t, 1, "solve", "pig", "--set", "rules.target=501"), "targets up to 500")
	require.Contains(t, program.Refuse(t, 2, "solve", "pig", "--set", "target=50"), "rules.NAME=VALUE")
	require.Contains(t, program.Refuse(t, 2, "solve", "pig", "--set", "rules.target=0"), "target")
}

func TestSolvePigMeasuresAnAgent(t *testing.T) {
	require.Contains(t, program.Succeed(t, "", "solve", "pig", "--agent", "hold(20)"),
		"pig to 100, hold(20) against the optimum: wins with probability 0.46")
	require.Regexp(t, `^\{\s+"agent": "solver:optimal",\s+"win_probability": 0\.(5|49999|50000)\d*\s+\}\n$`,
		program.Succeed(t, "", "solve", "pig", "--agent", "solver:optimal", "--json", "--set", "rules.target=20"))
	require.Contains(t, program.Refuse(t, 2, "solve", "pig", "--agent", "random", "--out", "x"),
		"--out: it is about the solution")
	require.Contains(t, program.Refuse(t, 2, "solve", "pig", "--agent", "nobody"), `unknown agent "nobody"`)
}
