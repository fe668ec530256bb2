package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"croupier/engine/described"
)

// The words of the table whose address the export game returns: numbers of 32 bits, addresses unless they say else.
const (
	wordVersion = iota // version of the interface
	wordDescription
	wordRules
	wordState
	wordStateSize // bytes
	wordNode
	wordSteps
	wordWeights
	wordObservation
	wordReturns
	wordScores
	wordSeen
	words
)

const (
	version      = 1
	maxState     = 1 << 16 // bytes
	maxDocument  = 1 << 16 // bytes of a description
	maxText      = 1 << 12 // bytes of a name or a position for people
	nodeBytes    = 8       // the player and the number of steps
	notFinite32  = 0x7f800000
	errNoExports = "the module exports no %s"
)

// instance is a module with memory. Between two calls nothing of it counts, and it serves one call at a time.
type instance struct {
	busy   atomic.Bool
	ctx    context.Context // of the calls into it
	said   said            // during the last one
	module api.Module
	memory api.Memory
	fuel   api.MutableGlobal
	table  [words]uint32

	game, reset, step, observe api.Function
	see, name, position, show  api.Function // optional
	initialize                 api.Function // also: what a runtime in the module does first

	stack  [2]uint64
	ground []byte // the whole memory
	views         // of the parts that each step reads, once the table is checked
}

// views are parts of the memory, each as large as it can be.
type views struct{ state, node, steps, weights, observation, returns, scores, seen []byte }

// signatures are those of the exports: how many numbers of 32 bits they take, and return.
var signatures = []struct {
	name                string
	parameters, results int
	optional            bool
	of                  func(*instance) *api.Function
}{
	{"game", 0, 1, false, func(i *instance) *api.Function { return &i.game }},
	{"reset", 0, 0, false, func(i *instance) *api.Function { return &i.reset }},
	{"step", 2, 0, false, func(i *instance) *api.Function { return &i.step }},
	{"observe", 1, 0, false, func(i *instance) *api.Function { return &i.observe }},
	{"seen", 2, 1, true, func(i *instance) *api.Function { return &i.see }},
	{"name", 1, 1, true, func(i *instance) *api.Function { return &i.name }},
	{"text", 0, 1, true, func(i *instance) *api.Function { return &i.position }},
	{"view", 1, 1, true, func(i *instance) *api.Function { return &i.show }},
	{"_initialize", 0, 0, true, func(i *instance) *api.Function { return &i.initialize }},
}

func (f *File) instantiate() (*instance, error) {
	in := &instance{ctx: context.Background()}
	if len(f.compiled.ImportedFunctions()) > 0 {
		in.ctx = context.WithValue(in.ctx, saidKey{}, &in.said)
	}
	own := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err := f.runtime.InstantiateModule(in.ctx, f.compiled, own)
	if err != nil {
		return nil, sentence(err)
	}
	in.module, in.memory = module, module.ExportedMemory("memory")
	in.fuel, _ = module.ExportedGlobal(fuelGlobal).(api.MutableGlobal)
	if err = in.find(); err == nil && in.initialize != nil {
		err = in.initialized()
	}
	if err == nil {
		err = in.readTable()
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

func (in *instance) close() { in.module.Close(context.Background()) }

// find finds the exports.
func (in *instance) find() error {
	if in.memory == nil {
		return fmt.Errorf(errNoExports, "memory")
	}
	for _, s := range signatures {
		f := in.module.ExportedFunction(s.name)
		if f == nil && !s.optional {
			return fmt.Errorf(errNoExports, "function "+s.name)
		}
		if f == nil {
			continue
		}
		d := f.Definition()
		if !numbers(d.ParamTypes(), s.parameters) || !numbers(d.ResultTypes(), s.results) {
			return fmt.Errorf("export %s: it must take %d and return %d numbers of type i32", s.name, s.parameters, s.results)
		}
		*s.of(in) = f
	}
	return nil
}

func numbers(types []api.ValueType, n int) bool {
	for _, t := range types {
		if t != api.ValueTypeI32 {
			return false
		}
	}
	return len(types) == n
}

// call calls an export with what is in the stack.
func (in *instance) call(f api.Function) error {
	in.fuel.Set(budget)
	in.said.text = in.said.text[:0]
	if err := f.CallWithStack(in.ctx, in.stack[:]); err != nil {
		if int32(in.fuel.Get()) < 0 {
			return fmt.Errorf("it did not come back within %d units of work", budget)
		}
		err = sentence(err)
		if reason := in.said.String(); reason != "" {
			err = fmt.Errorf("%w: %s", err, reason)
		}
		return err
	}
	return nil
}

// initialized has a runtime in the module begin.
func (in *instance) initialized() error {
	if err := in.call(in.initialize); err != nil {
		return fmt.Errorf("export _initialize: %w", err)
	}
	return nil
}

// number calls an export that returns a number.
func (in *instance) number(f api.Function, arguments ...int) (uint32, error) {
	for i, a := range arguments {
		in.stack[i] = uint64(uint32(int32(a)))
	}
	err := in.call(f)
	return uint32(in.stack[0]), err
}

// readTable reads the table again: it may change with the rules.
func (in *instance) readTable() error {
	address, err := in.number(in.game)
	if err != nil {
		return fmt.Errorf("export game: %w", err)
	}
	table, err := in.view("table", address, 4*words)
	if err != nil {
		return err
	}
	for i := range in.table {
		in.table[i] = binary.LittleEndian.Uint32(table[4*i:])
	}
	if v := in.table[wordVersion]; v != version {
		return fmt.Errorf("export game: its interface has the version %d, this program knows %d", v, version)
	}
	return nil
}

// view returns a part of the memory, in which nothing may be kept.
func (in *instance) view(what string, address uint32, size int) ([]byte, error) {
	in.ground, _ = in.memory.Read(0, in.memory.Size())
	if end := uint64(address) + uint64(size); end > uint64(len(in.ground)) {
		return nil, fmt.Errorf("%s: %d bytes from %d on reach beyond the memory of %d", what, size, address, len(in.ground))
	}
	return in.ground[address:][:size], nil
}

// describe reads the description.
func (in *instance) describe() (*described.Description, error) {
	text, err := in.zeroTerminated("description", in.table[wordDescription], maxDocument)
	if err != nil {
		return nil, err
	}
	return described.Read([]byte(text))
}

func (in *instance) zeroTerminated(what string, address uint32, most int) (string, error) {
	if _, err := in.view(what, address, 0); err != nil {
		return "", err
	}
	rest := in.ground[address:]
	end := bytes.IndexByte(rest[:min(len(rest), most+1)], 0)
	if end < 0 {
		return "", fmt.Errorf("%s: no zero ends it within %d bytes", what, most)
	}
	if !utf8.Valid(rest[:end]) {
		return "", fmt.Errorf("%s: it is not UTF-8", what)
	}
	return string(rest[:end]), nil
}

// configure gives the module its rules, and reads its table and description under them.
func (in *instance) configure(rules []int32) (*described.Description, error) {
	if len(rules) > 0 {
		dst, err := in.view("rules", in.table[wordRules], 4*len(rules))
		if err != nil {
			return nil, err
		}
		for i, v := range rules {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
		}
	}
	if err := in.readTable(); err != nil {
		return nil, err
	}
	return in.describe()
}

// checkTable reports what does not fit into the memory.
func (in *instance) checkTable(d *described.Description) error {
	if n := in.table[wordStateSize]; n == 0 || n > maxState {
		return fmt.Errorf("state: %d bytes are not in 1..%d", n, maxState)
	}
	if err := in.place(d); err != nil {
		return err
	}
	if d.HiddenInformation && in.see == nil {
		return fmt.Errorf(errNoExports+", which is needed where information is hidden", "function seen")
	}
	return nil
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// place finds the parts of the memory that each step reads.
func (in *instance) place(d *described.Description) error {
	_, observation := d.Segments()
	for _, part := range []struct {
		what string
		word int
		size int
		view *[]byte
	}{
		{"state", wordState, int(in.table[wordStateSize]), &in.state},
		{"node", wordNode, nodeBytes, &in.node},
		{"steps", wordSteps, 4 * max(d.ActionCount(), d.Outcomes), &in.steps},
		{"weights", wordWeights, 4 * d.Outcomes, &in.weights},
		{"observation", wordObservation, 4 * observation, &in.observation},
		{"returns", wordReturns, 8 * d.Seats, &in.returns},
		{"scores", wordScores, 8 * d.Seats * int(bit(d.Scores)), &in.scores},
		{"seen", wordSeen, 4 * d.Seats * int(bit(d.HiddenInformation)), &in.seen},
	} {
		if part.size == 0 {
			continue
		}
		if in.table[part.word] == 0 {
			return fmt.Errorf("%s: its address in the table is 0", part.what)
		}
		var err error
		if *part.view, err = in.view(part.what, in.table[part.word], part.size); err != nil {
			return err
		}
	}
	return nil
}

// on calls an export about a state, with what is in the stack. Observation, returns and scores are zeros before.
func (in *instance) on(state []byte, f api.Function, d *described.Description) error {
	copy(in.state, state)
	clear(in.observation)
	clear(in.returns)
	clear(in.scores)
	err := in.call(f)
	if err == nil && int(in.memory.Size()) != len(in.ground) {
		err = in.place(d)
	}
	return err
}

// readObservation copies the observation, all of which must be finite.
func (in *instance) readObservation(dst []float32) error {
	const exponents, lowest, carries = notFinite32<<32 | notFinite32, 1<<55 | 1<<23, 1<<63 | 1<<31
	src, carried, i := in.observation[:4*len(dst)], uint64(0), 0
	for ; i+1 < len(dst); i += 2 { // an exponent of ones is carried over by its lowest bit
		pair := binary.LittleEndian.Uint64(src[4*i:])
		carried |= pair&exponents + lowest
		dst[i], dst[i+1] = math.Float32frombits(uint32(pair)), math.Float32frombits(uint32(pair>>32))
	}
	for ; i < len(dst); i++ {
		bits := binary.LittleEndian.Uint32(src[4*i:])
		carried |= uint64(bits&notFinite32) + 1<<23
		dst[i] = math.Float32frombits(bits)
	}
	if carried&carries == 0 {
		return nil
	}
	i = slices.IndexFunc(dst, func(v float32) bool { return math.Float32bits(v)&notFinite32 == notFinite32 })
	return fmt.Errorf("number %d of the observation is %v", i, dst[i])
}

// sentence shortens an error of the runtime to its first line, without the stack.
func sentence(err error) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	first = strings.TrimPrefix(first, "wasm error: ")
	return errors.New(strings.TrimSuffix(first, " (recovered by wazero)"))
}
