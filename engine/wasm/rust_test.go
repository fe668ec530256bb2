package wasm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/conformance"
	"croupier/engine/enginetest"
	"croupier/engine/enginetest/liarsdice"
	"croupier/engine/history"
)

const (
	rustKit = "kits/rust"
	// rustCompiler is the version that has made the files of the repository.
	rustCompiler = "rustc 1.95.0 "
)

func TestConformanceOfLiarsDice(t *testing.T) {
	f := exampleOf(t, rustKit, "liars-dice")
	t.Chdir("testdata/liars-dice")
	enginetest.Run(t, f.New, "faces: 2", "{dice: 2, faces: 3}", "{dice: 2, faces: 6}")
}

// With one die each it is the game that is written in Go: from the same seeds the same games.
func TestLiarsDiceIsTheGameInGo(t *testing.T) {
	f := exampleOf(t, rustKit, "liars-dice")
	for _, rules := range []string{"faces: 2", "faces: 3", "faces: 6"} {
		own, err := liarsdice.New([]byte(rules))
		require.NoError(t, err)
		twin, err := f.New([]byte(rules))
		require.NoError(t, err)
		requireTwins(t, own, twin)
	}
}

// Tic-tac-toe in Rust is tic-tac-toe in C.
func TestTicTacToeInRustIsThatInC(t *testing.T) {
	own, err := example(t, "tic-tac-toe").New(nil)
	require.NoError(t, err)
	twin, err := exampleOf(t, rustKit, "tic-tac-toe").New(nil)
	require.NoError(t, err)
	requireTwins(t, own, twin)
}

// requireTwins requires that two games play the same games from the same seeds, and show seats the same of each
// position.
func requireTwins(t *testing.T, own, twin engine.Game) {
	t.Helper()
	players := []engine.Bot{conformance.Random, conformance.Random}
	var a, b history.Record
	for seed := range uint64(100) {
		for game, record := range map[engine.Game]*history.Record{own: &a, twin: &b} {
			simulator, err := history.NewSimulator(game)
			require.NoError(t, err)
			require.NoError(t, simulator.Play(seed, players, record))
		}
		require.Equal(t, a.History, b.History, seed)
		require.Equal(t, a.Returns, b.Returns, seed)
		x, y := own.NewState(), twin.NewState()
		for _, step := range a.History {
			for seat := range 2 {
				require.Equal(t, observed(own, x, seat), observed(twin, y, seat))
			}
			if x.Player() >= 0 {
				require.Equal(t, x.LegalActions(nil), y.LegalActions(nil))
				require.Equal(t, x.ActionName(step), y.ActionName(step))
			}
			require.NoError(t, x.Apply(step))
			require.NoError(t, y.Apply(step))
		}
	}
}

func observed(g engine.Game, s engine.State, seat int) []float32 {
	values := make([]float32, g.Spec().ObservationSize)
	s.Observe(seat, values)
	return values
}

// A seat sees its own dice, and cups of the other until somebody is called a liar.
func TestLiarsDiceShowsCups(t *testing.T) {
	g, err := exampleOf(t, rustKit, "liars-dice").New([]byte("{dice: 2, faces: 6}"))
	require.NoError(t, err)
	s, viewed := g.NewState(), g.(engine.Viewed)
	show := func(eye int) string { return viewed.View(s, eye).(interface{ String() string }).String() }
	for _, step := range []int{5, 0, 2, 1, 7} {
		require.NoError(t, s.Apply(step))
	}
	require.Equal(t, "Seat 1: 6 1\nSeat 2: ? ?\nBid: 2x2", show(0))
	require.Equal(t, "Seat 1: ? ?\nSeat 2: 3 2\nBid: 2x2", show(1))
	require.Equal(t, "Seat 1: ? ?\nSeat 2: ? ?\nBid: 2x2", show(engine.Public))
	require.NoError(t, s.Apply(24))
	require.Equal(t, "Seat 1: 6 1\nSeat 2: 3 2\nBid: 2x2", show(0))
	returns := make([]float64, 2)
	s.Returns(returns)
	require.Equal(t, []float64{1, -1}, returns, "a two and the wild six")
}

// The files of the repository are what the sources in Rust make, byte for byte.
func TestFilesAreThoseOfTheSourcesInRust(t *testing.T) {
	sysroot, err := exec.Command("rustc", "--print", "sysroot").Output()
	if err == nil {
		_, err = os.Stat(filepath.Join(strings.TrimSpace(string(sysroot)), "lib", "rustlib", "wasm32-unknown-unknown"))
	}
	if err != nil {
		t.Skip("rustc or its target is not there: the games in Rust are not built again " +
			"(rustup target add wasm32-unknown-unknown)")
	}
	version, err := exec.Command("rustc", "--version").Output()
	require.NoError(t, err)
	requireFilesOf(t, rustKit, string(version), rustCompiler)
}
