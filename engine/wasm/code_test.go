package wasm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// countedModule is the module of an example as it is compiled.
func countedModule(tb testing.TB, path string) []byte {
	tb.Helper()
	file, err := os.ReadFile(path)
	require.NoError(tb, err)
	m, err := metered(file)
	require.NoError(tb, err)
	return m
}

// requireCompiled compiles a module with a folder for its code and has it play.
func requireCompiled(tb testing.TB, folder string) {
	tb.Helper()
	entry := filepath.Join(folder, "kuhn")
	r, compiled, err := compile(context.Background(), countedModule(tb, "kits/c/kuhn.wasm"), entry)
	require.NoError(tb, err)
	f := &File{hash: strings.Repeat("0", 64), games: map[string]*Game{}, runtime: r, compiled: compiled}
	require.NoError(tb, f.describe())
	require.NoError(tb, r.Close(context.Background()))
}

// codeFile is the one file of machine code below a folder.
func codeFile(tb testing.TB, folder string) string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*"))
	require.NoError(tb, err)
	require.Len(tb, files, 1)
	return files[0]
}

// isNew reports whether the code was compiled again since: a file that was read is the same one.
func isNew(tb testing.TB, path string, before os.FileInfo) bool {
	tb.Helper()
	after, err := os.Stat(path)
	require.NoError(tb, err)
	return !os.SameFile(before, after)
}

func TestCodeIsReadAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "croupier", "code")
	requireCompiled(t, folder)
	path := codeFile(t, folder)
	before, err := os.Stat(path)
	require.NoError(t, err)
	requireCompiled(t, folder)
	require.False(t, isNew(t, path, before))
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "others cannot read it either")
}

// Whatever happens to what is kept, the module is compiled again, and kept again.
func TestDamagedCodeIsCompiledAgain(t *testing.T) {
	sums := func(path string) string { return filepath.Join(filepath.Dir(filepath.Dir(path)), sumsFile) }
	write := func(t *testing.T, path string, data []byte) { require.NoError(t, os.WriteFile(path, data, 0o600)) }
	for name, damage := range map[string]func(t *testing.T, path string, code []byte){
		"changed": func(t *testing.T, path string, code []byte) {
			code[len(code)/2] ^= 1
			write(t, path, code)
		},
		"cut off": func(t *testing.T, path string, code []byte) { write(t, path, code[:len(code)/2]) },
		"empty":   func(t *testing.T, path string, _ []byte) { write(t, path, nil) },
		"longer":  func(t *testing.T, path string, code []byte) { write(t, path, append(code, 0)) },
		"functions without number": func(t *testing.T, path string, code []byte) {
			copy(code[20:], "\xff\xff\xff\xff\xff\xff\xff\xff")
			write(t, path, code)
		},
		"a link": func(t *testing.T, path string, code []byte) {
			other := filepath.Join(t.TempDir(), "code")
			write(t, other, code)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink(other, path))
		},
		"no sums":       func(t *testing.T, path string, _ []byte) { require.NoError(t, os.Remove(sums(path))) },
		"sums cut off":  func(t *testing.T, path string, _ []byte) { write(t, sums(path), []byte("{")) },
		"sums of other": func(t *testing.T, path string, _ []byte) { write(t, sums(path), []byte(`{"a/b": "00"}`)) },
		"not known": func(t *testing.T, path string, _ []byte) {
			write(t, sums(path), []byte(`{"`+filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)+`": ""}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.Chmod(folder, 0o700))
			requireCompiled(t, folder)
			path := codeFile(t, folder)
			before, err := os.Stat(path)
			require.NoError(t, err)
			code, err := os.ReadFile(path)
			require.NoError(t, err)
			keep := filepath.Join(t.TempDir(), "same") // so that its place on the disk is not used again
			require.NoError(t, os.Link(path, keep))
			whole := append([]byte(nil), code...)
			damage(t, path, code)
			requireCompiled(t, folder)
			require.True(t, isNew(t, path, before))
			mended, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Len(t, mended, len(whole))
			before, err = os.Stat(path)
			require.NoError(t, err)
			requireCompiled(t, folder)
			require.False(t, isNew(t, path, before), "it is kept again")
		})
	}
}

// Processes that begin at the same time do not disturb one another, and leave code that the next one reads.
func TestCodeOfConcurrentStarts(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o700))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { requireCompiled(t, folder) })
	}
	wg.Wait()
	requireCompiled(t, folder)
	path := codeFile(t, folder)
	before, err := os.Stat(path)
	require.NoError(t, err)
	requireCompiled(t, folder)
	require.False(t, isNew(t, path, before))
}

// Where nothing can be kept, modules are compiled.
func TestNoPlaceForCode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	requireCompiled(t, filepath.Join(file, "code"))
	t.Run("nothing can be written", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root can write everywhere")
		}
		folder := t.TempDir()
		require.NoError(t, os.Chmod(folder, 0o500))
		requireCompiled(t, folder)
		require.NoError(t, os.Chmod(folder, 0o700))
		requireCompiled(t, folder)
		require.NoError(t, os.Chmod(filepath.Dir(codeFile(t, folder)), 0o500))
		path := codeFile(t, folder)
		before, err := os.Stat(path)
		require.NoError(t, err)
		requireCompiled(t, folder)
		require.False(t, isNew(t, path, before), "what is there can be read")
	})
}

// The code of modules that were used longest ago makes room for a new one.
func TestKeptCodeIsBounded(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o700))
	for i := range mostModules + 6 {
		entry := filepath.Join(folder, fmt.Sprintf("%064x", i))
		require.NoError(t, os.Mkdir(entry, 0o700))
		used := time.Now().Add(time.Duration(i-200) * time.Hour)
		require.NoError(t, os.Chtimes(entry, used, used))
	}
	requireCompiled(t, folder)
	codeFile(t, folder)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, mostModules)
	require.Equal(t, fmt.Sprintf("%064x", 7), entries[0].Name())
}

// What is too large for the bound does not stay.
func TestKeptCodeIsBoundedInBytes(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o700))
	old := filepath.Join(folder, "old")
	require.NoError(t, os.Mkdir(old, 0o700))
	large, err := os.Create(filepath.Join(old, "large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(mostCode)) // takes no room on the disk
	require.NoError(t, large.Close())
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(old, long, long))
	requireCompiled(t, folder)
	codeFile(t, folder)
	require.NoDirExists(t, old)
}

// A program that does not know the version of its runtime, such as this test, keeps no code.
func TestCodeOfAnUnknownRuntimeIsNotKept(t *testing.T) {
	folder := t.TempDir()
	KeepCode(folder)
	t.Cleanup(func() { KeepCode("") })
	require.Equal(t, knowsRuntime(), codeFolder == folder)
}

func TestSumsAreReadable(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o700))
	requireCompiled(t, folder)
	path := codeFile(t, folder)
	entry := filepath.Dir(filepath.Dir(path))
	text, err := os.ReadFile(filepath.Join(entry, sumsFile))
	require.NoError(t, err)
	var kept map[string]string
	require.NoError(t, json.Unmarshal(text, &kept))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fileSum(path, info), kept[filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)])
}

// The time from a module to one that can play, without and with kept code.
func BenchmarkCompile(b *testing.B) {
	for _, path := range []string{"kits/c/tic-tac-toe.wasm", "kits/rust/liars-dice.wasm"} {
		module := countedModule(b, path)
		folder := b.TempDir()
		require.NoError(b, os.Chmod(folder, 0o700))
		for name, kept := range map[string]string{"compiled": "", "kept": filepath.Join(folder, "entry")} {
			b.Run(filepath.Base(path)+"/"+name, func(b *testing.B) {
				for b.Loop() {
					r, _, err := compile(context.Background(), module, kept)
					require.NoError(b, err)
					require.NoError(b, r.Close(context.Background()))
				}
			})
		}
	}
}
