package wasm

import (
	"fmt"
	"sync"
	"sync/atomic"

	"croupier/engine"
)

// Game is a game of a file under fixed rules.
type Game struct {
	file        *File
	description *description
	rules       any
	numbers     []int32 // rules for the module
	spec        engine.Spec
	bots        engine.Bots
	stateSize   int
	start       *State // which does not change
	actionNames []string
	fault       atomic.Pointer[Fault] // the first

	mu        sync.Mutex
	instances []*instance
}

func newGame(f *File, rules any, numbers []int32) (*Game, error) {
	g := &Game{file: f, rules: rules, numbers: numbers}
	in, err := g.instantiate()
	if err != nil {
		return nil, err
	}
	d := g.description
	g.spec = d.spec(f.rules.book)
	g.bots = engine.Bots{Game: d.Name}
	for _, group := range d.Actions {
		for i := range group.Count {
			name := fmt.Sprintf("%s %d", group.Name, i)
			if len(group.Names) > 0 {
				name = group.Names[i]
			}
			g.actionNames = append(g.actionNames, name)
		}
	}
	g.start = g.newState(in)
	g.start.begin()
	if err := g.failed(); err != nil {
		return nil, err
	}
	return g, g.try()
}

// instantiate makes another instance under the game's rules.
func (g *Game) instantiate() (*instance, error) {
	in, err := g.file.instantiate()
	if err != nil {
		return nil, err
	}
	d, err := in.configure(g.numbers)
	if err == nil && g.description == nil {
		g.description, g.stateSize = d, int(in.table[wordStateSize])
	}
	if err == nil {
		err = g.file.description.sameRules(d)
	}
	if err == nil {
		err = in.checkTable(g.description)
	}
	if err == nil && int(in.table[wordStateSize]) != g.stateSize {
		err = fmt.Errorf("state: its size is %d and %d under the same rules", g.stateSize, in.table[wordStateSize])
	}
	if err != nil {
		in.close()
		return nil, err
	}
	g.instances = append(g.instances, in)
	return in, nil
}

// enter returns an instance for one call, which ends with leave: that of the last call, if nobody else uses it.
func (g *Game) enter(last *instance) (*instance, error) {
	if last.busy.CompareAndSwap(false, true) {
		return last, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, in := range g.instances {
		if in.busy.CompareAndSwap(false, true) {
			return in, nil
		}
	}
	in, err := g.instantiate()
	if err != nil {
		return nil, err
	}
	in.busy.Store(true)
	return in, nil
}

func (in *instance) leave() { in.busy.Store(false) }

// fail keeps the first fault of the game.
func (g *Game) fail(export string, history []int32, err error) error {
	fault := &Fault{g.file.hash, g.description.Name, export, append([]int32(nil), history...), err}
	g.fault.CompareAndSwap(nil, fault)
	return g.failed()
}

// failed returns the first fault of the game.
func (g *Game) failed() error {
	if f := g.fault.Load(); f != nil {
		return f
	}
	return nil
}

// File returns the file that the game comes from.
func (g *Game) File() *File { return g.file }

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the rules, the first of which is the file.
func (g *Game) Rules() any { return g.rules }

// Bots returns none.
func (g *Game) Bots() *engine.Bots { return &g.bots }

// NewState returns the initial state.
func (g *Game) NewState() engine.State { return g.start.Clone() }
