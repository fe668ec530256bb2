package wasm

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"croupier/engine/wasm/asm"
)

const addedPages = 2

// runJoined joins a module with a function that calls its _initialize, and calls that.
func runJoined(t *testing.T, file []byte) error {
	t.Helper()
	joined, err := Join(file, func(m *Module) (*Added, error) {
		f, ok := m.Function("_initialize")
		require.True(t, ok)
		return &Added{Pages: addedPages, Data: []byte("added"), Functions: []asm.Function{
			{Export: "run", Body: asm.Call(f)},
		}}, nil
	})
	require.NoError(t, err)
	r := wazero.NewRuntime(t.Context())
	defer r.Close(t.Context())
	module, err := r.Instantiate(t.Context(), joined)
	require.NoError(t, err)
	_, err = module.ExportedFunction("run").Call(t.Context())
	own, ok := module.Memory().Read(0, 8)
	require.True(t, ok)
	require.Equal(t, "added\x00\x00\x00", string(own), "memory that the game does not reach")
	return err
}

// withCode is a module whose _initialize is the code.
func withCode(code ...asm.Code) []byte {
	return assembled{hostModule, "sched_yield", nil, results(""), asm.Join(code...), []byte("data")}.built()
}

func unless(condition asm.Code) asm.Code {
	return asm.If(asm.Op(asm.I32Eqz, condition), asm.Unreachable)
}

// A game that is joined finds its own memory where it was, in the size that it had, and reaches no other.
func TestJoinedMemory(t *testing.T) {
	is := func(v asm.Code, want int) asm.Code { return unless(asm.Op(asm.I32Eq, v, asm.Int(want))) }
	size, grow := asm.Code{0x3f, 0}, func(pages int) asm.Code { return append(asm.Int(pages), 0x40, 0) }
	word := func(address int) asm.Code { return asm.Load(asm.I32Load, asm.Int(address), 0) }
	require.NoError(t, runJoined(t, withCode(
		is(word(0), 'd'|'a'<<8|'t'<<16|'a'<<24),
		is(size, 1), is(grow(1), 1), is(size, 2), is(grow(1<<16), -1), is(size, 2),
		asm.Store(asm.I32Store, asm.Int(2*PageSize-4), 0, asm.Int(7)),
		is(word(2*PageSize-4), 7),
		asm.Copy(asm.Int(8), asm.Int(0), asm.Int(4)), is(word(8), 'd'|'a'<<8|'t'<<16|'a'<<24),
		asm.Fill(asm.Int(8), asm.Int(1), asm.Int(4)), is(word(8), 0x01010101), is(word(12), 0),
	)))
	for _, outside := range []asm.Code{
		asm.Store(asm.I32Store, asm.Int(PageSize), 0, asm.Int(7)),
		asm.Store(asm.I32Store, asm.Int(-addedPages*PageSize), 0, asm.Int(7)),
		asm.Store(asm.I32Store, asm.Int(0), 1<<32-1, asm.Int(7)),
		asm.Fill(asm.Int(-addedPages*PageSize), asm.Int(1), asm.Int(4)),
		asm.Copy(asm.Int(0), asm.Int(-addedPages*PageSize), asm.Int(4)),
	} {
		require.Error(t, runJoined(t, withCode(outside)), outside)
	}
}

func TestJoinRefuses(t *testing.T) {
	file, err := os.ReadFile("kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	none := func(*Module) (*Added, error) { return &Added{}, nil }
	for at := range file {
		_, err := Join(file[:at], none) // an error, or a module that is cut between two sections
		if at < len(magic) {
			require.ErrorContains(t, err, "it is not a WebAssembly module")
		}
	}
	own := errors.New("no network")
	_, err = Join(file, func(*Module) (*Added, error) { return nil, own })
	require.ErrorIs(t, err, own)
	_, err = Join(assembled{hostModule, "sock_send", nil, results(""), nil, nil}.built(), none)
	require.ErrorContains(t, err, `it imports "sock_send", for which one file has no answer`)
	initialise := append(asm.Join(asm.Int(0), asm.Int(0), asm.Int(0)), 0xfc, 8, 0, 0)
	_, err = Join(withCode(initialise), none)
	require.ErrorContains(t, err, "function 0: memory.init is not possible")
	_, err = Join(withCode(asm.Code{0xfd, 0}), none)
	require.ErrorContains(t, err, "function 0: instruction 0xfd is not possible")
	_, err = Join(magic, none)
	require.ErrorContains(t, err, "it has no memory of its own")
}
