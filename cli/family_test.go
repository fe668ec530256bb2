package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// trainedFamily trains on tables of BANK! for two and three, of two and three rounds.
func trainedFamily(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "family")
	status, _, stderr := croupier("", "train", "bank", "--set", "rules.rounds=2", "--set",
		"rules.family={players: [2, 3], rounds: [2, 3]}", "--run", dir, "--games", "300", "--listen", "off", "-q",
		"--set", "learner.ppo.samples=512", "--set", "learner.ppo.minibatch=256", "--rate", "1s")
	require.Zero(t, status, stderr)
	return dir
}

// What was trained on a family plays at every table of it and at no other, by every door: as a version of the run, as
// an exported file, in a tournament and as an adviser; and the run is one like any other.
func TestAgentsOfAFamilyPlayAtItsTables(t *testing.T) {
	t.Parallel()
	dir := trainedFamily(t)
	exported := filepath.Join(t.TempDir(), "family.safetensors")
	succeed(t, "", "export", "--run", dir, "--version", "1", "--out", exported)
	onnx := filepath.Join(t.TempDir(), "family.onnx")
	succeed(t, "", "export", "--run", dir, "--version", "1", "--format", "onnx", "--out", onnx)
	for _, table := range []string{"players: 3\nrounds: 2", "players: 2\nrounds: 3"} {
		rules := rulesFile(t, table)
		for _, agent := range []string{"greedy:main@1", "file:" + exported, "search(2,1):main@1"} {
			succeed(t, "", "arena", agent, "random", "--game", "bank", "--rules", rules, "--run", dir, "--games", "12")
		}
		position := succeed(t, "", "advise", "bank", "--rules", rules, "--example")
		said := succeed(t, position, "advise", "bank", "--rules", rules, "--run", dir, "--agent", "main@1", "--samples", "4",
			"--position", "-")
		require.Contains(t, said, "Advice of main@1")
	}
	other := rulesFile(t, "players: 4\nrounds: 2")
	said := refused(t, 1, "arena", "file:"+exported, "random", "--game", "bank", "--rules", other, "--games", "12")
	require.Contains(t, said, `bank {"players":4,"rounds":2,"roller":"round_robin","repoll":true} is not among the 4 tables`)

	succeed(t, "", "runs", "verify", dir)
	require.Contains(t, succeed(t, "", "archive", "list", "--run", dir, "--purpose", "training"), "training")
	status, _, stderr := croupier("", "train", "--resume", "--run", dir, "--games", "400", "--listen", "off", "-q")
	require.Zero(t, status, stderr)
}

// A run on a family says how good its agent is at the other tables: on its ladder, in its status, and of one table.
func TestLadderOfAFamilysTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "family")
	status, _, stderr := croupier("", "train", "bank", "--set", "rules.rounds=2", "--set",
		"rules.family={players: [2, 3, 4], rounds: [2, 3]}", "--run", dir, "--games", "100", "--listen", "off", "-q", "--rate", "20s",
		"--set", "learner.ppo.samples=512", "--set", "learner.ppo.minibatch=256", "--set", "league.tables=3",
		"--set", "league.table_games=12", "--set", "league.final_sets=10", "--set", "league.reference_sets=10",
		"--set", "league.gate_sets=10", "--set", "league.max_sets=10", "--set", "league.precision=10000")
	require.Zero(t, status, stderr)
	for _, command := range []string{"ladder", "status"} {
		said := succeed(t, "", command, "--run", dir)
		require.Regexp(t, `Two players +2 +greedy:main@\d+ +\S+ +\d+\.\d % .* 50\.0 % +(above|near|below) parity`, said)
		require.Regexp(t, `players: 4 +4 +greedy:main@\d+ .* 25\.0 %`, said)
		require.Regexp(t, `Farthest from the default +2 +greedy:main@\d+ `, said)
	}
	for _, named := range []string{"two PLAYERS", rulesFile(t, "players: 2\nrounds: 2")} {
		said := succeed(t, "", "ladder", "--run", dir, "--rules", named)
		require.Contains(t, said, `bank, Two players, 2 seats: what a version gets of the win among copies of `)
		require.Contains(t, said, `{"players":2,"rounds":2,"roller":"round_robin","repoll":true}`)
		require.Regexp(t, `greedy:main@\d+ +12 `, said)
	}
	for rules, want := range map[string]string{
		"nowhere":                             `"nowhere" is neither a table of the run nor a file; its tables are Two players; players: 4; Far`,
		rulesFile(t, "players: 3\nrounds: 2"): "these are the rules of the ladder itself",
		rulesFile(t, "players: 3\nrounds: 9"): "versions are not measured under these rules, but at Two players",
		rulesFile(t, "players: 99"):           "99 is not in 2..8",
	} {
		require.Contains(t, refused(t, 2, "ladder", "--run", dir, "--rules", rules), want)
	}
}

// rulesFile writes rules.
func rulesFile(t *testing.T, rules string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(path, []byte(rules), 0o600))
	return path
}

// The flag, a file of rules and a setting describe families alike, and a game keeps its curriculum.
func TestFamiliesOfTheCommandLine(t *testing.T) {
	usual := succeed(t, "", "config", "bank", "--family")
	require.Contains(t, usual, "family:")
	require.Equal(t, usual, succeed(t, "", "config", "bank", "--set", "rules.family=usual"))
	require.Equal(t, usual, succeed(t, "", "config", "bank", "--rules", rulesFile(t, "family: usual")))
	require.Contains(t, succeed(t, "", "config", "tysiac", "--family"),
		"curriculum:\n  - until: 0.1\n    game: tysiac-hand")

	for want, args := range map[string][]string{
		"what varies is that of the run": {"config", "tysiac-hand", "--family",
			"--set", "curriculum=[{until: 0.1, rules: {family: usual}}]"},
		"the rules describe a family already":            {"config", "bank", "--family", "--rules", rulesFile(t, "family: usual")},
		"no rule of kuhn can vary":                       {"config", "kuhn", "--family"},
		"rules.family.players: no table has the value 9": {"config", "bank", "--set", "rules.family.players=[3, 9]"},
		"rules.family.seats: there is no such rule":      {"config", "bank", "--set", "rules.family.seats=2..3"},
		"an exploiter learns at one table":               {"arena", "exploit", "bank", "random", "--family"},
		"a table has its rules; a family of tables is":   {"play", "bank", "--rules", rulesFile(t, "family: usual")},
	} {
		require.Contains(t, refused(t, 2, args...), want, fmt.Sprint(args))
	}
}
