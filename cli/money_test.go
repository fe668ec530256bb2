package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/messages"
)

// Every command that shows what agents have won writes it in one unit: the coin, in games whose unit has one.
func TestMoneyHasOneUnit(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			game, err := standard.Games.New(entry.Name, nil)
			require.NoError(t, err)
			spec := game.Spec()
			dir := filepath.Join(t.TempDir(), "evening")
			csv, svg := filepath.Join(t.TempDir(), "m.csv"), filepath.Join(t.TempDir(), "m.svg")
			second := agents.New(game, agents.Sources{Catalog: standard.Games}).StrongestBot()
			arena := []string{"arena", "--game", entry.Name, "random", second, "--games", "24", "--figures", "-q"}
			texts := map[string]string{
				"arena":   succeed(t, "", append(arena, "--out", dir, "--csv", csv, "--svg", svg)...),
				"json":    succeed(t, "", append(arena, "--json")...),
				"compare": succeed(t, "", "advise", "compare", entry.Name, "random", second, "--games", "24", "-q"),
			}
			addCurves(t, dir, map[string]string{"rating/best": messages.LeagueRole, "probe/mean_return/random": messages.LeagueRole,
				"table_return/Four": messages.LeagueRole, "exploitability": messages.LeagueRole})
			for _, command := range [][]string{{"ladder"}, {"ladder", "--json"}, {"ladder", "--analysis"}, {"archive", "list"},
				{"archive", "show", "a1.1"}} {
				texts[command[len(command)-1]] = succeed(t, "", append(command, "--run", dir)...)
			}
			texts["runs"] = succeed(t, "", "runs", "--runs", filepath.Dir(dir))
			texts["curves"] = succeed(t, "", "curves", dir)
			for _, file := range []string{csv, svg} {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				texts[filepath.Ext(file)] = string(text)
			}
			if spec.Payoff != engine.Money {
				return
			}
			coin, scale := spec.Coin.Shown(spec.Unit)
			for _, what := range []string{"arena", "ladder", "runs", "curves", "json", "--json", "--analysis", ".svg"} {
				require.Contains(t, texts[what], coin+" per game", what)
			}
			require.Contains(t, texts["list"], "returns ("+coin+")")
			require.Contains(t, texts["a1.1"], "Returns ("+coin+")")
			require.Regexp(t, `evening,\d+,rating/best,2000,2000,`+strconv.FormatFloat(0.6*scale, 'g', -1, 64)+`,,,`+coin+` per game`, texts["curves"])
			require.Regexp(t, `with -?[\d.]+ \(.*\) `+coin+` against`, texts["compare"])
			if spec.Coin.Name == "" {
				return
			}
			other := regexp.MustCompile(`\b` + spec.Unit + `\b`)
			for what, text := range texts {
				require.NotRegexp(t, other, text, what)
			}
			requireAmounts(t, spec, dir, texts["--json"])
		})
	}
}

// requireAmounts requires that the ladder as it is shown has the numbers of the file, in the coin.
func requireAmounts(t *testing.T, spec *engine.Spec, dir, shown string) {
	t.Helper()
	kept, err := os.ReadFile(filepath.Join(dir, "ladder.json"))
	require.NoError(t, err)
	ladder, err := messages.ParseLadder(kept)
	require.NoError(t, err)
	require.Equal(t, messages.UnitPerGame(spec), ladder.Scale.Unit, "files have the unit of the game")
	var read messages.Ladder
	require.NoError(t, json.Unmarshal([]byte(shown), &read))
	for i, p := range ladder.Payoff {
		require.InDelta(t, p.MeanReturnA*spec.Coin.PerUnit, read.Payoff[i].MeanReturnA, 1e-6)
	}
}
