package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unknown holds the instructions of AVX512-BF16, which neither avo nor Go's assembler knows. In the set bf16, others
// with the same operands stand for them, which mean nothing else there, and encode puts their bytes in the
// places (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.7.1 and 5.1).
var unknown = map[string]instruction{
	"VFMADD231PS": {"VDPBF16PS", 0x52},     // adds the products of pairs to a sum
	"VCVTPD2PS":   {"VCVTNEPS2BF16", 0x72}, // converts to BF16, rounding to nearest even
}

type instruction struct {
	name   string
	opcode byte
}

// pairRows turns two rows at a time into one of pairs, in which the first is in the lower half; the last one stays by
// itself if their number is odd. It writes whole registers.
func (s set) pairRows() {
	s.function("pairRows", "dst, src []float32, dstStride, srcStride, rows, width int")
	dst, src, rows := pointer("dst"), pointer("src"), Load(Param("rows"), GP64())
	dstStride, srcStride := loadStride("dstStride"), loadStride("srcStride")
	l := s.first(Load(Param("width"), GP64()).(GPVirtual), 1)[0]
	lower, upper, half := s.reg(), s.reg(), YMM()
	load := func(m Mem, to VecVirtual) {
		VCVTPD2PS(l.load(m), half)
		VPMOVZXWD(half, to)
	}
	Label("pair")
	CMPQ(rows, U8(2))
	JB(LabelRef("last"))
	load(Mem{Base: src}, lower)
	load(Mem{Base: src, Index: srcStride, Scale: 1}, upper)
	VPSLLD(U8(16), upper, upper)
	VPORD(lower, upper, lower)
	VMOVUPS(lower, Mem{Base: dst})
	LEAQ(Mem{Base: src, Index: srcStride, Scale: 2}, src)
	ADDQ(dstStride, dst)
	SUBQ(U8(2), rows)
	JMP(LabelRef("pair"))
	Label("last")
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	load(Mem{Base: src}, lower)
	VMOVUPS(lower, Mem{Base: dst})
	Label("done")
	end()
}

// pairRow turns count values side by side into pairs. It writes a multiple of half a register.
func (s set) pairRow() {
	s.function("pairRow", "dst, src []float32, count int")
	dst, src, count := pointer("dst"), pointer("src"), Load(Param("count"), GP64())
	s.forEach(count, func(l lanes, at index) {
		half := YMM()
		VCVTPD2PS(l.load(at.of(src)), half)
		VMOVUPS(half, Mem{Base: dst})
		ADDQ(U8(s.bytes()/2), dst)
	})
	end()
}

var placeholder = regexp.MustCompile(`(?m)^\t(VFMADD231PS|VCVTPD2PS) +(.*)$`)

// encode replaces the placeholders in a file that avo wrote.
func encode(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = placeholder.ReplaceAllFunc(text, func(line []byte) []byte {
		parts := placeholder.FindSubmatch(line)
		real, operands := unknown[string(parts[1])], string(parts[2])
		return fmt.Appendf(nil, "\t%s // %s %s", evex(real.opcode, strings.Split(operands, ", ")), real.name, operands)
	})
	return os.WriteFile(file, text, 0o644)
}

// evex is an instruction of 512 bits with the prefixes F3 0F38 whose operands, in the order of Go's assembler, are
// registers: the last is the result, the first the second source, one between them the first source.
func evex(opcode byte, operands []string) string {
	second, result := register(operands[0]), register(operands[len(operands)-1])
	first := byte(0) // stands for "none" once it is inverted
	if len(operands) == 3 {
		first = register(operands[1])
	}
	bit := func(x byte, i int) byte { return x >> i & 1 }
	code := [6]byte{
		0x62,
		^(bit(result, 3)<<7|bit(second, 4)<<6|bit(second, 3)<<5|bit(result, 4)<<4)&0xf0 | 0b010, // R X B R', map 0F38
		^(first&15<<3)&0x78 | 0b100 | 0b10, // vvvv, prefix F3
		0b10<<5 | ^(bit(first, 4)<<3)&8,    // 512 bits, V'
		opcode,
		0b11<<6 | result&7<<3 | second&7,
	}
	return fmt.Sprintf("LONG $0x%02x%02x%02x%02x; WORD $0x%02x%02x", code[3], code[2], code[1], code[0], code[5], code[4])
}

// register is the number of a vector register.
func register(name string) byte {
	n, err := strconv.Atoi(strings.TrimLeft(strings.TrimSpace(name), "YZ"))
	if err != nil {
		panic(fmt.Sprintf("%q is no vector register", name))
	}
	return byte(n)
}
