package wasm_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/conformance"
	"croupier/engine/enginetest"
	"croupier/engine/wasm"
	"croupier/engine/wasm/wasmtest"
)

const goKit = "kits/go"

var (
	goMu    sync.Mutex
	goFiles = map[string]*wasm.File{}
)

// inGo builds a package of the kit for Go, once in a process.
func inGo(t testing.TB, name string) *wasm.File {
	t.Helper()
	goMu.Lock()
	defer goMu.Unlock()
	if f, ok := goFiles[name]; ok {
		return f
	}
	f, err := wasm.Open(wasmtest.Build(t, filepath.Join(goKit, name)))
	require.NoError(t, err)
	goFiles[name] = f
	return f
}

func TestConformanceOfNim(t *testing.T) {
	f := inGo(t, "nim")
	for _, rules := range []string{"", "{heap1: 1, heap2: 2, heap3: 0, heap4: 0, misere: true}"} {
		g, err := f.New([]byte(rules))
		require.NoError(t, err)
		for _, check := range conformance.Checks {
			fault, _ := check.Of(g, f.New)
			require.Nil(t, fault, check.Name)
		}
	}
}

// Tic-tac-toe in Go is tic-tac-toe in C.
func TestTicTacToeInGoIsThatInC(t *testing.T) {
	own, err := example(t, "tic-tac-toe").New(nil)
	require.NoError(t, err)
	twin, err := inGo(t, "tic-tac-toe").New(nil)
	require.NoError(t, err)
	requireTwins(t, own, twin)
}

// A player that leaves heaps whose nim-sum is 0 wins; in misère play with heaps of one object, one that leaves an odd
// number.
func TestNimIsWonByItsSum(t *testing.T) {
	g, err := inGo(t, "nim").New([]byte("{heap1: 1, heap2: 2, heap3: 3, heap4: 0}"))
	require.NoError(t, err)
	require.InDelta(t, -1, best(t, g.NewState()), 0, "1 xor 2 xor 3 is 0")
	g, err = inGo(t, "nim").New([]byte("{heap1: 1, heap2: 2, heap3: 2, heap4: 0}"))
	require.NoError(t, err)
	require.InDelta(t, 1, best(t, g.NewState()), 0)
	g, err = inGo(t, "nim").New([]byte("{heap1: 1, heap2: 1, heap3: 0, heap4: 0, misere: true}"))
	require.NoError(t, err)
	require.InDelta(t, 1, best(t, g.NewState()), 0)
}

// best is what the seat to move can win, the other losing as much.
func best(t *testing.T, s engine.State) float64 {
	t.Helper()
	mover := s.Player()
	result := -1.0
	for _, step := range s.LegalActions(nil) {
		next := s.Clone()
		require.NoError(t, next.Apply(step))
		value := 0.0
		if next.Player() == engine.Terminal {
			returns := make([]float64, 2)
			next.Returns(returns)
			value = returns[mover]
		} else {
			value = -best(t, next)
		}
		result = max(result, value)
	}
	return result
}

// What a game in Go throws away is collected while it plays, although the clock stands still: the texts here are more
// than an instance has memory.
func TestGarbageOfGoIsCollected(t *testing.T) {
	g, err := inGo(t, "nim").New(nil)
	require.NoError(t, err)
	s := g.NewState()
	for range 100_000 {
		require.Equal(t, "1: o\n2: ooo\n3: ooooo\n4: ooooooo", s.String())
	}
	require.NoError(t, s.Apply(0))
}

// ticTacToe builds that of the kit with a change of its source.
func ticTacToe(t *testing.T, from, to string) []byte {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(goKit, "tic-tac-toe", "tic-tac-toe.go"))
	require.NoError(t, err)
	kept, err := os.ReadFile(filepath.Join(goKit, "croupier", "croupier.go"))
	require.NoError(t, err)
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	require.Contains(t, string(source), from)
	write("go.mod", "module game\n\ngo 1.24\n")
	write("game.go", strings.NewReplacer(from, to, "croupier/engine/wasm/kits/go/", "game/").Replace(string(source)))
	write("croupier/croupier.go", string(kept))
	return wasmtest.Build(t, folder)
}

// A game that writes no returns for a draw has those of no other end.
func TestReturnsAreWrittenOverZeros(t *testing.T) {
	f, err := wasm.Open(ticTacToe(t, "Returns(to []float64) {", "Returns(to []float64) {\n\tif b.winner() < 0 {\n\t\treturn\n\t}"))
	require.NoError(t, err)
	g, err := f.New(nil)
	require.NoError(t, err)
	s, returns := g.NewState(), make([]float64, 2)
	for _, history := range [][]int{{0, 3, 1, 4, 2}, {0, 1, 2, 4, 3, 5, 7, 6, 8}} {
		s.Reset()
		for _, step := range history {
			require.NoError(t, s.Apply(step))
		}
		require.Equal(t, engine.Terminal, s.Player())
		s.Returns(returns)
		require.InDelta(t, map[int]float64{5: 1, 9: 0}[len(history)], returns[0], 0)
	}
}

// A panic in Go is a fault of the game that reports why.
func TestPanicInGoSaysWhy(t *testing.T) {
	for _, fault := range []struct{ from, to, message string }{
		{"b.moves++", "b.moves++\n\tif b.moves == 3 {\n\t\tb.marks[b.moves*9] = 1\n\t}",
			`export step\(\d\) after \[\d,\d\]: .*: panic: runtime error: index out of range \[27\] with length 9$`},
		{"moves int8", "moves int8\n\tlog []int",
			`export _initialize: .*: panic: board\.log is a slice: a position has only numbers, truth values and arrays of them$`},
	} {
		_, err := wasm.Open(ticTacToe(t, fault.from, fault.to))
		require.Error(t, err)
		require.Regexp(t, fault.message, err.Error())
	}
}

func BenchmarkPlayoutsOfNimInGo(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, inGo(b, "nim").New, "")
}

func BenchmarkPlayoutsOfTicTacToeInGo(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, inGo(b, "tic-tac-toe").New, "")
}
