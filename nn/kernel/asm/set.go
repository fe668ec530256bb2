package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// set is an instruction set. The two differ in the width of their registers and in the way
// to touch only some of the lanes.
type set struct {
	suffix string // of the functions' names
	width  int    // float32 lanes of a register
	rows   int    // most rows of a tile; a tile is two registers wide
	reg    func() VecVirtual

	unrolled bool // tiles have loops of several steps, see tile.unroll
}

// A tile keeps rows × 2 sums, 2 registers of the right factor and at least one of the left:
// 27 of 32 registers with AVX-512, 15 of 16 with AVX2.
var sets = map[string]set{
	"avx2":   {suffix: "AVX2", width: 8, rows: 6, reg: YMM, unrolled: true},
	"avx512": {suffix: "AVX512", width: 16, rows: 12, reg: ZMM},
	"bf16":   {suffix: "BF16", width: 16, rows: 12, reg: ZMM},
	"amx":    {suffix: "AMX", width: 16, reg: ZMM}, // its tiles are registers
}

func (s set) bytes() int { return 4 * s.width }

// function begins a function with the given parameters.
func (s set) function(name, parameters string) {
	TEXT(name+s.suffix, attr.NOSPLIT, "func("+parameters+")")
	Pragma("noescape")
}

// pointer loads the address of a slice parameter's first element.
func pointer(parameter string) Register { return Load(Param(parameter).Base(), GP64()) }

// broadcast loads a float32 parameter into all lanes.
func (s set) broadcast(parameter string) VecVirtual {
	address, err := Param(parameter).Resolve()
	if err != nil {
		panic(err)
	}
	r := s.reg()
	VBROADCASTSS(address.Addr, r)
	return r
}

func (s set) zero() VecVirtual {
	r := s.reg()
	VXORPS(r, r, r)
	return r
}

// constants holds the addresses of the constants used so far.
var constants = map[uint32]Mem{}

// constant returns the address of copies of v that fill a register.
func (s set) constant(v float32) Mem { return s.bits(math.Float32bits(v)) }

func (s set) bits(v uint32) Mem {
	if m, known := constants[v]; known {
		return m
	}
	m := GLOBL(fmt.Sprintf("constant%08x%s", v, s.suffix), attr.RODATA|attr.NOPTR)
	for i := range s.width {
		DATA(4*i, U32(v))
	}
	constants[v] = m
	return m
}

// lanes are the lanes of a register that loads and stores touch: all of them if mask is
// nil.
type lanes struct {
	set
	mask Register
}

// load returns a register with the values at the address; the other lanes are 0.
func (l lanes) load(m Mem) VecVirtual {
	r := l.reg()
	l.loadTo(r, m)
	return r
}

func (l lanes) loadTo(r Register, m Mem) {
	switch {
	case l.mask == nil:
		VMOVUPS(m, r)
	case l.width == 16:
		VMOVUPS_Z(m, l.mask, r)
	default:
		VMASKMOVPS(m, l.mask, r)
	}
}

func (l lanes) store(r Register, m Mem) {
	switch {
	case l.mask == nil:
		VMOVUPS(r, m)
	case l.width == 16:
		VMOVUPS(r, l.mask, m)
	default:
		VMASKMOVPS(r, l.mask, m)
	}
}

// first returns the lanes of registers side by side that together hold the first count
// elements, at most two registers' width.
func (s set) first(count GPVirtual, registers int) []lanes {
	list := make([]lanes, registers)
	if s.width == 16 {
		bits := GP64()
		MOVQ(U64(math.MaxUint64), bits)
		BZHIQ(count, bits, bits)
		for i := range list {
			mask := K()
			KMOVW(bits.As32(), mask)
			list[i] = lanes{s, mask}
			SHRQ(U8(16), bits)
		}
		return list
	}
	// The masks are the window of the table that begins count entries before the first 0.
	table, start := GP64(), GP64()
	LEAQ(s.maskTable(), table)
	MOVQ(count, start)
	NEGQ(start)
	for i := range list {
		mask := s.reg()
		VMOVUPS(Mem{Base: table, Index: start, Scale: 4, Disp: 4*2*s.width + i*s.bytes()}, mask)
		list[i] = lanes{s, mask}
	}
	return list
}

var maskTable *Mem

// maskTable returns the address of two registers' width of ones, followed by as many zeros.
func (s set) maskTable() Mem {
	if maskTable == nil {
		m := GLOBL("masks"+s.suffix, attr.RODATA|attr.NOPTR)
		for i := range 4 * s.width {
			v := uint32(0)
			if i < 2*s.width {
				v = math.MaxUint32
			}
			DATA(4*i, U32(v))
		}
		maskTable = &m
	}
	return *maskTable
}

// forEach emits a loop over count elements of slices, a register's width at a time, and a
// masked pass for the rest. The body gets the lanes and the index of the first element. The
// loop consumes count.
func (s set) forEach(count Register, body func(l lanes, at index)) {
	s.forEachBlock(1, count, func(l lanes, _ int, at index) { body(l, at) })
}

// forEachBlock is forEach with a loop before it over blocks of several registers' width. The body also gets
// the number of registers that are side by side in its block.
func (s set) forEachBlock(registers int, count Register, body func(l lanes, registers int, at index)) {
	n, i := count.(GPVirtual), GP64()
	XORQ(i, i)
	loop := func(label, after string, registers int) {
		Label(label)
		CMPQ(n, U8(registers*s.width))
		JB(LabelRef(after))
		body(lanes{set: s}, registers, index{i})
		ADDQ(U8(registers*s.width), i)
		SUBQ(U8(registers*s.width), n)
		JMP(LabelRef(label))
	}
	if registers > 1 {
		loop("block", "full", registers)
	}
	loop("full", "rest", 1)
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	body(s.first(n, 1)[0], 1, index{i})
	Label("done")
}

// end ends a function that returns nothing.
func end() {
	VZEROUPPER()
	RET()
}

// index is a position in slices of float32.
type index struct{ i Register }

func (x index) of(base Register) Mem { return Mem{Base: base, Index: x.i, Scale: 4} }

var laneNumbers *Mem

// laneNumbers returns the address of the integers 0, 1, 2 … that fill a register.
func (s set) laneNumbers() Mem {
	if laneNumbers == nil {
		m := GLOBL("laneNumbers"+s.suffix, attr.RODATA|attr.NOPTR)
		for i := range s.width {
			DATA(4*i, U32(i))
		}
		laneNumbers = &m
	}
	return *laneNumbers
}
