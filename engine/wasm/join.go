package wasm

import (
	"errors"
	"fmt"
	"slices"

	"croupier/engine/wasm/asm"
)

// PageSize is the unit in which memory is counted, in bytes.
const PageSize = 1 << 16

// AboutSection is the custom section of a joined module that says what the module is.
const AboutSection = "croupier"

// Module is what functions that are added to a game's module must know of it.
type Module struct {
	exports            map[string]int
	Functions, Globals int // the index of the first added one
}

// Function returns the index of a function that the module exports.
func (m *Module) Function(name string) (index int, ok bool) {
	index, ok = m.exports[name]
	return index, ok
}

// Added is what a module gets. Only added functions are exported, and the memory.
type Added struct {
	Pages     int    // of memory, before those of the game
	Data      []byte // with which that begins
	Functions []asm.Function
	Globals   []Global
	About     []byte // is in AboutSection, if there is any
}

// Global is a variable.
type Global struct {
	Type    asm.Type
	Initial asm.Code // a constant
	Export  string   // "" for none
}

// Join returns the module of a game's file with functions that are added to it, as one that imports nothing. The
// memory of the game comes after that of the added functions, so that the game cannot reach theirs: each of its
// addresses is greater by the size of theirs, which all its instructions add. Functions of WASI that it imports become
// part of the module, and answer what this program answers ([granted]).
func Join(file []byte, add func(*Module) (*Added, error)) (joined []byte, err error) {
	defer truncated(&err)
	sections, err := splitAll(file)
	if err != nil {
		return nil, err
	}
	j := joiner{Module: Module{exports: map[string]int{}}, sections: sections}
	j.read()
	if j.err != nil {
		return nil, j.err
	}
	if j.added, err = add(&j.Module); err != nil {
		return nil, err
	}
	return j.write(), j.err
}

// The sections of a module that are joined, next to those that are metered.
const (
	memorySection  = 5
	startSection   = 8
	elementSection = 9
	dataSection    = 11
	countSection   = 12 // of the parts of data
)

// order is that of sections in a module.
var order = []byte{typeSection, functionSection, tableSection, memorySection, globalSection, exportSection,
	startSection, elementSection, countSection, codeSection, dataSection}

type joiner struct {
	Module
	sections map[byte][]byte
	imports  []imported
	types    int // of functions that the game has
	own      int // functions of the game, imported ones among them: helpers follow
	added    *Added
	err      error // the first
}

type imported struct {
	name string
	kind uint64 // its type
}

// The helpers, in their order after the functions of the game.
const (
	helpFill = iota
	helpCopy
	helpGrown
	helpers
)

// splitAll returns the sections of a module by their number, without custom ones.
func splitAll(file []byte) (map[byte][]byte, error) {
	list, err := splitAny(file)
	sections := map[byte][]byte{}
	for _, s := range list {
		if s.id != customSection {
			sections[s.id] = s.body
		}
	}
	return sections, err
}

func (j *joiner) reader(id byte) *reader {
	if j.sections[id] == nil {
		return &reader{rest: []byte{0}} // a count of 0
	}
	return &reader{rest: j.sections[id]}
}

// read finds out what is in the module.
func (j *joiner) read() {
	for r, n := j.reader(importSection), 0; n == 0; n++ {
		for range r.count() {
			r.take(int(r.unsigned()))
			name := string(r.take(int(r.unsigned())))
			if r.byte() != 0 || !slices.Contains(standIns, name) {
				j.err = fmt.Errorf("it imports %q, for which one file has no answer", name)
			}
			j.imports = append(j.imports, imported{name, r.unsigned()})
		}
	}
	j.types, j.own = j.reader(typeSection).count(), len(j.imports)+j.reader(functionSection).count()
	j.Functions, j.Globals = j.own+helpers, j.reader(globalSection).count()
	r := j.reader(exportSection)
	for range r.count() {
		name := string(r.take(int(r.unsigned())))
		if kind, index := r.byte(), int(r.unsigned()); kind == 0 {
			j.exports[name] = index
		}
	}
}

func (j *joiner) base() int { return j.added.Pages * PageSize }

// functions are all that the module gets, in their order: before those of the game come what it imported.
func (j *joiner) functions() (before, after []asm.Function) {
	for _, i := range j.imports {
		before = append(before, j.host(i.name))
	}
	after = append(make([]asm.Function, helpers), j.added.Functions...)
	j.help(after)
	return before, after
}

func (j *joiner) write() []byte {
	before, after := j.functions()
	out := append([]byte{}, magic...)
	for _, id := range order {
		body, has := j.sections[id]
		switch id {
		case typeSection:
			body = j.kinds(after)
		case functionSection:
			body = j.signatures(after)
		case memorySection:
			body = j.memory()
		case globalSection:
			body = j.globals()
		case exportSection:
			body = j.exported(after)
		case codeSection:
			body = j.code(before, after)
		case dataSection:
			body = j.data()
		case countSection:
			if has {
				body = asm.Unsigned([]byte{}, j.reader(id).unsigned()+1)
			}
		}
		if body != nil {
			out = asm.Bytes(append(out, id), body)
		}
	}
	if len(j.added.About) == 0 {
		return out
	}
	about := append(asm.Bytes([]byte{}, []byte(AboutSection)), j.added.About...)
	return asm.Bytes(append(out, customSection), about)
}

// more returns a section with a number of elements added to its own.
func (j *joiner) more(id byte, n int, elements []byte) []byte {
	r := j.reader(id)
	body := asm.Unsigned([]byte{}, uint64(r.count()+n))
	return append(append(body, r.rest...), elements...)
}

func (j *joiner) kinds(after []asm.Function) []byte {
	var elements []byte
	for _, f := range after {
		elements = asm.Bytes(asm.Bytes(append(elements, 0x60), f.Parameters), f.Results)
	}
	return j.more(typeSection, len(after), elements)
}

// signatures are the types of all functions: of the host's, of the game's, and of those that are added, which have one
// each.
func (j *joiner) signatures(after []asm.Function) []byte {
	r := j.reader(functionSection)
	body := asm.Unsigned([]byte{}, uint64(len(j.imports)+r.count()+len(after)))
	for _, i := range j.imports {
		body = asm.Unsigned(body, i.kind)
	}
	body = append(body, r.rest...)
	for i := range after {
		body = asm.Unsigned(body, uint64(j.types+i))
	}
	return body
}

func (j *joiner) memory() []byte {
	r := j.reader(memorySection)
	if r.count() != 1 {
		j.err = errors.New("it has no memory of its own")
		return nil
	}
	limits, pages := r.byte(), uint64(j.added.Pages)
	body := asm.Unsigned([]byte{1, limits}, r.unsigned()+pages)
	if limits&1 != 0 {
		body = asm.Unsigned(body, min(r.unsigned()+pages, PageSize))
	}
	return body
}

func (j *joiner) globals() []byte {
	var elements []byte
	for _, g := range j.added.Globals {
		elements = append(append(append(elements, g.Type, 1), g.Initial...), 0x0b)
	}
	return j.more(globalSection, len(j.added.Globals), elements)
}

func (j *joiner) exported(after []asm.Function) []byte {
	count, elements := 1, append(asm.Bytes([]byte{}, []byte("memory")), 2, 0)
	add := func(name string, kind byte, index int) {
		if name != "" {
			count++
			elements = asm.Unsigned(append(asm.Bytes(elements, []byte(name)), kind), uint64(index))
		}
	}
	for i, f := range after {
		add(f.Export, 0, j.own+i)
	}
	for i, g := range j.added.Globals {
		add(g.Export, 3, j.Globals+i)
	}
	return append(asm.Unsigned([]byte{}, uint64(count)), elements...)
}

// data are the parts with which the memory begins: those of the game, which it may name by their numbers, and the added
// one.
func (j *joiner) data() []byte {
	r := j.reader(dataSection)
	count := r.count()
	body := asm.Unsigned([]byte{}, uint64(count+1))
	for range count {
		kind := r.unsigned()
		body = asm.Unsigned(body, kind)
		if kind == 2 {
			body = asm.Unsigned(body, r.unsigned())
		}
		if kind != 1 {
			body = j.place(body, r)
		}
		body = asm.Bytes(body, r.take(int(r.unsigned())))
	}
	return asm.Bytes(append(body, 0, 0x41, 0, 0x0b), j.added.Data)
}

// place copies the address of a part of data, which is a constant.
func (j *joiner) place(body []byte, r *reader) []byte {
	if r.byte() != 0x41 {
		j.err = errors.New("a part of its data has an address that is not a constant")
		return body
	}
	body = append(append(body, asm.Int(int(r.signed())+j.base())...), 0x0b)
	if r.byte() != 0x0b {
		j.err = errors.New("a part of its data has an address that is calculated")
	}
	return body
}

func (j *joiner) code(before, after []asm.Function) []byte {
	r := j.reader(codeSection)
	count := r.count()
	body := asm.Unsigned([]byte{}, uint64(len(before)+count+len(after)))
	for _, f := range before {
		body = asm.Bytes(body, written(f))
	}
	for i := range count {
		moved, err := j.moved(r.take(int(r.unsigned())))
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("function %d: %w", i, err)
		}
		body = asm.Bytes(body, moved)
	}
	for _, f := range after {
		body = asm.Bytes(body, written(f))
	}
	return body
}

func written(f asm.Function) []byte {
	body := asm.Unsigned([]byte{}, uint64(len(f.Locals)))
	for _, local := range f.Locals {
		body = append(body, 1, local)
	}
	return append(append(body, f.Body...), 0x0b)
}

// moved returns the code of a function of the game, whose addresses are greater.
func (j *joiner) moved(in []byte) (out []byte, err error) {
	r := reader{rest: in}
	for range r.count() {
		r.skip()
		r.byte()
	}
	out = append(out, in[:len(in)-len(r.rest)]...)
	for len(r.rest) > 0 {
		if out, err = j.instruction(out, &r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (j *joiner) instruction(out []byte, r *reader) ([]byte, error) {
	before := r.rest
	op, extended := r.byte(), uint64(0)
	if op >= 0x28 && op <= 0x3e { // loads and stores
		out = asm.Unsigned(append(out, op), r.unsigned())
		return asm.Unsigned(out, min(r.unsigned()+uint64(j.base()), 1<<32-1)), nil // there is no memory at the last address
	}
	if op == 0xfc {
		extended = r.unsigned()
	}
	if err := r.immediates(op, extended); err != nil {
		return nil, err
	}
	same := before[:len(before)-len(r.rest)]
	switch {
	case op == 0x3f: // memory.size
		return append(out, asm.Op(asm.I32Sub, same, asm.Int(j.added.Pages))...), nil
	case op == 0x40: // memory.grow
		return append(out, asm.Call(j.own+helpGrown, same)...), nil
	case op == 0xfc && extended == 8:
		return nil, errors.New("memory.init is not possible")
	case op == 0xfc && extended == 10:
		return append(out, asm.Call(j.own+helpCopy)...), nil
	case op == 0xfc && extended == 11:
		return append(out, asm.Call(j.own+helpFill)...), nil
	}
	return append(out, same...), nil
}
