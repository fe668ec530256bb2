package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/league"
	"croupier/messages"
	"croupier/nn"
)

func TestExportAndArena(t *testing.T) {
	dir := trained(t)
	ladder, err := league.ReadLadder(dir)
	require.NoError(t, err)
	champion, _ := ladder.Best()
	best := champion.Name
	require.NotEmpty(t, best)
	t.Chdir(t.TempDir())
	said := succeed(t, "", "export", "--run", dir, "--best", "--out", "best.safetensors")
	require.Contains(t, said, best+" of "+dir)
	require.Contains(t, said, "It plays best as file:best.safetensors\n", "in poker a network has to mix")
	evidence := lines(said)[1]
	require.Regexp(t, best+" is best because it (was the first version|passed the gate against main@)", evidence)
	succeed(t, "", "export", "--run", dir, "--version", "1", "--out", "first.safetensors")
	succeed(t, "", "export", "--run", dir, "--out", "default.safetensors")
	require.Equal(t, readFile(t, "best.safetensors"), readFile(t, "default.safetensors"))
	again := []string{"export", "--run", dir, "--version", "1", "--out", "default.safetensors"}
	require.Contains(t, refused(t, 2, again...), "--out default.safetensors: it exists already: add --force")
	require.Equal(t, readFile(t, "best.safetensors"), readFile(t, "default.safetensors"), "it was not replaced")
	succeed(t, "", append(again, "--force")...)
	require.Equal(t, readFile(t, "first.safetensors"), readFile(t, "default.safetensors"))

	metadata := exported(t, "best.safetensors")
	require.Equal(t, "kuhn", metadata["game"])
	require.Equal(t, "{}", metadata["rules"])
	require.JSONEq(t, `{"dense":[32,32]}`, metadata["description"])
	require.Equal(t, best, metadata["agent"])
	require.Equal(t, evidence, metadata["best"])
	require.Equal(t, "1", metadata["temperature"])
	require.Equal(t, "trained", metadata["run"])
	for _, a := range ladder.Agents {
		if a.Name == best {
			require.InDelta(t, a.Rating, number(t, metadata["rating"]), 0.00051)
			require.InDelta(t, a.Low, number(t, metadata["rating_low"]), 0.00051)
			require.InDelta(t, a.High, number(t, metadata["rating_high"]), 0.00051)
			require.Equal(t, "antes per game", metadata["rating_unit"])
			require.Equal(t, "equilibrium(0.2)", metadata["rating_zero"])
			require.InDelta(t, float64(a.Games), number(t, metadata["rating_games"]), 0)
		}
	}
	require.Positive(t, number(t, metadata["version"]))
	first := exported(t, "first.safetensors")
	require.Equal(t, "main@1", first["agent"])
	updates := number(t, first["updates"]) // of the weights that the league has seen first, mostly 0
	if best != "main@1" {
		require.Greater(t, number(t, metadata["updates"]), updates)
		require.Positive(t, number(t, metadata["samples"]))
	}

	// The files are agents in any directory, next to those of the run.
	arena := []string{"arena", "file:best.safetensors", "file:first.safetensors", "main@1", "greedy:main@1", "random",
		"solver:equilibrium", "--game", "kuhn", "--run", dir, "--games", "60", "--seed", "3", "--json"}
	once := succeed(t, "", append(arena, "--workers", "1")...)
	require.Equal(t, once, succeed(t, "", append(arena, "--workers", "3")...), "the number of workers shows in the result")
	require.NotEqual(t, once, succeed(t, "", append(arena, "--seed", "4")...), "the seed does not show in the result")
	tournament := requireLadder(t, once)
	require.Len(t, tournament.Agents, 6)
	require.Len(t, tournament.Payoff, 6*5)
	games := map[string]uint64{}
	for _, p := range tournament.Payoff {
		require.Equal(t, uint64(60), p.Games)
		games[p.A] += p.Games
		if p.A == "file:first.safetensors" && p.B == "main@1" {
			require.Zero(t, p.MeanReturnA, "the same weights with the same cards in both seats")
		}
	}
	for _, a := range tournament.Agents {
		require.Equal(t, games[a.Name], a.Games, a.Name)
	}
	require.Contains(t, succeed(t, "", "arena", "file:best.safetensors", "random", "--game", "kuhn", "--games", "20"),
		"kuhn: ratings in antes per game")
	require.Len(t, lines(succeed(t, "", "simulate", "kuhn", "--policy", "file:best.safetensors", "--games", "3")), 3)
}

// requireLadder reads the ladder's JSON and requires the keys that are promised.
func requireLadder(t *testing.T, text string) *messages.Ladder {
	t.Helper()
	var document struct {
		Game   *string
		Agents []map[string]json.RawMessage
		Payoff []map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	require.Equal(t, "kuhn", *document.Game)
	for _, a := range document.Agents {
		for _, key := range []string{"name", "kind", "rating", "low", "high", "games", "best"} {
			require.Contains(t, a, key)
		}
	}
	for _, p := range document.Payoff {
		for _, key := range []string{"a", "b", "games", "mean_return_a", "low", "high"} {
			require.Contains(t, p, key)
		}
	}
	ladder, err := messages.ParseLadder([]byte(text))
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, a := range ladder.Agents {
		kinds[a.Kind] = true
		require.LessOrEqual(t, a.Low, a.Rating)
		require.GreaterOrEqual(t, a.High, a.Rating)
	}
	require.Equal(t, map[string]bool{"network": true, "bot": true, "solver": true}, kinds)
	return ladder
}

func exported(t *testing.T, path string) map[string]string {
	t.Helper()
	file, _, err := nn.Decode(readFile(t, path), standard.Games.New)
	require.NoError(t, err)
	return file.Metadata
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

func TestExportRefuses(t *testing.T) {
	dir := trained(t)
	out := filepath.Join(t.TempDir(), "out")
	require.Contains(t, refused(t, 2, "export", "--run", dir, "--version", "999", "--out", out), "has no version main@999")
	require.Contains(t, refused(t, 2, "export", "--run", dir, "--format", "gguf", "--out", out),
		"--format gguf: it is not safetensors, onnx, html or wasm")
	family, err := filepath.Abs("../games/bank/trained/family.safetensors")
	require.NoError(t, err)
	require.Contains(t, refused(t, 1, "export", "--agent", "file:"+family, "--game", "bank", "--format", "html", "--out", out),
		"family.safetensors plays a family of tables, and a page is one table")
	require.Contains(t, refused(t, 1, "export", "--agent", "file:"+family, "--game", "bank", "--format", "wasm", "--out", out),
		"family.safetensors plays a family of tables, and the file holds one table")
	require.Contains(t, refused(t, 1, "export", "--agent", "random", "--game", "pig", "--out", out),
		"agent random is not a network")
	require.Contains(t, refused(t, 2, "export", "--agent", "trained", "--game", "chess", "--out", out), "chess")
	require.Contains(t, refused(t, 1, "export", "--run", t.TempDir(), "--out", out), "holds no run")
	require.Contains(t, refused(t, 1, "export", "--run", dir, "--out", filepath.Join(out, "x")), out)
	damaged := filepath.Join(dir, "population", "main@1.safetensors")
	require.NoError(t, os.WriteFile(damaged, readFile(t, filepath.Join(dir, "population", "main@2.safetensors")), 0o600))
	require.Contains(t, refused(t, 1, "export", "--run", dir, "--version", "1", "--out", out), "was frozen")
	list := filepath.Join(dir, "population", "members.jsonl")
	kept := readFile(t, list)
	require.NoError(t, os.Remove(list))
	require.Contains(t, refused(t, 1, "export", "--run", dir, "--version", "1", "--out", out), "the ladder rates")
	require.NoError(t, os.WriteFile(list, kept, 0o600))
	require.NoError(t, os.WriteFile(damaged, readFile(t, damaged)[:100], 0o600))
	require.Contains(t, refused(t, 1, "export", "--run", dir, "--version", "1", "--out", out), "version main@1: ")
	require.NoFileExists(t, out)
	status, _, stderr := croupier("", "export", "--run", dir)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "give --out")
	status, _, stderr = croupier("", "export", "--run", dir, "--best", "--version", "1", "--out", out)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--best and --version do not go together")
}

// A game that comes with the program is in the page as WebAssembly, with the network and the game's own board.
func TestExportHTML(t *testing.T) {
	dir := trained(t)
	t.Chdir(t.TempDir())
	said := succeed(t, "", "export", "--run", dir, "--version", "1", "--format", "html", "--out", "kuhn.html")
	require.Contains(t, said, "main@1 of "+dir+" written to kuhn.html")
	page := string(readFile(t, "kuhn.html"))
	require.Contains(t, page, "<title>Kuhn poker · Croupier</title>")
	require.Contains(t, page, `"board":"board-kuhn.js"`)
	require.Less(t, len(page), 3_000_000)
}

// Game and network are one WebAssembly module, which says what it is.
func TestExportWasm(t *testing.T) {
	t.Chdir(t.TempDir())
	said := succeed(t, "", "export", "--agent", "trained", "--game", "kuhn", "--format", "wasm", "--out", "kuhn.wasm")
	require.Contains(t, said, "trained written to kuhn.wasm")
	require.NotContains(t, said, "plays best", "this program cannot read it")
	file := readFile(t, "kuhn.wasm")
	require.True(t, bytes.HasPrefix(file, []byte("\x00asm\x01\x00\x00\x00")))
	require.True(t, bytes.Contains(file, []byte(`{"agent":"trained","description":"{\"dense\":[32,32]}","game":"kuhn","rules":"{}"`)))
}

func TestExportONNX(t *testing.T) {
	dir := trained(t)
	t.Chdir(t.TempDir())
	said := succeed(t, "", "export", "--run", dir, "--version", "1", "--format", "onnx", "--out", "first.onnx")
	require.Contains(t, said, "main@1 of "+dir+" written to first.onnx")
	require.NotContains(t, said, "plays best", "this program cannot read it")
	require.True(t, bytes.Contains(readFile(t, "first.onnx"), []byte("policy.betting.0.weight")))
	succeed(t, "", "export", "--agent", "trained", "--game", "leduc", "--format", "onnx", "--out", "leduc.onnx")
	require.True(t, bytes.Contains(readFile(t, "leduc.onnx"), []byte("temperature")))
	said = succeed(t, "", "export", "--agent", "trained", "--game", "pig", "--out", "pig.safetensors")
	require.Contains(t, said, "trained written to pig.safetensors")
	require.Contains(t, said, "It plays best as greedy:file:pig.safetensors")
	require.Equal(t, "trained", exported(t, "pig.safetensors")["agent"])
}

func TestArenaRefuses(t *testing.T) {
	dir := trained(t)
	t.Chdir(t.TempDir())
	succeed(t, "", "export", "--run", dir, "--version", "1", "--out", "kuhn.safetensors")
	whole := readFile(t, "kuhn.safetensors")
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)-3] ^= 1
	write := func(name string, content []byte) { require.NoError(t, os.WriteFile(name, content, 0o600)) }
	write("short.safetensors", whole[:len(whole)-1])
	write("flipped.safetensors", flipped)
	write("text.safetensors", []byte("no weights at all"))
	write("empty.safetensors", nil)
	write("rules.yaml", []byte("target: 50\n"))
	for _, test := range []struct {
		status int
		args   []string
		want   string
	}{
		{2, []string{"random", "nobody", "--game", "kuhn"}, `unknown agent "nobody" of kuhn; there are beginner, `},
		{2, []string{"random", "solver:optimal", "--game", "bank"},
			"agent solver:optimal: it is the answer to bank for 2 seats, this one has 3"},
		{2, []string{"random", "threshold(many)", "--game", "bank"}, "agent threshold(many): "},
		{2, []string{"random", "solver:optimal", "--game", "kuhn"},
			"agent solver:optimal: the solvers of kuhn are solver:equilibrium"},
		{2, []string{"random", "main@1", "--game", "kuhn"}, "agent main@1: a version of a run needs --run"},
		{2, []string{"random", "main@999", "--run", dir}, "agent main@999: run " + dir + " has no version main@999"},
		{2, []string{"random", "main@../../x", "--run", dir}, "agent main@../../x: "},
		{1, []string{"random", "file:none.safetensors", "--game", "kuhn"},
			"agent file:none.safetensors: open none.safetensors: no such file"},
		{1, []string{"random", "file:short.safetensors", "--game", "kuhn"}, "agent file:short.safetensors: "},
		{1, []string{"random", "file:flipped.safetensors", "--game", "kuhn"}, "agent file:flipped.safetensors: "},
		{1, []string{"random", "file:text.safetensors", "--game", "kuhn"}, "agent file:text.safetensors: "},
		{1, []string{"random", "file:empty.safetensors", "--game", "kuhn"}, "agent file:empty.safetensors: "},
		{1, []string{"random", "file:kuhn.safetensors", "--game", "pig"},
			"agent file:kuhn.safetensors: it is for kuhn, not pig"},
		{2, []string{"random", "search:kuhn.safetensors", "--game", "kuhn"},
			"agent search:kuhn.safetensors: kuhn cannot be searched: it hides cards, and what the others do reveals them"},
		{2, []string{"random", "search:random", "--game", "pig"},
			"agent search:random: random is not a network: it does not know what positions are worth"},
		{2, []string{"random", "search:", "--game", "pig"}, "agent search:: it does not say which network searches"},
		{2, []string{"random", "search:search:main@1", "--game", "pig"}, "a search cannot contain a search"},
		{1, []string{"random", "search:file:none.safetensors", "--game", "pig"},
			"agent file:none.safetensors: open none.safetensors: no such file"},
		{2, []string{"random", "search(99):random", "--game", "pig"}, "agent search(99):random: depth is 99, not in 1..64"},
		{2, []string{"random", "search(1,2,3):random", "--game", "pig"},
			"at most two numbers are allowed, depth and samples"},
		{2, []string{"random", "search(1.5):random", "--game", "pig"}, "1.5 is not a whole number"},
		{2, []string{"random", "search(1:random", "--game", "pig"}, "agent search(1:random: "},
		{2, []string{"random", "random", "--game", "kuhn"}, "agent random is named twice"},
		{2, []string{"random", "always-bet", "--game", "chess"}, `unknown game "chess"`},
		{2, []string{"random", "always-bet"}, "name the game with --game, or a run with --run"},
		{2, []string{"random", "always-bet", "--game", "pig", "--run", dir}, "--game pig: the run " + dir + " is of kuhn"},
		{2, []string{"random", "always-bet", "--game", "kuhn", "--games", "0"}, "--games and --workers must be at least 1"},
		{2, []string{"random", "hold(20)", "--game", "pig", "--rules", "rules.yaml", "--games", "x"},
			"--games x: it must be a whole number"},
	} {
		args := append([]string{"arena"}, test.args...)
		status, stdout, stderr := croupier("", args...)
		require.Equal(t, test.status, status, "%v: %s", args, stderr)
		require.Empty(t, stdout)
		require.Contains(t, lines(stderr)[0], test.want, "%v", args)
	}
}

// A network is for the rules that it learnt.
func TestAgentsOfOtherRules(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("short.yaml", []byte("target: 20\n"), 0o600))
	game, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	layout, err := nn.NewLayout(nn.Description{Dense: []int{4}}, game.Spec())
	require.NoError(t, err)
	network, err := nn.NewNetwork(layout, layout.Init(1)) // one that rolls: one that always holds plays for ever
	require.NoError(t, err)
	file, err := nn.NewFile(network, game, nil)
	require.NoError(t, err)
	encoded, err := file.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("pig.safetensors", encoded, 0o600))
	short := []string{"--game", "pig", "--rules", "short.yaml"}
	arena := func(args ...string) []string { return append(append([]string{"arena"}, args...), short...) }
	simulate := func(args ...string) []string {
		return append([]string{"simulate", "pig", "--rules", "short.yaml", "--policy"}, args...)
	}
	succeed(t, "", arena("file:pig.safetensors", "greedy:file:pig.safetensors", "random", "--games", "2")...)
	cool := succeed(t, "", simulate("temperature(0.5):file:pig.safetensors", "--seed", "5")...)
	require.Equal(t, cool, succeed(t, "", simulate("temperature(0.5):file:pig.safetensors", "--seed", "5")...))
	require.Contains(t, succeed(t, cool, "replay", "-"), "1 game, ")
	require.Contains(t, refused(t, 2, arena("search:greedy:file:pig.safetensors", "random")...),
		"write search:file:pig.safetensors")
	require.Contains(t, refused(t, 2, arena("greedy:solver:optimal", "random")...),
		"only trained networks have a temperature")
	searched := arena("file:pig.safetensors", "search(2):file:pig.safetensors", "--games", "2")
	require.Contains(t, succeed(t, "", searched...), "ms a move")
	once := succeed(t, "", append(searched, "--json")...)
	require.Equal(t, once, succeed(t, "", append(searched, "--json", "--workers", "3")...))
	require.NotContains(t, once, "ms")
	require.Len(t, lines(succeed(t, "", simulate("search(2):file:pig.safetensors")...)), 1)
	require.Regexp(t, `agent file:pig.safetensors: it is for pig .*20.*, not pig .*100`,
		refused(t, 1, "arena", "file:pig.safetensors", "random", "--game", "pig"))
}
