package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// assembler collects functions and the constants that they load.
type assembler struct {
	functions []*function
	*function // the one that is being written
	constants []uint32
}

// function is a function of a package in Go's assembly.
type function struct {
	name, parameters string
	offsets          map[string]int // of the parameters, in bytes
	size             int            // of parameters and results, in bytes
	lines            []line
	general          int // general registers in use
	table            string
}

// line is an instruction. Its vectors are numbers once the function is complete.
type line struct {
	format string
	args   []any
	// code is 0 for what Go's assembler knows. Otherwise it is the instruction without its
	// registers, and args are the destination and the sources in the order of the bits.
	code uint32
}

// vector is a register of 4 float32 or 2 float64 values. A temporary one lives from the
// first line that mentions it to the last one; what a loop carries along must be fixed.
type vector struct {
	number int
	fixed  bool
	last   int
}

// begin begins a function. The parameters are as in Go; result is empty or "(name type …)".
func (a *assembler) begin(name, parameters, result string) {
	f := &function{name: name + "NEON", parameters: "(" + parameters + ")" + result, offsets: map[string]int{}}
	f.layOut(parameters)
	if result != "" {
		f.size = (f.size + 7) / 8 * 8
		f.layOut(strings.Trim(result, " ()"))
	}
	a.function = f
	a.functions = append(a.functions, f)
}

// layOut places parameters, lists of names with a type.
func (f *function) layOut(parameters string) {
	var names []string
	for _, p := range strings.Split(parameters, ", ") {
		name, kind, typed := strings.Cut(p, " ")
		names = append(names, name)
		if !typed {
			continue
		}
		size := map[string]int{"[]float32": 24, "[]byte": 24, "int": 8, "float64": 8, "float32": 4}[kind]
		for _, name := range names {
			f.offsets[name] = f.size
			f.size += size
		}
		names = nil
	}
}

func (f *function) emit(format string, args ...any) {
	f.lines = append(f.lines, line{format: format, args: args})
}

func (f *function) label(name string) { f.emit(name + ":") }

// encoded emits an instruction that Go's assembler does not know.
func (f *function) encoded(code uint32, format string, vectors ...any) {
	f.lines = append(f.lines, line{format, vectors, code})
}

// register returns a general register that nothing else uses.
func (f *function) register() string {
	n := f.general
	f.general++
	if n >= 18 {
		n++ // R18 belongs to the system
	}
	if n > 25 {
		panic("neon: no general register left in " + f.name)
	}
	return fmt.Sprintf("R%d", n)
}

// value loads a parameter of 8 bytes: an int, or the address of a slice's first element.
func (f *function) value(parameter, part string) string {
	r := f.register()
	f.emit("MOVD %s%s+%d(FP), %s", parameter, part, f.offsets[parameter], r)
	return r
}

func (f *function) integer(parameter string) string { return f.value(parameter, "") }
func (f *function) pointer(parameter string) string { return f.value(parameter, "_base") }

func (f *function) length(parameter string) string {
	r := f.register()
	f.emit("MOVD %s_len+%d(FP), %s", parameter, f.offsets[parameter]+8, r)
	return r
}

// stride loads a parameter that counts float32 values, converted to bytes.
func (f *function) stride(parameter string) string {
	r := f.integer(parameter)
	f.emit("LSL $2, %s", r)
	return r
}

// broadcast loads a float32 parameter into all lanes.
func (f *function) broadcast(parameter string) *vector {
	v := &vector{fixed: true}
	f.emit("FMOVS %s+%d(FP), F%d", parameter, f.offsets[parameter], v)
	f.emit("VDUP V%d.S[0], V%d.S4", v, v)
	return v
}

// constant returns a new register with v in all lanes.
func (a *assembler) constant(v float32) *vector { return a.constantTo(&vector{}, math.Float32bits(v)) }

func (a *assembler) constantTo(r *vector, bits uint32) *vector {
	i := slices.Index(a.constants, bits)
	if i < 0 {
		i = len(a.constants)
		a.constants = append(a.constants, bits)
	}
	if a.table == "" {
		a.table = a.register()
		// Before everything else, because of loops.
		first := line{format: "MOVD $constantsNEON<>(SB), " + a.table}
		a.lines = append([]line{first}, a.lines...)
	}
	a.emit("FMOVQ %d(%s), F%d", 16*i, a.table, r)
	return r
}

// text returns the finished function.
func (f *function) text() string {
	f.allocate()
	var b strings.Builder
	fmt.Fprintf(&b, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.name, f.parameters, f.name, bufferBytes, f.size)
	for _, l := range f.lines {
		text := fmt.Sprintf(l.format, l.args...)
		switch {
		case l.code != 0:
			code := l.code
			for i, n := range l.args {
				code |= uint32(n.(int)) << []int{0, 5, 16}[i]
			}
			text = fmt.Sprintf("\tWORD $0x%08x // %s", code, text)
		case !strings.HasSuffix(text, ":"):
			text = "\t" + text
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// allocate replaces vectors by register numbers: the fixed ones first, the others by turns,
// so that neighbouring instructions wait for one another as little as possible.
func (f *function) allocate() {
	seen, next := map[*vector]bool{}, 0
	f.eachVector(func(i int, v *vector) {
		v.last = i
		if v.fixed && !seen[v] {
			v.number = next
			next++
			seen[v] = true
		}
	})
	var free []int
	for n := next; n < 32; n++ {
		free = append(free, n)
	}
	var live []*vector
	f.eachVector(func(i int, v *vector) {
		if seen[v] {
			return
		}
		live = slices.DeleteFunc(live, func(v *vector) bool {
			ended := v.last < i
			if ended {
				free = append(free, v.number)
			}
			return ended
		})
		if len(free) == 0 {
			panic("neon: no vector register left in " + f.name)
		}
		v.number, free = free[0], free[1:]
		live, seen[v] = append(live, v), true
	})
	for _, l := range f.lines {
		for i, arg := range l.args {
			if v, ok := arg.(*vector); ok {
				l.args[i] = v.number
			}
		}
	}
}

func (f *function) eachVector(visit func(line int, v *vector)) {
	for i, l := range f.lines {
		for _, arg := range l.args {
			if v, ok := arg.(*vector); ok {
				visit(i, v)
			}
		}
	}
}

const header = "// Code generated by nn/kernel/asm/neon. DO NOT EDIT.\n\n//go:build !purego\n\n"

func (a *assembler) assembly() string {
	text := header + "#include \"textflag.h\"\n\n"
	for i, c := range a.constants {
		for lane := range 4 {
			text += fmt.Sprintf("DATA constantsNEON<>+%d(SB)/4, $0x%08x\n", 16*i+4*lane, c)
		}
	}
	text += fmt.Sprintf("GLOBL constantsNEON<>(SB), RODATA|NOPTR, $%d\n", 16*len(a.constants))
	for _, f := range a.functions {
		text += f.text()
	}
	return text
}

func (a *assembler) declarations() string {
	text := header + "package kernel\n"
	for _, f := range a.functions {
		text += fmt.Sprintf("\n//go:noescape\nfunc %s%s\n", f.name, f.parameters)
	}
	return text
}
