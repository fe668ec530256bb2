package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Instructions of AVX512-BF16 and of AMX.
const (
	dotProduct     = "VDPBF16PS"      // adds the products of pairs to a sum
	twoToBF16      = "VCVTNE2PS2BF16" // rounds two registers to nearest even; the first operand becomes the lower half
	tileConfigure  = "LDTILECFG"
	tileLoad       = "TILELOADD"
	tileStore      = "TILESTORED"
	tileDotProduct = "TDPBF16PS" // right factor, left factor, sums
	tileRelease    = "TILERELEASE"
)

// encoding is what an instruction of the opcode map 0F38 differs in.
type encoding struct{ prefix, opcode byte }

// The prefixes as VEX and EVEX have them.
const (
	noPrefix = 0b00
	f3       = 0b10
	f2       = 0b11
)

// unknown are the instructions that neither avo nor Go's assembler knows (Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2, chapter 5): those of vector registers have an EVEX prefix, those of tiles a VEX prefix.
var unknown = map[string]encoding{
	dotProduct:     {f3, 0x52},
	twoToBF16:      {f2, 0x72},
	tileConfigure:  {noPrefix, 0x49},
	tileRelease:    {noPrefix, 0x49},
	tileLoad:       {f2, 0x4b},
	tileStore:      {f3, 0x4b},
	tileDotProduct: {f3, 0x5c},
}

var instruction = regexp.MustCompile(`(?m)^\t([A-Z0-9]+)(?: +(.*))?$`)

// encode puts the bytes of the unknown instructions in their places, in a file that avo wrote.
func encode(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = instruction.ReplaceAllFunc(text, func(line []byte) []byte {
		parts := instruction.FindSubmatch(line)
		name, operands := string(parts[1]), string(parts[2])
		e, is := unknown[name]
		if !is {
			return line
		}
		code := e.vex
		if name[0] == 'V' {
			code = e.evex
		}
		return fmt.Appendf(nil, "\t%s // %s", data(code(strings.Split(operands, ", "))), strings.TrimSpace(name+" "+operands))
	})
	return os.WriteFile(file, text, 0o644)
}

// data lays the bytes down as the largest numbers that there are.
func data(code []byte) string {
	var parts []string
	for len(code) > 0 {
		switch {
		case len(code) >= 4:
			parts = append(parts, fmt.Sprintf("LONG $0x%08x", binary.LittleEndian.Uint32(code)))
			code = code[4:]
		case len(code) >= 2:
			parts = append(parts, fmt.Sprintf("WORD $0x%04x", binary.LittleEndian.Uint16(code)))
			code = code[2:]
		default:
			parts = append(parts, fmt.Sprintf("BYTE $0x%02x", code[0]))
			code = code[1:]
		}
	}
	return strings.Join(parts, "; ")
}

func bit(x byte, i int) byte { return x >> i & 1 }

// evex is an instruction of 512 bits whose operands are registers: the last is the result, the first the
// second source, one between them the first source.
func (e encoding) evex(operands []string) []byte {
	second, result := register(operands[0]), register(operands[len(operands)-1])
	first := byte(0) // stands for "none" once it is inverted
	if len(operands) == 3 {
		first = register(operands[1])
	}
	return []byte{
		0x62,
		^(bit(result, 3)<<7|bit(second, 4)<<6|bit(second, 3)<<5|bit(result, 4)<<4)&0xf0 | 0b010, // R X B R', map 0F38
		^(first&15<<3)&0x78 | 0b100 | e.prefix,
		0b10<<5 | ^(bit(first, 4)<<3)&8, // 512 bits, V'
		e.opcode,
		0b11<<6 | result&7<<3 | second&7,
	}
}

var memory = regexp.MustCompile(`^(\d*)\((\w+)\)(?:\((\w+)\*1\))?$`)

// vex is an instruction of tiles: of three of them, of memory and a tile, of memory alone, or of nothing.
func (e encoding) vex(operands []string) []byte {
	if len(operands) == 3 {
		second, first, result := register(operands[0]), register(operands[1]), register(operands[2])
		return []byte{0xc4, 0xe2, ^(second<<3)&0x78 | e.prefix, e.opcode, 0b11<<6 | result<<3 | first}
	}
	if operands[0] == "" {
		return []byte{0xc4, 0xe2, 0x78 | e.prefix, e.opcode, 0b11 << 6}
	}
	tile, place := byte(0), operands[0]
	for i, o := range operands {
		if strings.HasPrefix(o, "TMM") {
			tile, place = register(o), operands[1-i]
		}
	}
	parts := memory.FindStringSubmatch(place)
	if parts == nil {
		panic(fmt.Sprintf("%q is no address", place))
	}
	displacement, err := strconv.Atoi("0" + parts[1])
	if err != nil {
		panic(err)
	}
	base, index := general(parts[2]), byte(0b100) // no index
	if parts[3] != "" {
		index = general(parts[3])
	}
	code := []byte{
		0xc4,
		0xe2 &^ (bit(index, 3)<<6 | bit(base, 3)<<5), // R X B, map 0F38
		0x78 | e.prefix,
		e.opcode,
		0b10<<6 | tile<<3 | 0b100,
		index&7<<3 | base&7,
	}
	return binary.LittleEndian.AppendUint32(code, uint32(displacement))
}

// register is the number of a vector register or tile.
func register(name string) byte {
	n, err := strconv.Atoi(strings.TrimLeft(strings.TrimSpace(name), "YZTM"))
	if err != nil {
		panic(fmt.Sprintf("%q is neither vector register nor tile", name))
	}
	return byte(n)
}

// general is the number of a general register.
func general(name string) byte {
	if n := slices.Index([]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"}, name); n >= 0 {
		return byte(n)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "R"))
	if err != nil {
		panic(fmt.Sprintf("%q is no general register", name))
	}
	return byte(n)
}
