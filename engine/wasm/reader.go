package wasm

import (
	"errors"
	"fmt"
)

// reader reads a part of a module. It panics with errTruncated at its end ([truncated]).
type reader struct{ rest []byte }

var errTruncated = errors.New("it is cut off, or damaged")

// truncated makes the end of a reader an error.
func truncated(err *error) {
	if r := recover(); r == errTruncated {
		*err = errTruncated
	} else if r != nil {
		panic(r)
	}
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		panic(errTruncated)
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) byte() byte { return r.take(1)[0] }

// unsigned reads a number in LEB128, of 32 bits or fewer.
func (r *reader) unsigned() (v uint64) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	panic(errTruncated)
}

// signed reads a number of 32 bits.
func (r *reader) signed() (v int32) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		v |= int32(b&0x7f) << shift
		if b < 0x80 && shift < 25 && b&0x40 != 0 {
			v |= -1 << (shift + 7)
		}
		if b < 0x80 || shift > 28 {
			return v
		}
	}
}

// count reads how many elements follow, each of which has a byte at least.
func (r *reader) count() int {
	n := int(r.unsigned())
	if n > len(r.rest) {
		panic(errTruncated)
	}
	return n
}

// skip passes over a number in LEB128 of any size.
func (r *reader) skip() {
	for r.byte() >= 0x80 {
	}
}

// immediates passes over what follows the code of an instruction.
func (r *reader) immediates(op byte, extended uint64) error {
	switch {
	case op == 0x02, op == 0x03, op == 0x04, // block, loop, if: a type
		op == 0x0c, op == 0x0d, op == 0x10, op >= 0x20 && op <= 0x26, // branches, call, variables, tables
		op == 0x3f, op == 0x40, op == 0x41, op == 0x42, op == 0xd0, op == 0xd2: // memory, constants, references
		r.skip()
	case op == 0x0e: // br_table
		for range r.count() + 1 {
			r.skip()
		}
	case op == 0x1c: // select with types
		r.take(r.count())
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect, loads and stores
		r.skip()
		r.skip()
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0xfc:
		return r.extended(extended)
	case op <= 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		return fmt.Errorf("instruction 0x%02x is not possible: build without vectors, threads, exceptions and tail calls", op)
	}
	return nil
}

func (r *reader) extended(op uint64) error {
	switch {
	case op <= 7: // conversions
	case op == 8: // memory.init
		r.skip()
		r.skip()
	case op == 9, op == 11: // data.drop, memory.fill
		r.skip()
	case op == 10: // memory.copy
		r.skip()
		r.skip()
	default:
		return fmt.Errorf("instruction 0xfc %d is not possible: build without changing tables", op)
	}
	return nil
}
