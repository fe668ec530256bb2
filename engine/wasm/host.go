package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Compilers that bring a runtime along, such as Go's, make modules that import functions of WASI. A module may import
// those of [granted]. They show nothing of the machine and change nothing on it: there are no files, arguments or
// variables of the environment, the clock stands still, what is random is zeros, and of what is written only the first
// line is kept, as the reason of an exit. They answer the same whenever they are asked, so that a game depends on
// nothing but its state as long as its own code does. Their work is counted with that of the module.
const (
	hostModule = "wasi_snapshot_preview1"
	hostUnits  = 256 // of work for each call; each 64 bytes take one more
	mostParts  = 16  // of memory that one call writes
	mostSaid   = 240
)

// What these functions return: 0, or an error of WASI.
const (
	success  = 0
	noFile   = 8  // EBADF
	noMemory = 21 // EFAULT: an address outside the memory
	invalid  = 28 // EINVAL
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// granted are the functions that a module may import. Each returns a number of 32 bits, except proc_exit.
var granted = map[string]struct {
	parameters []api.ValueType
	answer     func(*hostCall) uint32
}{
	"args_get":            {[]api.ValueType{i32, i32}, (*hostCall).nothing},
	"args_sizes_get":      {[]api.ValueType{i32, i32}, (*hostCall).noSizes},
	"clock_time_get":      {[]api.ValueType{i32, i64, i32}, (*hostCall).time},
	"environ_get":         {[]api.ValueType{i32, i32}, (*hostCall).nothing},
	"environ_sizes_get":   {[]api.ValueType{i32, i32}, (*hostCall).noSizes},
	"fd_close":            {[]api.ValueType{i32}, (*hostCall).noFile},
	"fd_fdstat_get":       {[]api.ValueType{i32, i32}, (*hostCall).noFile},
	"fd_fdstat_set_flags": {[]api.ValueType{i32, i32}, (*hostCall).noFile},
	"fd_prestat_dir_name": {[]api.ValueType{i32, i32, i32}, (*hostCall).noFile},
	"fd_prestat_get":      {[]api.ValueType{i32, i32}, (*hostCall).noFile},
	"fd_write":            {[]api.ValueType{i32, i32, i32, i32}, (*hostCall).write},
	"poll_oneoff":         {[]api.ValueType{i32, i32, i32, i32}, (*hostCall).wait},
	"proc_exit":           {[]api.ValueType{i32}, (*hostCall).exit},
	"random_get":          {[]api.ValueType{i32, i32}, (*hostCall).random},
	"sched_yield":         {nil, (*hostCall).nothing},
}

// grant makes the functions that can be imported part of a runtime.
func grant(ctx context.Context, r wazero.Runtime) error {
	host := r.NewHostModuleBuilder(hostModule)
	for name, f := range granted {
		results := []api.ValueType{i32}
		if name == "proc_exit" {
			results = nil
		}
		call := func(ctx context.Context, module api.Module, stack []uint64) {
			c := hostCall{ctx, module, stack}
			c.charge(hostUnits)
			if answer := f.answer(&c); len(results) > 0 {
				stack[0] = uint64(answer)
			}
		}
		host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), f.parameters, results).Export(name)
	}
	_, err := host.Instantiate(ctx)
	return err
}

// hostCall is a call of a function that a module imports. A panic with an error ends the call into the module.
type hostCall struct {
	ctx    context.Context
	module api.Module
	stack  []uint64
}

// said is what a module has written during a call into it. It is kept in the call's context.
type said struct{ text []byte }

type saidKey struct{}

var errWork = errors.New("it uses too much work")

// charge takes units from those that are left to the module.
func (c *hostCall) charge(units uint32) {
	fuel, ok := c.module.ExportedGlobal(fuelGlobal).(api.MutableGlobal)
	if !ok {
		panic(errWork) // it is in each module that this package runs
	}
	left := int64(int32(fuel.Get())) - int64(units)
	fuel.Set(uint64(uint32(int32(max(left, -1)))))
	if left < 0 {
		panic(errWork)
	}
}

func (c *hostCall) argument(i int) uint32 { return uint32(c.stack[i]) }

// zero writes zeros of a number of bytes.
func (c *hostCall) zero(address, size uint32) uint32 {
	part, ok := c.module.Memory().Read(address, size)
	if !ok {
		return noMemory
	}
	c.charge(size >> bulkShift)
	clear(part)
	return success
}

func (c *hostCall) nothing() uint32 { return success }

func (c *hostCall) noFile() uint32 { return noFile }

// noSizes reports that there are no arguments or variables, and that they have no bytes.
func (c *hostCall) noSizes() uint32 { return max(c.zero(c.argument(0), 4), c.zero(c.argument(1), 4)) }

// time is 1 ns, since some runtimes take 0 for a clock that does not work.
func (c *hostCall) time() uint32 {
	if !c.module.Memory().WriteUint64Le(c.argument(2), 1) {
		return noMemory
	}
	return success
}

func (c *hostCall) random() uint32 { return c.zero(c.argument(0), c.argument(1)) }

// wait reports that nothing has happened. A module that waits until something does uses up its work.
func (c *hostCall) wait() uint32 { return c.zero(c.argument(3), 4) }

// write takes what a module writes to its standard output or error.
func (c *hostCall) write() uint32 {
	file, parts, count := c.argument(0), c.argument(1), c.argument(2)
	if file != 1 && file != 2 {
		return noFile
	}
	if count > mostParts {
		return invalid
	}
	memory, written := c.module.Memory(), uint32(0)
	for i := range count {
		part, ok := memory.Read(parts+8*i, 8)
		if !ok {
			return noMemory
		}
		text, ok := memory.Read(binary.LittleEndian.Uint32(part), binary.LittleEndian.Uint32(part[4:]))
		if !ok {
			return noMemory
		}
		written += uint32(len(text))
		if s, ok := c.ctx.Value(saidKey{}).(*said); ok {
			s.text = append(s.text, text[:min(len(text), mostSaid-len(s.text))]...)
		}
	}
	if !memory.WriteUint32Le(c.argument(3), written) {
		return noMemory
	}
	return success
}

func (c *hostCall) exit() uint32 { panic(fmt.Errorf("it exits with status %d", int32(c.argument(0)))) }

// String is the first line, without letters that control a terminal.
func (s *said) String() string {
	first, _, _ := strings.Cut(strings.TrimSpace(string(s.text)), "\n")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(first, ""))
}
