package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/solver"
)

// kitFile copies a game of the kit, or of the hostile files, to a folder of its own.
func kitFile(t *testing.T, from string) string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "engine", "wasm", from))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), filepath.Base(from))
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

// anotherProcess makes a program that has opened no file yet.
func anotherProcess(t *testing.T) {
	t.Helper()
	all := installed
	installed = program{catalog.New(standard.Games.Games()...)}
	t.Cleanup(func() { installed = all })
}

// Every command that takes a game takes the path of its file.
func TestAGameIsAFile(t *testing.T) {
	anotherProcess(t)
	four, pig := kitFile(t, "kits/c/connect-four.wasm"), kitFile(t, "kits/c/pig.wasm")
	require.Contains(t, succeed(t, "", "games", pig), "target  1..10000")
	require.Contains(t, succeed(t, "", "config", pig), "game: pig-twin\n")
	lines := strings.Split(strings.TrimSpace(succeed(t, "", "simulate", pig, "--games", "2", "--seed", "7")), "\n")
	own := strings.Split(strings.TrimSpace(succeed(t, "", "simulate", "pig", "--games", "2", "--seed", "7")), "\n")
	for i := range lines {
		var twin, game history.Record
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &twin))
		require.NoError(t, json.Unmarshal([]byte(own[i]), &game))
		require.Equal(t, game.History, twin.History)
	}
	require.Contains(t, succeed(t, strings.Join(lines, "\n")+"\n", "replay", "-"), "2 games")
	for _, flag := range [][]string{{"--game", four}, {"--game=" + four}} {
		require.Contains(t, refused(t, 2, append([]string{"arena", "random", "bot"}, flag...)...),
			"unknown agent \"bot\" of connect-four")
	}
}

// A game of hidden information from a file is solved, and its value is the published one (Kuhn 1950).
func TestSolveAGameFromAFile(t *testing.T) {
	anotherProcess(t)
	var s solver.EquilibriumAnswer
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", kitFile(t, "kits/c/kuhn.wasm"), "--target", "1e-6",
		"--json")), &s))
	require.InDelta(t, -1.0/18, s.Value, 1e-6)
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", kitFile(t, "kits/rust/liars-dice.wasm"), "--target",
		"3e-3", "--set", "rules.faces=6", "--json")), &s))
	require.InDelta(t, -7.0/258, s.Value, 6e-3, "Lanctot 2013, as TestSolveAGameOfSomebodyElse finds it in Go")
}

// A game of perfect information is solved on its positions, to which several histories lead: tic-tac-toe is a draw. Its
// versions have a curve of exploitability, and best play gives advice on nothing but the rules.
func TestTicTacToeFromAFileIsSolved(t *testing.T) {
	anotherProcess(t)
	path := kitFile(t, "kits/c/tic-tac-toe.wasm")
	var s solver.OptimumAnswer
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", path, "--json")), &s))
	s.Seconds = 0
	require.Equal(t, solver.OptimumAnswer{Positions: 5478}, s)
	require.Contains(t, succeed(t, "", "solve", path), "tic-tac-toe, backward induction\nvalue of seat 1  0.000000 wins")
	var measured solver.Exploited
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", path, "--agent", "solver:optimal", "--json")),
		&measured))
	require.Equal(t, solver.Exploited{Agent: "solver:optimal"}, measured)
	require.Contains(t, succeed(t, "", "solve", path, "--estimate"), " nodes in its tree (standard error 2 %")
	require.Contains(t, refused(t, 1, "solve", path, "--nodes", "5477"),
		"too many nodes: the limit is 5477 (--nodes), and its tree has about 5")
	require.Contains(t, refused(t, 2, "solve", path, "--nodes", "0"), "--nodes 0: it must be at least 1")
	require.Contains(t, refused(t, 2, "solve", path, "--agent", "random", "--estimate"), "--estimate: ")
	table := filepath.Join(t.TempDir(), "play.csv")
	succeed(t, "", "solve", path, "--out", table)
	rows, err := os.ReadFile(table)
	require.NoError(t, err)
	require.Contains(t, string(rows), "\n1,square 0,4,square 4,")

	dir := filepath.Join(t.TempDir(), "night")
	succeed(t, "", trainArgs(path, "--run", dir, "--games", "500")...)
	curves, err := os.ReadFile(filepath.Join(dir, rundir.CurvesFile))
	require.NoError(t, err)
	require.Regexp(t, `"exploitability":\[[01]`, string(curves))
}

func TestFilesThatAreNoGames(t *testing.T) {
	anotherProcess(t)
	require.Contains(t, refused(t, 1, "games", "nothing.wasm"), "nothing.wasm: no such file")
	path := kitFile(t, "testdata/hostile/import.wasm")
	require.Contains(t, refused(t, 1, "train", path), path+": game file ")
	require.Contains(t, refused(t, 1, "train", path), `it imports "open" of "host": only some functions of`)
}

// A game that was added is known by its name, until it is removed; another file of the name replaces it, and so does a
// path for one command.
func TestAddedGames(t *testing.T) {
	anotherProcess(t)
	folder := t.TempDir()
	t.Setenv(gamesVariable, folder)
	coin, late := kitFile(t, "testdata/hostile/none.wasm"), kitFile(t, "testdata/hostile/rare-trap.wasm")
	hash := func(what string) string {
		anotherProcess(t)
		_, rest, _ := strings.Cut(succeed(t, "", "config", what), "file: ")
		return rest[:64]
	}
	require.Contains(t, refused(t, 2, "config", "coin"), "unknown game")
	require.Equal(t, "coin is added.\n", succeed(t, "", "games", "add", coin))
	require.Equal(t, hash(coin), hash("coin"))
	require.NotEqual(t, hash(late), hash("coin"))
	anotherProcess(t)
	require.Contains(t, succeed(t, "", "games"), "\ncoin ")
	succeed(t, "", "games", "add", late)
	require.Equal(t, hash(late), hash("coin"))
	anotherProcess(t)
	require.Equal(t, "coin is removed.\n", succeed(t, "", "games", "remove", "coin"))
	anotherProcess(t)
	require.Contains(t, refused(t, 2, "games", "remove", "coin"), `no game "coin" was added`)
	require.Contains(t, refused(t, 2, "games", "remove", "../coin"), "was added")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "x.wasm"), []byte("x"), 0o600))
	status, _, stderr := croupier("", "games")
	require.Zero(t, status)
	require.Contains(t, stderr, "croupier: left out: ")
}

// A run keeps the file of its game: it continues, is checked, copied and read where the path is gone, by a process that
// has not opened it, and another file in its place is a fault.
func TestARunKeepsTheFileOfItsGame(t *testing.T) {
	anotherProcess(t)
	path, parent := kitFile(t, "kits/c/connect-four.wasm"), t.TempDir()
	dir, backup := filepath.Join(parent, "night"), filepath.Join(parent, "night.tar")
	page := filepath.Join(parent, "four.html")
	succeed(t, "", trainArgs(path, "--run", dir, "--games", "200")...)
	require.NoError(t, os.Remove(path))
	kept, err := os.ReadFile(filepath.Join(dir, "game.wasm"))
	require.NoError(t, err)
	for _, call := range []struct {
		shows string
		args  []string
	}{
		{" 0 faults", []string{"runs", "verify", dir}},
		{"", []string{"train", "--resume", "--run", dir, "--games", "300", "--listen", "off", "--rate", "1s", "--quiet"}},
		{"verified", []string{"runs", "backup", dir, "--out", backup}},
		{" 0 faults", []string{"runs", "verify", backup}},
		{"main@1", []string{"arena", "--run", dir, "random", "main@1", "--games", "4"}},
		{"connect-four", []string{"runs", "--runs", parent}},
		{"main@1 of " + dir + " written to ", []string{"export", "--run", dir, "--version", "1", "--format", "html", "--out",
			page}},
		{"The game is over", []string{"play", "connect-four", "--run", dir, "--folder", parent, "--seed", "1"}},
	} {
		anotherProcess(t)
		moves := "" // of those who play: the first action at each of their turns
		if call.args[0] == "play" {
			moves = strings.Repeat("1\n", 21)
		}
		require.Contains(t, succeed(t, moves, call.args...), call.shows, call.args)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "main@1, a network trained by Croupier")
	anotherProcess(t)
	kept[len(kept)-1] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(dir, "game.wasm"), kept, 0o600))
	_, out, stderr := croupier("", "runs", "verify", dir)
	require.Contains(t, out+stderr, "game.wasm: its SHA-256 is ")
}

// A game that breaks its interface in the middle of a training ends it with a sentence.
func TestATrainingEndsWithAFaultOfItsGame(t *testing.T) {
	anotherProcess(t)
	path := kitFile(t, "testdata/hostile/rare-trap.wasm")
	status, _, stderr := croupier("", trainArgs(path, "--run", filepath.Join(t.TempDir(), "night"), "--games", "1000000")...)
	require.Equal(t, 1, status)
	require.Regexp(t, "(?m)^croupier: a legal step was refused: game coin from file ", stderr)
	require.Contains(t, stderr, ": export step(1) after [1,1,1,1,1,1,1]: unreachable")
}
