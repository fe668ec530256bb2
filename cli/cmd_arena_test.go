package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/messages"
)

func TestArenaFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("agents.txt", []byte("hold(20)\n# weak ones\nhold(5) # very\n\nrandom\n"), 0o644))
	ladder := func(args ...string) (l messages.Ladder) {
		out := succeed(t, "", append([]string{"arena", "--game", "pig", "--games", "60", "--json"}, args...)...)
		require.NoError(t, json.Unmarshal([]byte(out), &l))
		return l
	}
	require.Len(t, ladder("--agents", "agents.txt").Payoff, 6)
	require.Len(t, ladder("--agents", "agents.txt", "--format", "gauntlet").Payoff, 4)
	require.Len(t, ladder("hold(15)", "--agents", "agents.txt", "--format", "swiss").Rounds, 3)
	require.Len(t, ladder("hold(15)", "--agents", "agents.txt", "--format", "swiss", "--rounds", "2").Rounds, 2)
	require.Len(t, ladder("hold(15)", "--agents", "agents.txt", "--format", "knock-out").Rounds, 2)
	test := ladder("hold(20)", "random", "--format", "sprt", "--games", "10000").Test
	require.Equal(t, "passed", test.Verdict)

	out := succeed(t, "", "arena", "--agents", "agents.txt", "--game", "pig", "--format", "swiss", "--rounds", "3",
		"--games", "60")
	require.Contains(t, out, "Points, and by round")
	require.Regexp(t, `1 +hold\(20\) +3 `, out)
	require.Contains(t, succeed(t, "", "arena", "hold(20)", "random", "--game", "pig", "--format", "sprt", "--games",
		"10000"),
		"Test: hold(20) is better than random, after 40 of at most 5000 sets.")
	require.Contains(t, succeed(t, "", "arena", "random", "hold(20)", "--game", "pig", "--format", "sprt", "--games",
		"10000"),
		"Test: random was not found to be better than hold(20)")
}

func TestArenaCorrectsForChance(t *testing.T) {
	t.Chdir(t.TempDir())
	call := []string{"arena", "hold(20)", "solver:optimal", "--game", "pig", "--games", "200", "--baseline",
		"solver:optimal"}
	var l messages.Ladder
	document := succeed(t, "", append(call, "--json", "--workers", "2")...)
	require.NoError(t, json.Unmarshal([]byte(document), &l))
	require.Len(t, l.Correction.Pairs, 1)
	pair := l.Correction.Pairs[0]
	require.Equal(t, uint64(200), pair.Games)
	require.InDelta(t, l.Payoff[1].MeanReturnA, pair.Plain.Value, 1e-6)
	require.Less(t, pair.VarianceLeft, 0.03)
	require.Equal(t, document, succeed(t, "", append(call, "--json", "--workers", "1")...))
	out := succeed(t, "", call...)
	require.Regexp(t, `hold\(20\) +solver:optimal +200 +-0\.\d{3} `, out)
	require.Contains(t, refused(t, 2, append(call, "--out", "cup")...), "--baseline goes without --out and --nats")
	require.Contains(t, refused(t, 1, "arena", "random", "threshold(100)", "--game", "bank", "--baseline", "random"),
		"games for two")
}

func TestArenaIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	call := []string{"arena", "hold(20)", "hold(10)", "random", "--game", "pig", "--games", "60", "--out", "runs/cup",
		"--json",
		"--csv", "cup.csv", "--svg", "cup.svg"}
	first := succeed(t, "", call...)
	require.Contains(t, refused(t, 2, call...), "--csv cup.csv: it exists already")
	require.Equal(t, first, succeed(t, "", append(call, "--force")...))
	text, err := os.ReadFile("cup.csv")
	require.NoError(t, err)
	require.Len(t, strings.Split(strings.TrimSpace(string(text)), "\n"), 1+6)
	picture, err := os.ReadFile("cup.svg")
	require.NoError(t, err)
	require.Contains(t, string(picture), "hold(20)")

	require.Contains(t, succeed(t, "", "archive", "list", "--run", "runs/cup", "--limit", "1"), "of 180 games")
	require.Contains(t, succeed(t, "", "runs"), "cup")
	require.Contains(t, refused(t, 2, "train", "--resume", "--run", "runs/cup"), "the directory of a tournament")
	require.Contains(t, refused(t, 1, "arena", "hold(20)", "random", "--game", "pig", "--out", "runs/cup"),
		"holds another tournament: its number of games is 60, not 1000")
	require.Contains(t, refused(t, 1, "ladder"), "there is no run below runs")
	require.NoError(t, os.WriteFile("file", nil, 0o644))
	require.Contains(t, refused(t, 1, "arena", "hold(20)", "random", "--game", "pig", "--out", filepath.Join("file", "x")),
		"file")
	_, err = rundir.ReadInfo(filepath.Join("file", "x"))
	require.Error(t, err)
}

func TestArenaOnAClusterRefuses(t *testing.T) {
	for says, args := range map[string][]string{
		"file:x.safetensors: files of this machine are not sent": {"random", "file:x.safetensors", "--run", "runs/x"},
		"greedy:file:x: files of this machine are not sent":      {"random", "greedy:file:x", "--run", "runs/x"},
		"search:file:x: files of this machine are not sent":      {"random", "search:file:x", "--run", "runs/x"},
		"exec:./bot: external agents do not play on other":       {"random", "exec:./bot", "--run", "runs/x"},
		"http://host/bot: external agents do not play on other":  {"random", "http://host/bot", "--run", "runs/x"},
		"--nats: name the run whose actors are to play":          {"random", "always-bet"},
		"--rules: the actors of a run play by its rules": {"random", "always-bet", "--run", "runs/x", "--rules",
			"r.yaml"},
	} {
		require.Contains(t, refused(t, 2, append([]string{"arena", "--nats", "nats://127.0.0.1:1"}, args...)...), says)
	}
	require.Contains(t, refused(t, 2, "arena", "random", "always-bet", "--game", "kuhn", "--creds", "x"),
		"--nats, which is not given")
}

func TestArenaFormatsRefuse(t *testing.T) {
	for says, args := range map[string][]string{
		"name at least two agents":                                {"random"},
		"--format cup: there are round-robin":                     {"random", "hold(20)", "--format", "cup"},
		"2 agents play 1 to 1 rounds, not 9":                      {"random", "hold(20)", "--format", "swiss", "--rounds", "9"},
		"the first 2 of 2 agents cannot meet":                     {"random", "hold(20)", "--format", "gauntlet", "--first", "2"},
		"--rounds goes with --format swiss, not with round-robin": {"random", "hold(20)", "--rounds", "5"},
		"--gain goes with --format sprt, not with swiss":          {"random", "hold(20)", "--format", "swiss", "--gain", "0.1"},
		"--error goes with --format sprt":                         {"random", "hold(20)", "--error", "0.1"},
		"--first goes with --format gauntlet":                     {"random", "hold(20)", "--first", "1"},
		"the gain 7 is not in 0..1":                               {"random", "hold(20)", "--format", "sprt", "--gain", "7"},
		"a test is between two agents, not 3":                     {"random", "hold(20)", "hold(5)", "--format", "sprt"},
		"agent random is named twice":                             {"random", "hold(20)", "random"},
		"--games and --workers must be at least 1":                {"random", "hold(20)", "--games", "0"},
	} {
		require.Contains(t, refused(t, 2, append([]string{"arena", "--game", "pig"}, args...)...), says)
	}
}
