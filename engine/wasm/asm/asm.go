// Package asm writes functions of WebAssembly. A [Code] is a sequence of instructions; functions here put such
// sequences together, so that a program reads like an expression: Op(I32Add, Get(x), Int(4)) is x + 4.
package asm

import (
	"encoding/binary"
	"math"
)

// Type is that of a value.
type Type = byte

// The types of values.
const (
	I32 Type = 0x7f
	I64 Type = 0x7e
	F32 Type = 0x7d
	F64 Type = 0x7c
)

// Instructions for [Op], [Load] and [Store], with the names of the specification.
const (
	I32Load, F32Load, F64Load      = 0x28, 0x2a, 0x2b
	I32Store, I64Store, F32Store   = 0x36, 0x37, 0x38
	F64Store                       = 0x39
	I32Eqz, I32Eq, I32LtS, I32LtU  = 0x45, 0x46, 0x48, 0x49
	I32GeS, I32GeU                 = 0x4e, 0x4f
	F32Ne, F64Eq, F64Lt, F64Gt     = 0x5c, 0x61, 0x63, 0x64
	I32Add, I32Sub, I32Mul, I32Shl = 0x6a, 0x6b, 0x6c, 0x74
	I64Add, I64Shl                 = 0x7c, 0x86
	F32Add, F32Mul, F32Max         = 0x92, 0x94, 0x97
	F64Nearest, F64Add, F64Sub     = 0x9e, 0xa0, 0xa1
	F64Mul, F64Div, F64Min, F64Max = 0xa2, 0xa3, 0xa4, 0xa5
	I64TruncF64S, F32DemoteF64     = 0xb0, 0xb6
	F64ConvertI32U, F64PromoteF32  = 0xb8, 0xbb
	F64ReinterpretI64              = 0xbf
)

// Unreachable is a trap.
var Unreachable = Code{0x00}

// Code is a sequence of instructions.
type Code []byte

// Function is one that a module gets. Its locals follow its parameters.
type Function struct {
	Parameters, Results, Locals []Type
	Body                        Code
	Export                      string // "" for none
}

// Join puts sequences one after the other.
func Join(parts ...Code) (c Code) {
	for _, p := range parts {
		c = append(c, p...)
	}
	return c
}

// Op is an instruction after its operands.
func Op(instruction byte, operands ...Code) Code { return append(Join(operands...), instruction) }

// Int is a number of 32 bits.
func Int(v int) Code { return Signed(Code{0x41}, int64(int32(v))) }

// Long is a number of 64 bits.
func Long(v int64) Code { return Signed(Code{0x42}, v) }

// Float is a number of type F64.
func Float(v float64) Code {
	return binary.LittleEndian.AppendUint64(Code{0x44}, math.Float64bits(v))
}

// Get is the value of a local, a parameter among them.
func Get(local int) Code { return Unsigned(Code{0x20}, uint64(local)) }

// Set sets a local.
func Set(local int, v Code) Code { return Unsigned(append(Join(v), 0x21), uint64(local)) }

// Global is the value of a global.
func Global(global int) Code { return Unsigned(Code{0x23}, uint64(global)) }

// SetGlobal sets a global.
func SetGlobal(global int, v Code) Code { return Unsigned(append(Join(v), 0x24), uint64(global)) }

// Load reads a number, offset bytes after an address.
func Load(instruction byte, address Code, offset int) Code {
	return Unsigned(append(Join(address), instruction, 0), uint64(offset))
}

// Store writes a number, offset bytes after an address.
func Store(instruction byte, address Code, offset int, v Code) Code {
	return Unsigned(append(Join(address, v), instruction, 0), uint64(offset))
}

// Copy copies bytes of the memory, as memory.copy does.
func Copy(to, from, bytes Code) Code { return append(Join(to, from, bytes), 0xfc, 10, 0, 0) }

// Fill sets bytes of the memory to a value.
func Fill(to, value, bytes Code) Code { return append(Join(to, value, bytes), 0xfc, 11, 0) }

// Call calls a function.
func Call(function int, arguments ...Code) Code {
	return Unsigned(append(Join(arguments...), 0x10), uint64(function))
}

// Return leaves the function.
func Return(values ...Code) Code { return append(Join(values...), 0x0f) }

// If does something if a number is not 0.
func If(condition Code, then ...Code) Code {
	return append(append(append(Join(condition), 0x04, 0x40), Join(then...)...), 0x0b)
}

// For counts a local from 0 to below a number and does something each time.
func For(local int, below Code, body ...Code) Code {
	c := append(Set(local, Int(0)), 0x02, 0x40, 0x03, 0x40) // block, loop
	c = append(c, Op(I32GeS, Get(local), below)...)
	c = append(c, 0x0d, 1) // br_if out of the block
	c = append(c, Join(body...)...)
	c = append(c, Set(local, Op(I32Add, Get(local), Int(1)))...)
	return append(c, 0x0c, 0, 0x0b, 0x0b) // br, end, end
}

// Unsigned appends a number in LEB128.
func Unsigned(out []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v))
}

// Signed appends a number in signed LEB128.
func Signed(out []byte, v int64) []byte {
	for ; v < -64 || v > 63; v >>= 7 {
		out = append(out, byte(v)&0x7f|0x80)
	}
	return append(out, byte(v)&0x7f)
}

// Bytes appends a part with its length before it.
func Bytes(out, part []byte) []byte { return append(Unsigned(out, uint64(len(part))), part...) }
