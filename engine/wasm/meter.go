package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"croupier/engine/wasm/asm"
)

// The work of a call is counted in units of [unitBytes] bytes of code: each function and each turn of a loop charges
// its own size, and instructions whose time depends on an operand charge more. A call that uses more than [budget]
// traps. The count follows from the module and its input alone, so that a call that ends on one machine ends on all.
const (
	unitBytes = 16
	budget    = 1 << 26 // some tenths of a second

	growUnits   = 4096 // a call of memory.grow
	bulkShift   = 6    // memory.fill and its like charge a unit for each 64 bytes
	maxTable    = 1 << 16
	maxLocals   = 50_000
	fuelGlobal  = "croupier:fuel" // export of the units that are left
	maxFile     = 4 << 20
	constLength = 5 // of a charge, whose value is known only at the end of its loop
)

// The sections of a module that are read.
const (
	customSection   = 0
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	tableSection    = 4
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10
)

var magic = []byte("\x00asm\x01\x00\x00\x00")

// section is a part of a module.
type section struct {
	id   byte
	body []byte
}

// metered returns a valid module with its work counted: a global holds the units that are left, and the module traps
// where there are none. It refuses imports other than [granted], and instructions
// that are not counted.
func metered(module []byte) ([]byte, error) {
	m := meter{}
	sections, err := split(module)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(module)+len(module)/4), magic...)
	for _, s := range m.withGlobals(sections) {
		body, err := m.section(s)
		if err != nil {
			return nil, err
		}
		out = append(out, s.id)
		out = asm.Bytes(out, body)
	}
	if !m.exported {
		return nil, errors.New("it exports nothing")
	}
	return out, nil
}

// split returns the sections of a game's file.
func split(module []byte) (list []section, err error) {
	if len(module) > maxFile {
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	return splitAny(module)
}

// splitAny returns the sections of a module of any size.
func splitAny(module []byte) (list []section, err error) {
	defer truncated(&err)
	if len(module) < len(magic) || !bytes.Equal(module[:len(magic)], magic) {
		return nil, errors.New("it is not a WebAssembly module of version 1")
	}
	r := reader{rest: module[len(magic):]}
	for len(r.rest) > 0 {
		id := r.byte()
		list = append(list, section{id, r.take(int(r.unsigned()))})
	}
	return list, nil
}

// meter rewrites the sections of a module in their order.
type meter struct {
	parameters []int // of each type of functions
	types      []int // of each function
	fuel       uint64
	exported   bool
}

// withGlobals returns the sections with one for globals, which may be missing.
func (m *meter) withGlobals(sections []section) []section {
	has := func(s section) bool { return s.id == globalSection }
	if slices.ContainsFunc(sections, has) {
		return sections
	}
	at := slices.IndexFunc(sections, func(s section) bool { return s.id > globalSection })
	if at < 0 {
		return sections
	}
	return slices.Insert(sections, at, section{globalSection, []byte{0}})
}

func (m *meter) section(s section) (body []byte, err error) {
	defer truncated(&err)
	r := reader{rest: s.body}
	switch s.id {
	case importSection:
		return s.body, m.imports(&r)
	case typeSection:
		for range r.count() {
			r.byte()
			m.parameters = append(m.parameters, len(r.take(int(r.unsigned()))))
			r.take(int(r.unsigned()))
		}
	case functionSection:
		for range r.count() {
			m.types = append(m.types, int(r.unsigned()))
		}
	case tableSection:
		return s.body, checkTables(&r)
	case globalSection:
		m.fuel = r.unsigned()
		body = append(asm.Unsigned(nil, m.fuel+1), r.rest...)
		body = append(body, 0x7f, 1, 0x41)
		return append(asm.Signed(body, budget), 0x0b), nil
	case exportSection:
		m.exported = true
		body = append(asm.Unsigned(nil, r.unsigned()+1), r.rest...)
		body = asm.Bytes(body, []byte(fuelGlobal))
		return asm.Unsigned(append(body, 3), m.fuel), nil
	case codeSection:
		return m.code(&r)
	}
	return s.body, nil
}

// imports refuses what is not one of the functions that a module may import.
func (m *meter) imports(r *reader) error {
	for range r.count() {
		module, name := r.take(int(r.unsigned())), r.take(int(r.unsigned()))
		if _, ok := granted[string(name)]; r.byte() != 0 || string(module) != hostModule || !ok {
			return fmt.Errorf("it imports %q of %q: only some functions of %s can be imported", name, module, hostModule)
		}
		r.unsigned() // its type, which is compared when it is linked
	}
	return nil
}

func checkTables(r *reader) error {
	for range r.count() {
		r.byte()
		limits := r.byte()
		if size := r.unsigned(); size > maxTable {
			return fmt.Errorf("it has a table of %d elements: %d are possible", size, maxTable)
		}
		if limits&1 != 0 {
			r.unsigned()
		}
	}
	return nil
}

func (m *meter) code(r *reader) (out []byte, err error) {
	count := r.count()
	out = asm.Unsigned(make([]byte, 0, len(r.rest)+len(r.rest)/4), uint64(count))
	var f function
	for i := range count {
		f = function{fuel: m.fuel, in: reader{rest: r.take(int(r.unsigned()))}, out: f.out[:0], open: f.open[:0]}
		if err := f.rewrite(m.parameters[m.types[i]]); err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		out = asm.Bytes(out, f.out)
	}
	return out, nil
}

// function rewrites the code of one function.
type function struct {
	fuel, scratch uint64 // global of the units, local for counting
	in            reader
	out           []byte
	open          []charge // the function and the blocks around the present instruction
}

// charge is one at the head of a loop or function, whose size is not yet known. Other blocks have none.
type charge struct{ at, begin int }

func (f *function) rewrite(parameters int) error {
	size := len(f.in.rest)
	groups := f.in.count()
	locals := uint64(parameters)
	f.out = asm.Unsigned(f.out, uint64(groups+1))
	for range groups {
		n := f.in.unsigned()
		if locals += n; locals > maxLocals {
			return fmt.Errorf("it has more than %d locals", maxLocals)
		}
		f.out = append(asm.Unsigned(f.out, n), f.in.byte())
	}
	f.scratch = locals
	f.out = append(f.out, 1, 0x7f)
	f.enter(size)
	for len(f.in.rest) > 0 {
		if err := f.instruction(size); err != nil {
			return err
		}
	}
	return nil
}

// enter begins the charge for what follows until the end of the block.
func (f *function) enter(size int) {
	at := f.take(append([]byte{0x41}, make([]byte, constLength)...)) + 1 // i32.const
	f.open = append(f.open, charge{at, size - len(f.in.rest)})
}

// leave ends a block and writes what it charges.
func (f *function) leave(size int) {
	if len(f.open) == 0 {
		return
	}
	c := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	if c.at > 0 {
		units := uint64(1 + (size-len(f.in.rest)-c.begin)/unitBytes)
		for i := range constLength {
			f.out[c.at+i] = byte(units>>(7*i))&0x7f | 0x80
		}
		f.out[c.at+constLength-1] &= 0x7f
	}
}

// take writes code that takes units from those that are left and traps if there are too few. It returns where the code
// begins that pushes their number.
func (f *function) take(push []byte) (at int) {
	f.global(0x23)
	at = len(f.out)
	f.out = append(append(f.out, push...), 0x6b) // i32.sub
	f.local(0x22)
	f.global(0x24)
	f.local(0x20)
	f.out = append(f.out, 0x41, 0, 0x48)          // i32.const 0, i32.lt_s
	f.out = append(f.out, 0x04, 0x40, 0x00, 0x0b) // if, unreachable, end
	return at
}

// global writes global.get (0x23) or global.set (0x24) of the units.
func (f *function) global(op byte) { f.out = asm.Unsigned(append(f.out, op), f.fuel) }

// local writes local.get (0x20) or local.tee (0x22) of the scratch.
func (f *function) local(op byte) { f.out = asm.Unsigned(append(f.out, op), f.scratch) }

// takeBytes charges for as many bytes as the number on the top of the stack, which stays there.
func (f *function) takeBytes() {
	f.local(0x22)
	push := asm.Unsigned([]byte{0x20}, f.scratch)
	f.take(append(push, 0x41, bulkShift, 0x76)) // i32.const, i32.shr_u
}

// instruction copies one instruction, with what it charges.
func (f *function) instruction(size int) error {
	before := f.in.rest
	op := f.in.byte()
	extended := uint64(0)
	if op == 0xfc {
		extended = f.in.unsigned()
	}
	if err := f.in.immediates(op, extended); err != nil {
		return err
	}
	switch {
	case op == 0x40: // memory.grow
		f.take(asm.Signed([]byte{0x41}, growUnits))
	case op == 0xfc && (extended == 8 || extended == 10 || extended == 11):
		f.takeBytes()
	}
	f.out = append(f.out, before[:len(before)-len(f.in.rest)]...)
	switch op {
	case 0x02, 0x04: // block, if
		f.open = append(f.open, charge{})
	case 0x03: // loop
		f.enter(size)
	case 0x0b: // end
		f.leave(size)
	}
	return nil
}
