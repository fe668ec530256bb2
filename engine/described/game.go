// Package described is what games have in common that describe themselves in a JSON document: those of files (package
// wasm) and of programs (package program). Such a game is not trusted: what it answers is checked, and its first wrong
// answer is a [Fault], which every later Apply of any of its states returns.
package described

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unicode"

	"croupier/engine"
)

// Game is the part of a game that its description has.
type Game struct {
	Description *Description
	source      string // for faults: "file 3f0c7a91d2e4"
	rules       any
	spec        engine.Spec
	bots        engine.Bots
	actionNames []string
	fault       atomic.Pointer[Fault] // the first
}

// Init sets what the description says of the game under rules of the set.
func (g *Game) Init(d *Description, source string, set *Ruleset, rules any) {
	g.Description, g.source, g.rules = d, source, rules
	g.spec = d.spec(set.book)
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
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the rules, the first of which is the file or program.
func (g *Game) Rules() any { return g.rules }

// Bots returns none.
func (g *Game) Bots() *engine.Bots { return &g.bots }

// Fail keeps the first fault of the game and returns it.
func (g *Game) Fail(call string, history []int32, err error) error {
	g.fault.CompareAndSwap(nil, &Fault{g.spec.Name, g.source, call, append([]int32(nil), history...), err})
	return g.Failed()
}

// Failed returns the first fault of the game.
func (g *Game) Failed() error {
	if f := g.fault.Load(); f != nil {
		return f
	}
	return nil
}

// Printable reports whether a text has neither line breaks nor other control characters.
func Printable(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }
