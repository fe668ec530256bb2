package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/engine/program"
	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/solver"
)

// openSpiel returns the game that the bridge makes of one of OpenSpiel.
func openSpiel(t *testing.T, name string) engine.Game {
	t.Helper()
	command, err := program.Named("openspiel(copies=1):" + name)
	require.NoError(t, err)
	p, err := program.Open(command)
	require.NoError(t, err)
	game, err := p.New(nil)
	require.NoError(t, err)
	return game
}

// asked returns a function that has OpenSpiel answer lines.
func asked(t *testing.T) func(lines []any, answers any) {
	python := peer(t, "OPENSPIEL_PYTHON", "pyspiel")
	for _, pair := range python().Env {
		if name, value, _ := strings.Cut(pair, "="); name == "PYTHONPATH" {
			t.Setenv(name, value) // of the bridge as well
		}
	}
	return func(lines []any, answers any) {
		var in bytes.Buffer
		for _, line := range lines {
			require.NoError(t, json.NewEncoder(&in).Encode(line))
		}
		command := python("openspiel_returns.py")
		command.Stdin, command.Stderr = &in, os.Stderr
		out, err := testproc.Output(command)
		require.NoError(t, err)
		list := "[" + strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), ",") + "]"
		require.NoError(t, json.Unmarshal([]byte(list), answers))
	}
}

type playout struct {
	Game    string `json:"game"`
	History []int  `json:"history"`
}

var random = engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int {
	return legal[rng.IntN(len(legal))]
})

// Games of OpenSpiel end here as they end there: with and without chance, hidden information, simultaneous moves and
// steps that a seat does not notice, for two and for three.
func TestOpenSpielGamesEndAlike(t *testing.T) {
	ask := asked(t)
	var lines []any
	var ours [][]float64
	for _, name := range []string{"tic_tac_toe", "connect_four", "liars_dice", "goofspiel(imp_info=True,num_cards=4)",
		"dark_hex(board_size=3)", "kuhn_poker(players=3)", "leduc_poker", "backgammon"} {
		game := openSpiel(t, name)
		simulator, err := history.NewSimulator(game)
		require.NoError(t, err)
		bots := make([]engine.Bot, game.Spec().Seats)
		for i := range bots {
			bots[i] = random
		}
		for seed := range uint64(10) {
			var r history.Record
			require.NoError(t, simulator.Play(seed, bots, &r), name)
			lines = append(lines, playout{name, r.History})
			ours = append(ours, r.Returns)
		}
	}
	var theirs [][]float64
	ask(lines, &theirs)
	require.Len(t, theirs, len(ours))
	for i := range ours {
		require.InDeltaSlice(t, theirs[i], ours[i], 1e-9, "%v", lines[i])
	}
}

// Who sees what is the same here and there: what a player at random can lose is OpenSpiel's own number, and CFR+ finds
// on their Kuhn and Leduc poker what it finds on ours.
func TestOpenSpielGamesAreAsExploitable(t *testing.T) {
	ask := asked(t)
	names := map[string]string{"kuhn_poker": "kuhn", "leduc_poker": "leduc", "goofspiel(imp_info=True,num_cards=3)": ""}
	for theirs, ours := range names {
		var there []float64
		ask([]any{map[string]string{"game": theirs}}, &there)
		bridged := openSpiel(t, theirs)
		require.InDelta(t, there[0], uniform(t, bridged), 1e-9, theirs)
		if ours == "" {
			continue
		}
		own, err := standard.Games.New(ours, nil)
		require.NoError(t, err)
		require.InDelta(t, solved(t, own), solved(t, bridged), 1e-6, theirs)
	}
}

// Histories of the bridge that lead to the same position share it, so that games of open information are solved: these
// are the known numbers of positions, and the known values of Nim and hex.
func TestOpenSpielGamesAreSolved(t *testing.T) {
	asked(t)
	for name, want := range map[string]struct {
		positions int
		value     float64
	}{"tic_tac_toe": {5478, 0}, "nim": {752, -1}, "hex(board_size=3)": {5514, 1}} {
		p, err := solver.NewPositions(openSpiel(t, name), 10_000)
		require.NoError(t, err)
		require.Equal(t, want.positions, p.Nodes(), name)
		require.InDelta(t, want.value, p.Optimum().Value(), 0, name)
	}
}

// solved is the exploitability that 200 iterations of CFR+ reach.
func solved(t *testing.T, game engine.Game) float64 {
	tree, err := solver.NewTree(game, 1_000_000)
	require.NoError(t, err)
	c, err := solver.NewCFR(tree, solver.Plus)
	require.NoError(t, err)
	c.Run(200)
	return c.Average().Exploitability()
}
