// Package agentfile writes an agent as one WebAssembly module that imports nothing: a game and a network that plays it.
// docs/guide/export.md has its exports.
//
// The module of the game stays as it is (package wasm joins them). The forward pass and the play of a game are
// functions that this package writes, instruction by instruction (package asm). Their memory begins with the weights;
// then come the rules, the position with all that the game has told of it, the memory of each seat, and the vectors
// between the layers.
package agentfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"croupier/engine/wasm"
	. "croupier/engine/wasm/asm"
	"croupier/internal/sealed"
	"croupier/nn"
)

// Encode returns the module. The file is that of a game with the interface of games from files, rules are the numbers
// that it gets, and metadata is kept in the module. Its last section, sha256, ends with the checksum of all before that
// ([sealed.End]).
func Encode(file []byte, rules []int32, n *nn.Network, metadata map[string]string) ([]byte, error) {
	about, err := json.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	joined, err := wasm.Join(file, func(m *wasm.Module) (*wasm.Added, error) {
		w := &writer{module: m, layout: n.Layout}
		data := w.place(rules, n.Weights)
		if err := w.write(len(rules)); err != nil {
			return nil, err
		}
		return &wasm.Added{Pages: w.pages, Data: data, Functions: w.functions, Globals: w.globals(), About: about}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("the game and its network as one file: %w", err)
	}
	section := Bytes([]byte{}, []byte("sha256"))
	section = append(section, make([]byte, sealed.EndBytes)...)
	return sealed.End(Bytes(append(joined, customSection), section)), nil
}

// customSection is the number of sections that the format leaves to others.
const customSection = 0

// mostPosition bounds the bytes of a position.
const mostPosition = 2 * wasm.PageSize

// writer collects the functions. Fields in lower case are addresses, as far as nothing else is said.
type writer struct {
	maths
	module    *wasm.Module
	layout    *nn.Layout
	functions []Function
	end       int // of what has been placed
	pages     int
	err       error

	weights, rules       int
	position             int // the state of the game
	node                 int // player and number of possible steps
	steps, cases, shares int // of the possible steps: numbers, weights at a node of chance, what they are drawn by
	returns              int
	seats, memory        int // memory of the network: of each seat, and that of the seat to move after its decision
	observation, outputs int

	enter, tell, decide, weigh, forward int // functions
}

// add adds a function and returns its index.
func (w *writer) add(f Function) int {
	w.functions = append(w.functions, f)
	return w.module.Functions + len(w.functions) - 1
}

// room takes bytes of the memory.
func (w *writer) room(bytes int) (address int) {
	address = w.end
	w.end += (bytes + 7) &^ 7
	return address
}

// place gives everything its address and returns what the memory begins with.
func (w *writer) place(rules []int32, weights []float32) (data []byte) {
	w.end = 8 // nothing is at 0
	w.weights, w.rules = w.room(4*len(weights)), w.room(4*len(rules))
	data = make([]byte, w.end)
	for i, v := range weights {
		binary.LittleEndian.PutUint32(data[w.weights+4*i:], math.Float32bits(v))
	}
	for i, v := range rules {
		binary.LittleEndian.PutUint32(data[w.rules+4*i:], uint32(v))
	}
	spec := w.layout.Spec
	w.position, w.node = w.room(mostPosition), w.room(8)
	w.steps, w.cases, w.shares = w.room(4*w.mostSteps()), w.room(4*spec.Outcomes), w.room(8*w.mostSteps())
	w.returns = w.room(8 * spec.Seats)
	w.seats, w.memory = w.room(w.memoryBytes()*spec.Seats), w.room(w.memoryBytes())
	w.observation, w.outputs = w.room(4*spec.ObservationSize), w.room(4*(spec.Actions+1))
	return data
}

func (w *writer) mostSteps() int   { return max(w.layout.Spec.Actions, w.layout.Spec.Outcomes) }
func (w *writer) memoryBytes() int { return 4 * w.layout.StateSize }

// The globals.
const (
	globalStarted = iota
	globalTable   // address of the game's table
	globalDecided // 1 if outputs and memory are those of the seat to move
	globalTemperature
)

func (w *writer) globals() []wasm.Global {
	spec, zero := w.layout.Spec, Int(0)
	list := []wasm.Global{{Type: I32, Initial: zero}, {Type: I32, Initial: zero}, {Type: I32, Initial: zero}}
	if w.layout.Description.ActionValues() {
		return list
	}
	return append(list, wasm.Global{Type: F64, Initial: Float(spec.Temperature), Export: "temperature"})
}

func (w *writer) global(g int) Code            { return Global(w.module.Globals + g) }
func (w *writer) setGlobal(g int, v Code) Code { return SetGlobal(w.module.Globals+g, v) }
