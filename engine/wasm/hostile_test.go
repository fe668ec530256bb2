package wasm_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/described"
	"croupier/engine/wasm"
)

// refusals are what is reported of each file of testdata/hostile that is refused when it is opened.
var refusals = map[string]string{
	"count":          "export step(1) after [1,1]: player 1 has 2147483648 possible steps: there are at most 2",
	"fill":           "export step(1) after [1,1]: it did not come back within",
	"import":         `it imports "open" of "host": only some functions of wasi_snapshot_preview1 can be imported`,
	"infinite":       "export step(1) after [1,1]: number 0 of the observation is +Inf",
	"initial-memory": "512 pages (32 Mi) over limit of 256 pages",
	"large":          "the return of seat 0 is 2: the description says max_return 1",
	"line-break":     "export name after []: the name of step 0 has a line break",
	"loop":           "export step(1) after [1,1]: it did not come back within",
	"no-address":     "steps: its address in the table is 0",
	"no-json":        "description: not JSON",
	"no-steps":       "player 1 has 0 possible steps",
	"no-text-end":    "export text after []: text: no zero ends it within",
	"not-a-number":   "export step(1) after [1,1]: number 0 of the observation is NaN",
	"order":          "possible step 1 of player 1 is 0 after 1: they must ascend below 2",
	"outside":        "the game depends on something besides its state",
	"over":           "export reset after []: the game is over at its beginning",
	"player":         "export step(1) after [1,1]: there is no player 7",
	"read":           "export step(1) after [1,1]: out of bounds memory access",
	"recursion":      "export step(1) after [1,1]: stack overflow",
	"state-beyond":   "state: 8 bytes from 65532 on reach beyond the memory of 65536",
	"state-size":     "state: 2147483648 bytes are not in 1..65536",
	"state-wraps":    "state: 8 bytes from 4294967292 on reach beyond the memory of 65536",
	"sum":            "the returns [1 1] do not sum to 0",
	"trap":           "export step(1) after [1,1]: unreachable",
	"unknown-key":    "description: game: unknown key",
	"version":        "its interface has the version 2, this program knows 1",
}

func hostile(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "hostile", name+".wasm"))
	require.NoError(t, err)
	return file
}

func TestHostileFilesAreRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.wasm")
	require.NoError(t, err)
	refused := 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".wasm")
		file, err := wasm.Open(hostile(t, name))
		message, bad := refusals[name]
		if !bad {
			require.NoError(t, err, name)
			continue
		}
		refused++
		require.ErrorContains(t, err, message, name)
		require.Regexp(t, "^game (coin from )?file [0-9a-f]{12}: ", err.Error())
		require.NotContains(t, err.Error(), "\n")
		require.Nil(t, file)
	}
	require.Equal(t, len(refusals), refused)
}

// A module that takes all the memory it can get has the pages of an instance, and plays on.
func TestMemoryIsBounded(t *testing.T) {
	f, err := wasm.Open(hostile(t, "memory"))
	require.NoError(t, err)
	g, err := f.New(nil)
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := g.NewState()
	for s.Player() != engine.Terminal {
		require.NoError(t, s.Apply(s.LegalActions(nil)[0]))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

// A fault that comes late is the error of the step, and of every later step of any state of the game.
func TestLateFaults(t *testing.T) {
	for name, export := range map[string]string{"rare-trap": "step(1) after [1,1,1,1,1,1,1]: unreachable",
		"rare-name": "name after [1,1,1,1,1,1,1,1]: the name of step 0 has a line break"} {
		f, err := wasm.Open(hostile(t, name))
		require.NoError(t, err)
		g, err := f.New(nil)
		require.NoError(t, err)
		s, other := g.NewState(), g.NewState()
		for err == nil && s.Player() != engine.Terminal {
			s.ActionName(0)
			err = s.Apply(1)
		}
		var fault *described.Fault
		require.ErrorAs(t, err, &fault, name)
		require.ErrorContains(t, err, "game coin from file "+f.Hash()[:12]+": export "+export)
		require.Equal(t, err, other.Apply(0), name)
		again, err := f.New(nil)
		require.NoError(t, err)
		require.NoError(t, again.NewState().Apply(0), "whoever begins again plays on")
	}
}

// module is a module of sections, each a byte for its number and its bytes.
func module(sections ...string) []byte {
	out := "\x00asm\x01\x00\x00\x00"
	for _, s := range sections {
		out += s[:1] + string(rune(len(s)-1)) + s[1:]
	}
	return []byte(out)
}

const (
	oneType   = "\x01\x01\x60\x00\x00"       // a function without parameters and results
	oneFunc   = "\x03\x01\x00"               // of that type
	oneMemory = "\x05\x01\x00\x01"           // of a page
	exported  = "\x07\x01\x06memory\x02\x00" // under that name
)

// Modules that do harm before anything is asked of them, or that only what counts their work could make valid.
func TestModulesThatAreRefused(t *testing.T) {
	code := func(body string) string { return "\x0a\x01" + string(rune(len(body)+1)) + "\x00" + body }
	for message, m := range map[string][]byte{
		"it is not a WebAssembly module of version 1": []byte("\x00asm\x02\x00\x00\x00"),
		"start function":                      module(oneType, oneFunc, oneMemory, exported, "\x08\x00", code("\x03\x40\x0c\x00\x0b\x0b")),
		"invalid index for global.get":        module(oneType, oneFunc, exported[:1]+"\x00", code("\x23\x00\x1a\x0b")),
		"invalid local index":                 module(oneType, oneFunc, code("\x20\x00\x1a\x0b")),
		"the module exports no memory":        module(oneType, oneFunc, "\x07\x01\x01f\x00\x00", code("\x0b")),
		"the module exports no function game": module(oneType, oneFunc, oneMemory, exported, code("\x0b")),
		"it exports nothing":                  module(oneType, oneFunc, code("\x0b")),
		"duplicates name \"croupier:fuel\"":   module(oneType, oneFunc, "\x07\x01\x0dcroupier:fuel\x00\x00", code("\x0b")),
		"it has a table of 65537 elements":    module("\x04\x01\x70\x00\x81\x80\x04", exported[:1]+"\x00"),
	} {
		_, err := wasm.Open(m)
		require.ErrorContains(t, err, message)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := wasm.Open(make([]byte, 5<<20))
	require.ErrorContains(t, err, "more than 4 MiB")
}

// Cut off or changed anywhere, a file is refused or plays: nothing panics.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"none", "recursion", "fill"} {
		file, err := os.ReadFile(filepath.Join("testdata", "hostile", name+".wasm"))
		require.NoError(f, err)
		f.Add(file, 300)
	}
	f.Fuzz(func(t *testing.T, file []byte, end int) {
		if end > 0 && end < len(file) {
			file = file[:end]
		}
		if g, err := wasm.Open(file); err == nil {
			require.NotEmpty(t, g.Name())
		}
	})
}

// States of one game move in several goroutines, and from one to another.
func TestStatesMoveBetweenGoroutines(t *testing.T) {
	g, err := example(t, "connect-four").New(nil)
	require.NoError(t, err)
	states := make(chan engine.State, 8)
	for range cap(states) {
		states <- g.NewState()
	}
	var group sync.WaitGroup
	for worker := range uint64(4) {
		group.Go(func() {
			rng := engine.NewRNG(worker, 0)
			for range 2000 {
				s := <-states
				if s.Player() == engine.Terminal {
					s.Reset()
				}
				legal := s.LegalActions(nil)
				if err := s.Apply(legal[rng.IntN(len(legal))]); err != nil {
					t.Error(err)
				}
				states <- s.Clone()
			}
		})
	}
	group.Wait()
	require.Len(t, states, cap(states))
}
