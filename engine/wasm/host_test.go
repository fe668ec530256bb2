package wasm

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"croupier/engine/wasm/asm"
)

// assembled is a module that imports one function of the host and calls it first, in _initialize. What follows is not a
// game: its table has version 0.
type assembled struct {
	module, name string
	parameters   []api.ValueType
	results      []api.ValueType
	code         []byte // of _initialize
	data         []byte // of the memory, from its beginning
}

const (
	notInitialized = "export _initialize: "
	goesOn         = "its interface has the version 0" // once _initialize has come back
)

// built returns the file.
func (a assembled) built() []byte {
	signature := append([]byte{0x60}, asm.Bytes(nil, a.parameters)...)
	signature = asm.Bytes(signature, a.results)
	types := append([]byte{5, 0x60, 0, 0, 0x60, 0, 1, i32, 0x60, 2, i32, i32, 0, 0x60, 1, i32, 0}, signature...)
	imports := append(asm.Bytes(asm.Bytes([]byte{1}, []byte(a.module)), []byte(a.name)), 0, 4)
	exports := []byte{6}
	for i, name := range []string{"_initialize", "game", "reset", "step", "observe"} {
		exports = append(asm.Bytes(exports, []byte(name)), 0, byte(1+i))
	}
	exports = append(asm.Bytes(exports, []byte("memory")), 2, 0)
	code := []byte{5}
	for _, body := range [][]byte{a.code, asm.Signed([]byte{0x41}, 60000), {}, {}, {}} {
		code = asm.Bytes(code, append(append([]byte{0}, body...), 0x0b))
	}
	data := asm.Bytes([]byte{1, 0, 0x41, 0, 0x0b}, a.data)
	out := append([]byte{}, magic...)
	for _, s := range []section{
		{typeSection, types}, {importSection, imports}, {functionSection, []byte{5, 0, 1, 0, 2, 3}},
		{5, []byte{1, 0, 1}},
		{exportSection, exports}, {codeSection, code}, {11, data},
	} {
		out = asm.Bytes(append(out, s.id), s.body)
	}
	return out
}

// call is code that calls the imported function with the numbers.
func call(parameters []api.ValueType, numbers ...int64) (code []byte) {
	for i, p := range parameters {
		op := byte(0x41)
		if p == i64 {
			op = 0x42
		}
		code = asm.Signed(append(code, op), numbers[i])
	}
	return append(code, 0x10, 0)
}

func results(name string) []api.ValueType {
	if name == "proc_exit" {
		return nil
	}
	return []api.ValueType{i32}
}

// requireAnswer requires that a call returns a number, and that memory then has a word of 32 bits at an address.
func requireAnswer(t *testing.T, name string, data []byte, answer int64, at, word int64, numbers ...int64) {
	t.Helper()
	p := granted[name].parameters
	trapUnless := []byte{0x47, 0x04, 0x40, 0x00, 0x0b} // i32.ne, if, unreachable, end
	code := append(call(p, numbers...), asm.Signed([]byte{0x41}, answer)...)
	code = append(code, trapUnless...)
	code = append(asm.Signed(append(code, 0x41), at), 0x28, 2, 0) // i32.load
	code = append(asm.Signed(append(code, 0x41), word), trapUnless...)
	file := assembled{hostModule, name, p, results(name), code, data}.built()
	_, err := Open(file)
	require.ErrorContains(t, err, goesOn, name)
	if answer == success || answer == noFile {
		require.NoError(t, runJoined(t, file), "%s as part of the module", name)
	}
}

// What is granted answers the same on every machine: no files, no arguments, no environment, a clock that stands still,
// zeros.
func TestHostAnswers(t *testing.T) {
	some := make([]byte, 64)
	for i := range some {
		some[i] = 0xaa
	}
	const untouched = int64(int32(-0x55555556))
	requireAnswer(t, "args_sizes_get", some, success, 4, 0, 0, 4)
	requireAnswer(t, "environ_sizes_get", some, success, 0, 0, 0, 4)
	requireAnswer(t, "args_get", some, success, 0, untouched, 0, 4)
	requireAnswer(t, "environ_get", some, success, 0, untouched, 0, 4)
	requireAnswer(t, "clock_time_get", some, success, 8, 1, 0, 1, 8)
	requireAnswer(t, "clock_time_get", some, success, 12, 0, 1, 1, 8)
	requireAnswer(t, "random_get", some, success, 16, 0, 16, 4)
	requireAnswer(t, "random_get", some, success, 20, untouched, 16, 4)
	requireAnswer(t, "poll_oneoff", some, success, 24, 0, 0, 8, 1, 24)
	requireAnswer(t, "sched_yield", some, success, 0, untouched)
	requireAnswer(t, "fd_close", some, noFile, 0, untouched, 0)
	for _, name := range []string{"fd_fdstat_get", "fd_fdstat_set_flags", "fd_prestat_get"} {
		requireAnswer(t, name, some, noFile, 0, untouched, 3, 0)
	}
	requireAnswer(t, "fd_prestat_dir_name", some, noFile, 0, untouched, 3, 0, 8)
}

// What a module writes is counted and goes nowhere; only standard output and error can be written, in a few parts.
func TestHostWrites(t *testing.T) {
	part := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 8), 5)
	data := append(part, "hello"...)
	requireAnswer(t, "fd_write", data, success, 32, 5, 1, 0, 1, 32)
	requireAnswer(t, "fd_write", data, noFile, 32, 0, 0, 0, 1, 32)
	requireAnswer(t, "fd_write", data, noFile, 32, 0, 3, 0, 1, 32)
	requireAnswer(t, "fd_write", data, invalid, 32, 0, 1, 0, mostParts+1, 32)
}

// An address outside the memory is an error that the module gets, and nothing else happens.
func TestHostWritesNowhereElse(t *testing.T) {
	const outside = -4
	for name, numbers := range map[string][]int64{
		"args_sizes_get": {outside, 0}, "environ_sizes_get": {0, outside}, "clock_time_get": {0, 0, outside},
		"random_get": {8, 65536}, "poll_oneoff": {0, 0, 0, outside}, "fd_write": {1, outside, 1, 0},
	} {
		requireAnswer(t, name, make([]byte, 16), noMemory, 0, 0, numbers...)
	}
	far := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 65530), 16)
	requireAnswer(t, "fd_write", far, noMemory, 32, 0, 1, 0, 1, 32)
	requireAnswer(t, "fd_write", make([]byte, 16), noMemory, 0, 0, 1, 0, 1, outside)
}

// Whatever a module hands to what is granted, it is answered or ends the module's call.
func TestHostWithAnyNumbers(t *testing.T) {
	for name, f := range granted {
		for _, number := range []int64{-1, 1 << 30, 65535} {
			numbers := []int64{number, number, number, number}
			code := call(f.parameters, numbers...)
			if name != "proc_exit" {
				code = append(code, 0x1a) // drop
			}
			_, err := Open(assembled{hostModule, name, f.parameters, results(name), code, nil}.built())
			require.Error(t, err)
			require.Regexp(t, goesOn+"|"+notInitialized+"it exits with status", err.Error(), name)
			require.NotContains(t, err.Error(), "\n")
		}
	}
}

// A module cannot have the host work without end, either.
func TestWorkOfTheHostIsCounted(t *testing.T) {
	parts := []byte{}
	for range mostParts {
		parts = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(parts, 0), 65536)
	}
	for name, numbers := range map[string][]int64{"sched_yield": nil, "random_get": {1024, 64000}, "fd_write": {1, 0, 16, 256}} {
		p := granted[name].parameters
		code := append([]byte{0x03, 0x40}, call(p, numbers...)...) // loop
		code = append(code, 0x1a, 0x0c, 0, 0x0b)                   // drop, br, end
		_, err := Open(assembled{hostModule, name, p, results(name), code, parts}.built())
		require.ErrorContains(t, err, notInitialized+"it did not come back within", name)
	}
}

// An exit is a fault; its reason is the first line that the module has written, in letters that control no terminal.
func TestExitSaysWhy(t *testing.T) {
	p := granted["proc_exit"].parameters
	_, err := Open(assembled{hostModule, "proc_exit", p, nil, call(p, 3), nil}.built())
	require.ErrorContains(t, err, notInitialized+"it exits with status 3")
	part := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 8), 300)
	text := append(append(part, "\n\x1b[31mno \xffheaps\r\nat 0x17"...), make([]byte, 300)...)
	p = granted["fd_write"].parameters
	code := append(call(p, 2, 0, 1, 400), 0x1a, 0x00) // drop, unreachable
	_, err = Open(assembled{hostModule, "fd_write", p, results("fd_write"), code, text}.built())
	require.ErrorContains(t, err, notInitialized+"unreachable: [31mno heaps")
	require.NotContains(t, err.Error(), "at 0x17")
}

// Everything else is refused before anything runs: other functions, other modules, the right names with other types.
func TestOtherImportsAreRefused(t *testing.T) {
	for _, other := range []assembled{
		{module: hostModule, name: "path_open"}, {module: hostModule, name: "fd_read"}, {module: hostModule, name: "sock_accept"},
		{module: "wasi_unstable", name: "proc_exit"}, {module: "env", name: "fd_write"},
	} {
		_, err := Open(other.built())
		require.ErrorContains(t, err, `it imports "`+other.name+`" of "`+other.module+
			`": only some functions of wasi_snapshot_preview1 can be imported`)
	}
	_, err := Open(assembled{module: hostModule, name: "fd_write", code: nil}.built())
	require.ErrorContains(t, err, "signature mismatch")
}
