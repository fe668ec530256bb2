package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/wasm/wasmtest"
	"croupier/internal/platform"
)

// keepHere makes this process keep code in a folder, which it returns.
func keepHere(tb testing.TB) string {
	tb.Helper()
	folder := tb.TempDir()
	require.NoError(tb, os.Chmod(folder, 0o700))
	before := codeFolder
	codeFolder = folder
	tb.Cleanup(func() { codeFolder = before })
	return folder
}

// openAgain opens a file as a process does that begins.
func openAgain(tb testing.TB, path string) (*File, string, error) {
	tb.Helper()
	f, hash, err := openAlone(tb, path)
	if f != nil {
		tb.Cleanup(func() { f.runtime.Close(tb.Context()) })
	}
	return f, hash, err
}

func openAlone(tb testing.TB, path string) (*File, string, error) {
	tb.Helper()
	file, err := os.ReadFile(path)
	require.NoError(tb, err)
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	f, err := open(file, hash)
	return f, hash, err
}

// The rules under which a game was tried are kept, and only those.
func TestGamesAreTriedOnce(t *testing.T) {
	folder := keepHere(t)
	f, hash, err := openAgain(t, "kits/rust/liars-dice.wasm")
	require.NoError(t, err)
	path := filepath.Join(folder, hash, triedFile)
	kept := func() string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	require.JSONEq(t, `{"version": 1, "rules": ["[1 4]"]}`, kept())
	_, err = f.New([]byte("faces: 6"))
	require.NoError(t, err)
	require.JSONEq(t, `{"version": 1, "rules": ["[1 4]", "[1 6]"]}`, kept())
	f, _, err = openAgain(t, "kits/rust/liars-dice.wasm")
	require.NoError(t, err)
	require.True(t, f.tried.under("[1 6]"))
	_, err = f.New([]byte("faces: 6"))
	require.NoError(t, err)
	require.JSONEq(t, `{"version": 1, "rules": ["[1 4]", "[1 6]"]}`, kept())
}

// What was tried is believed, unless it is damaged or of another version.
func TestWhatWasTriedIsBelieved(t *testing.T) {
	folder := keepHere(t)
	const faulty = "testdata/hostile/sum.wasm"
	_, hash, err := openAgain(t, faulty)
	require.Error(t, err, "it is found when the game is tried")
	path := filepath.Join(folder, hash, triedFile)
	require.NoFileExists(t, path)
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(`{"version": 1, "rules": ["[]"]}`)
	_, _, err = openAgain(t, faulty)
	require.NoError(t, err)
	for _, other := range []string{`{"version": 0, "rules": ["[]"]}`, `{"version": 1, "rules": ["[7]"]}`, `{"version": 1,`} {
		write(other)
		_, _, err = openAgain(t, faulty)
		require.Error(t, err, other)
	}
}

// The time from a file to its game: of one that is new, and of one that was tried before. Processor time says more on a
// busy machine.
func BenchmarkOpen(b *testing.B) {
	inGo := filepath.Join(b.TempDir(), "nim.go.wasm")
	require.NoError(b, os.WriteFile(inGo, wasmtest.Build(b, "kits/go/nim"), 0o600))
	for _, path := range []string{"kits/c/tic-tac-toe.wasm", "kits/rust/liars-dice.wasm", inGo} {
		for name, keep := range map[string]func(testing.TB) string{"new": nil, "kept": keepHere} {
			b.Run(filepath.Base(path)+"/"+name, func(b *testing.B) {
				if keep != nil {
					keep(b)
					openOnce(b, path)
				}
				before := platform.ProcessorTime()
				for b.Loop() {
					openOnce(b, path)
				}
				b.ReportMetric(float64(platform.ProcessorTime()-before)/float64(b.N)/1e6, "cpu-ms/op")
			})
		}
	}
}

func openOnce(b *testing.B, path string) {
	f, _, err := openAlone(b, path)
	require.NoError(b, err)
	require.NoError(b, f.runtime.Close(b.Context()))
}
