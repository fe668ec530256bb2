package wasm

import (
	"errors"
	"fmt"
	"sync"

	"croupier/engine"
	"croupier/engine/described"
)

// Game is a game of a file under fixed rules.
type Game struct {
	described.Game
	file      *File
	numbers   []int32 // rules for the module
	stateSize int
	start     *State // which does not change

	mu        sync.Mutex
	instances []*instance
}

func newGame(f *File, rules any, numbers []int32) (*Game, error) {
	g := &Game{file: f, numbers: numbers}
	in, err := g.instantiate()
	if err != nil {
		return nil, err
	}
	g.Init(g.Description, fmt.Sprintf("file %.12s", f.hash), f.rules, rules)
	g.start = g.newState(in)
	g.start.begin()
	if err := g.Failed(); err != nil {
		return nil, err
	}
	if g.start.Player() == engine.Terminal {
		return nil, g.Fail("export reset", nil, errors.New("the game is over at its beginning"))
	}
	return g, nil
}

// instantiate makes another instance under the game's rules.
func (g *Game) instantiate() (*instance, error) {
	in, err := g.file.instantiate()
	if err != nil {
		return nil, err
	}
	d, err := in.configure(g.numbers)
	if err == nil && g.Description == nil {
		g.Description, g.stateSize = d, int(in.table[wordStateSize])
	}
	if err == nil {
		err = g.file.description.SameRules(d)
	}
	if err == nil {
		err = in.checkTable(g.Description)
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

// enter returns an instance for one call, which ends with leave: that of the last call, if no other call uses it.
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

// File returns the file that the game comes from.
func (g *Game) File() *File { return g.file }

// Numbers returns the rules as the module gets them. The caller must not change them.
func (g *Game) Numbers() []int32 { return g.numbers }

// NewState returns the initial state.
func (g *Game) NewState() engine.State { return g.start.Clone() }
