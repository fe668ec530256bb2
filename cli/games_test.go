package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/games/standard"
	"croupier/internal/nightly"
)

// installed is the program that tests run: its games are those that come with it.
var installed = program{standard.Games}

// croupier runs a command line and returns its exit status, output and errors.
func croupier(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = installed.run(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// succeed runs a command line that must succeed silently and returns its output.
func succeed(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	status, stdout, stderr := croupier(stdin, args...)
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stderr)
	return stdout
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

const example = `{"game": "bank", "rules": {"players": 2, "rounds": 1}, "seed": 7, ` +
	`"history": [5, 0, 0, 1, 0, 1, 0, 6, 1], "returns": [1, -1], "scores": [77, 73]}`

func TestGamesListsEveryGame(t *testing.T) {
	table := lines(succeed(t, "", "games"))
	require.Len(t, table, 1+len(standard.Games.Games()))
	var infos []map[string]any
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "games", "--json")), &infos))
	require.Len(t, infos, len(standard.Games.Games()))
	for i, entry := range standard.Games.Games() {
		require.Regexp(t, "^"+entry.Name+` +\d+ +\d+ +\d+ +\S`, table[i+1])
		require.Equal(t, entry.Name, infos[i]["name"])
		require.Positive(t, infos[i]["observation_size"])
	}
}

func TestGamesTellsOfEveryBot(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game, err := entry.New(nil)
		require.NoError(t, err)
		text := succeed(t, "", "games", entry.Name)
		for _, bot := range game.Bots().Table {
			require.Regexp(t, "(?m)^"+regexp.QuoteMeta(bot.Call)+" +"+regexp.QuoteMeta(bot.Help)+"$", text)
		}
		require.Contains(t, text, "On every ladder: random, "+game.Bots().References[0])
	}
	status, _, stderr := croupier("", "games", "chess")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `unknown game "chess"; the games are bank`)
}

func TestReplayTracesTheExample(t *testing.T) {
	trace := lines(succeed(t, example, "replay", "-", "--trace"))
	require.Len(t, trace, 10)
	var first struct {
		Player, Taken int
		Outcomes      [][2]float64
	}
	require.NoError(t, json.Unmarshal([]byte(trace[0]), &first))
	require.Equal(t, -1, first.Player)
	require.Equal(t, 5, first.Taken)
	require.Len(t, first.Outcomes, 21)
	require.Equal(t, [2]float64{1, 2.0 / 36}, first.Outcomes[1])
	require.JSONEq(t, `{"game_index": 0, "step": 1, "player": 0, "legal": [0, 1], "position": ">0 0 | 1 | 1 | 1-6 | 70",
		"taken": 0}`, trace[1])
	require.JSONEq(t, `{"game_index": 0, "end": true, "returns": [1, -1], "scores": [77, 73]}`, trace[9])
}

func TestSimulateAndReplayAgree(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		n := nightly.Cases(5, 20)
		simulate := func(seed string) string {
			return succeed(t, "", "simulate", entry.Name, "--games", strconv.Itoa(n), "--seed", seed)
		}
		out := simulate("3")
		require.Len(t, lines(out), n)
		require.Equal(t, out, simulate("3"), "not the same bytes again")
		require.NotEqual(t, out, simulate("4"))
		require.Contains(t, succeed(t, out, "replay", "-"), fmt.Sprintf("%d games, ", n))
		trace := lines(succeed(t, out, "replay", "-", "--trace"))
		for _, line := range trace {
			require.True(t, json.Valid([]byte(line)), line)
		}
		require.JSONEq(t, strconv.Itoa(n-1), string(field(t, trace[len(trace)-1], "game_index")))
	}
}

func field(t *testing.T, line, key string) json.RawMessage {
	t.Helper()
	var object map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(line), &object))
	return object[key]
}

func TestSimulateSeedsFitADouble(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range lines(succeed(t, "", "simulate", "kuhn", "--games", "200")) {
		seed := string(field(t, line, "seed"))
		var asDouble float64
		require.NoError(t, json.Unmarshal([]byte(seed), &asDouble))
		require.Less(t, asDouble, 0x1p53)
		seen[seed] = true
	}
	require.Len(t, seen, 200)
}

func TestSimulateTakesRulesAndPolicies(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("players: 5\nrounds: 1\n"), 0o600))
	out := succeed(t, "", "simulate", "bank", "--rules", rules, "--policy", "rolls(1)")
	require.JSONEq(t, `{"players": 5, "rounds": 1, "roller": "round_robin", "repoll": true}`,
		string(field(t, out, "rules")))
	require.JSONEq(t, `[0, 0, 0, 0, 0]`, string(field(t, out, "returns")), "all bank the same at the first roll")
	require.Contains(t, succeed(t, "", "simulate", "pig", "--policy", "hold(20)"), `"seed":`)
}

func TestFilesInAndOut(t *testing.T) {
	dir := t.TempDir()
	histories, trace := filepath.Join(dir, "games.jsonl"), filepath.Join(dir, "trace.jsonl")
	require.Empty(t, succeed(t, "", "simulate", "pig", "--games", "3", "--out", histories))
	require.Empty(t, succeed(t, "", "replay", histories, "--trace", "--out", trace))
	require.Contains(t, succeed(t, "", "replay", histories), "3 games")
	content, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.Contains(t, string(content), `{"game_index":2,"end":true`)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "temporary files are left")
	require.Empty(t, succeed(t, "", "simulate", "pig", "--out", os.DevNull))
}

func TestFailedOutputLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	status, _, _ := croupier(strings.Replace(example, "6, 1]", "6, 2]", 1), "replay", "-", "--trace", "--out",
		filepath.Join(dir, "trace"))
	require.Equal(t, 1, status)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	status, _, stderr := croupier("", "simulate", "pig", "--out", filepath.Join(dir, "missing", "games"))
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "missing")
}

func TestReplayNamesLineAndStep(t *testing.T) {
	for name, test := range map[string]struct{ old, new, message string }{
		"illegal":        {"5, 0, 0", "5, 2, 0", "line 2, step 1: illegal action 2 of seat 1"},
		"illegal chance": {"[5,", "[21,", "line 2, step 0: illegal chance outcome 21"},
		"stops early":    {", 6, 1]", ", 6]", "line 2, step 8: the history stops where seat 1 is to move"},
		"continues":      {"6, 1]", "6, 1, 0]", "line 2, step 9: the history continues after the end"},
		"returns":        {"[1, -1]", "[-1, 1]", "line 2, step 9: the returns are [1 -1]"},
		"scores":         {"[77, 73]", "[77, 74]", "line 2, step 9: the scores are [77 73]"},
		"no integer":     {"5, 0, 0", "5, 0.5, 0", "line 2, step 1: "},
		"unknown game":   {"bank", "chess", `line 2: unknown game "chess"`},
		"unknown rule": {"rounds", "round",
			"line 2: bank: rules: round: unknown key (did you mean rounds?); the keys are players, rounds, roller, repoll"},
		"no object": {"{", "[", "line 2: not a JSON object"},
	} {
		broken := strings.Replace(example, test.old, test.new, 1)
		status, stdout, stderr := croupier(example+"\n"+broken+"\n"+example, "replay", "-")
		require.Equal(t, 1, status, name)
		require.Empty(t, stdout, name)
		require.Contains(t, stderr, "croupier: standard input: "+test.message, name)
	}
	status, stdout, _ := croupier(strings.Replace(example, "5, 0, 0", "5, 0, 7", 1), "replay", "-", "--trace")
	require.Equal(t, 1, status)
	require.Len(t, lines(stdout), 3, "the nodes up to the illegal step")
}

func TestWrongCalls(t *testing.T) {
	for _, args := range [][]string{
		{"simulate"},
		{"simulate", "chess"},
		{"simulate", "pig", "--policy", "nobody"},
		{"simulate", "pig", "--games", "-1"},
		{"simulate", "pig", "extra"},
		{"replay"},
		{"games", "pig", "kuhn"},
		{"games", "chess"},
	} {
		status, stdout, stderr := croupier("", args...)
		require.Equal(t, 2, status, "%v", args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "croupier: ", "%v", args)
	}
	status, _, stderr := croupier("", "replay", "no-such-file")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "no-such-file")
}

func TestReaderThatGoesAwayIsNoError(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	defer w.Close()
	var stderr bytes.Buffer
	status := installed.run(context.Background(), []string{"simulate", "bank", "--games", "1000"}, strings.NewReader(""),
		w, &stderr)
	require.Equal(t, 0, status)
	require.Empty(t, stderr.String())
}

func TestSimulateStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, installed.run(ctx, []string{"simulate", "bank"}, strings.NewReader(""), &stdout, &stderr))
	require.Contains(t, stderr.String(), "stopped after 0 of 1 games")
}

// --rules explains the rules of one game in steps, with dice and cards, and lists what can be changed; of a game
// without steps, what is known.
func TestGamesTellTheirRules(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		require.NotEmpty(t, entry.Steps, entry.Name)
		out := succeed(t, "", "games", entry.Name, "--rules")
		require.Contains(t, out, fmt.Sprintf("\n%2d. ", len(entry.Steps)), entry.Name)
		for _, line := range lines(out) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 80, line)
			require.Equal(t, strings.TrimRight(line, " "), line)
		}
	}
	bank := succeed(t, "", "games", "bank", "--rules")
	require.Contains(t, bank, "\n    [2] [6]\n")
	require.Contains(t, bank, "\n  players  2..8\n")
	require.NotContains(t, succeed(t, "", "games", "kuhn", "--rules"), "can be changed")
	silent := standard.Games.Games()[0]
	silent.Steps = nil
	var out bytes.Buffer
	args := []string{"games", "bank", "--rules"}
	require.Zero(t, program{catalog.New(silent)}.run(t.Context(), args, strings.NewReader(""), &out, &out))
	require.Contains(t, out.String(), "3 seats. The game has no further description of its rules.")
	require.Contains(t, refused(t, 2, "games", "--rules"), "--rules tells the rules of one game: croupier games bank --rules")
}
