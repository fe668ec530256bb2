package wasm

import (
	"maps"
	"slices"

	"croupier/engine/wasm/asm"
)

// help writes the helpers: instructions that take addresses of the game, and the answer of memory.grow.
func (j *joiner) help(to []asm.Function) {
	three := []asm.Type{asm.I32, asm.I32, asm.I32}
	to[helpFill] = asm.Function{Parameters: three, Body: asm.Fill(j.above(0), asm.Get(1), asm.Get(2))}
	to[helpCopy] = asm.Function{Parameters: three, Body: asm.Copy(j.above(0), j.above(1), asm.Get(2))}
	to[helpGrown] = asm.Function{Parameters: []asm.Type{asm.I32}, Results: []asm.Type{asm.I32}, Body: asm.Join(
		asm.If(asm.Op(asm.I32LtS, asm.Get(0), asm.Int(0)), asm.Return(asm.Get(0))),
		asm.Op(asm.I32Sub, asm.Get(0), asm.Int(j.added.Pages)),
	)}
}

// above is the address that a local of the game means. There is no memory beyond 4 GiB.
func (j *joiner) above(local int) asm.Code {
	moved := asm.Op(asm.I32Add, asm.Get(local), asm.Int(j.base()))
	return asm.Join(asm.If(asm.Op(asm.I32LtU, moved, asm.Get(local)), asm.Unreachable), moved)
}

// standIns are the functions of WASI that can be part of the module: those of [granted], and fd_read, which larger
// programs in Go import and do not call.
var standIns = append(slices.Collect(maps.Keys(granted)), "fd_read")

// host is such a function. It answers as that of [granted] does, but an address outside the memory is a trap.
func (j *joiner) host(name string) asm.Function {
	zero := func(local int) asm.Code { return asm.Store(asm.I32Store, asm.Get(local), j.base(), asm.Int(0)) }
	answer := asm.Int(success)
	f := asm.Function{}
	switch name {
	case "args_sizes_get", "environ_sizes_get":
		f.Body = asm.Join(zero(0), zero(1), answer)
	case "clock_time_get":
		f.Body = asm.Join(asm.Store(asm.I64Store, asm.Get(2), j.base(), asm.Long(1)), answer)
	case "random_get":
		f.Body = asm.Join(asm.Call(j.own+helpFill, asm.Get(0), asm.Int(0), asm.Get(1)), answer)
	case "poll_oneoff":
		f.Body = asm.Join(zero(3), answer)
	case "fd_write":
		f = j.fdWrite()
	case "proc_exit":
		f.Body = asm.Unreachable
	case "fd_close", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_prestat_dir_name", "fd_prestat_get", "fd_read":
		f.Body = asm.Int(noFile)
	default:
		f.Body = answer
	}
	return f
}

// fdWrite reports that all has been written to standard output or error: the sum of the sizes of its parts.
func (j *joiner) fdWrite() asm.Function {
	const file, parts, count, written, i, sum = 0, 1, 2, 3, 4, 5
	part := asm.Op(asm.I32Add, asm.Get(parts), asm.Op(asm.I32Shl, asm.Get(i), asm.Int(3)))
	return asm.Function{Locals: []asm.Type{asm.I32, asm.I32}, Body: asm.Join(
		asm.If(asm.Op(asm.I32GeU, asm.Op(asm.I32Sub, asm.Get(file), asm.Int(1)), asm.Int(2)), asm.Return(asm.Int(noFile))),
		asm.For(i, asm.Get(count),
			asm.Set(sum, asm.Op(asm.I32Add, asm.Get(sum), asm.Load(asm.I32Load, part, j.base()+4)))),
		asm.Store(asm.I32Store, asm.Get(written), j.base(), asm.Get(sum)),
		asm.Int(success),
	)}
}
