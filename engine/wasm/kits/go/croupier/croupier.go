// Package croupier makes a game in Go a file for Croupier. docs/guide/own-games.md explains it step by step.
//
// A game is a type whose fields are the position: numbers, truth values and arrays of them, which are zeros before the
// game begins. A pointer to it implements [Game], and what it has of [Beginner], [Scorer], [Seer], [Namer], [Texter]
// and [Viewer]. The game's package main hands it to [Start] in its function init, has an empty function main, and is
// built by
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-s -o NAME.wasm .
//
// The program copies the bytes of the position and keeps nothing else: what a game stores in other variables may be
// lost between two calls. Nothing may depend on the order of a map, on chance or on the time: the clock stands still.
package croupier

//lint:file-ignore U1000 The program calls the exports at the end.

import (
	"reflect"
	"unsafe"
)

const (
	Chance   = -1 // what Player returns where a die or a card decides
	Terminal = -2 // and at the end

	HiddenStep = -1 // what Seen returns if a seat sees that a step is made, but not which
	Unnoticed  = -2 // and if it does not notice it

	Everybody = -1 // the eye of View that sees what everybody sees
	AllOpen   = -2 // and the one that sees what is hidden as well
)

// Game is what each game defines.
type Game interface {
	Describe() string               // returns the description, JSON; Rule(0) is the value of the first rule
	Player() int                    // returns the seat to move, Chance or Terminal
	Steps()                         // calls Can, or at a node of chance Outcome, in ascending order
	Apply(step int)                 // makes a possible step
	Observe(seat int, to []float32) // writes what a seat may know over zeros
	Returns(to []float64)           // writes the return of each seat at the end over zeros; their sum is 0
}

// Beginner makes the beginning of the game from zeros.
type Beginner interface{ Begin() }

// Scorer writes the points of each seat.
type Scorer interface{ Scores(to []int64) }

// Seer returns what a seat sees of a step that is about to be made: the step, another number if it sees only a part,
// HiddenStep or Unnoticed. It is needed where information is hidden.
type Seer interface{ Seen(seat, step int) int }

// Namer names an action or outcome; "" for the name of the description.
type Namer interface{ Name(step int) string }

// Texter returns the position for people.
type Texter interface{ Text() string }

// Viewer returns what lies on the table for a seat, Everybody or AllOpen: JSON.
type Viewer interface{ View(eye int) string }

// Sizes are the greatest under any rules.
type Sizes struct {
	Seats       int // players
	Steps       int // actions, or outcomes of chance, whichever are more
	Observation int // numbers that a player is shown
	Rules       int // that can be changed
}

// What the program reads and writes.
var (
	table       [12]uint32
	node        [2]int32 // the player, and how many steps are possible
	words       [1<<16 + 1]byte
	rules       []int32
	possible    []int32
	weights     []uint32
	observation []float32
	returns     []float64
	scores      []int64
	views       []int32

	it Game
)

// Start makes a game the one of the file.
func Start[S any, P interface {
	*S
	Game
}](position P, sizes Sizes) {
	requireNumbers(reflect.TypeFor[S](), reflect.TypeFor[S]().Name())
	it = position
	rules = make([]int32, sizes.Rules+1)
	possible = make([]int32, sizes.Steps)
	weights = make([]uint32, sizes.Steps)
	observation = make([]float32, sizes.Observation)
	returns = make([]float64, sizes.Seats)
	scores = make([]int64, sizes.Seats)
	views = make([]int32, sizes.Seats)
	table = [12]uint32{1, first(words[:]), first(rules), address(unsafe.Pointer(position)),
		uint32(unsafe.Sizeof(*position)), first(node[:]), first(possible), first(weights), first(observation),
		first(returns), first(scores), first(views)}
}

// requireNumbers panics if the bytes of a value are not all of it.
func requireNumbers(t reflect.Type, name string) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			requireNumbers(t.Field(i).Type, name+"."+t.Field(i).Name)
		}
	case reflect.Array:
		requireNumbers(t.Elem(), name+"[]")
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan,
		reflect.UnsafePointer:
		panic(name + " is a " + t.Kind().String() + ": a position has only numbers, truth values and arrays of them")
	}
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

func first[E any](list []E) uint32 { return address(unsafe.Pointer(unsafe.SliceData(list))) }

// Rule returns the value of a rule, by its place in the description: a number, 1 or 0 for true or false, or the place
// of a text among its values.
func Rule(i int) int { return int(rules[i]) }

// Can says that an action is legal.
func Can(action int) { Outcome(action, 1) }

// Outcome says that chance can do something, in as many cases of all as weight says.
func Outcome(number int, weight uint32) {
	possible[node[1]], weights[node[1]] = int32(number), weight
	node[1]++
}

// tell writes the node of the position.
func tell() {
	player := it.Player()
	node = [2]int32{int32(player), 0}
	if player == Terminal {
		it.Returns(returns)
	} else {
		it.Steps()
	}
	if s, ok := it.(Scorer); ok {
		s.Scores(scores)
	}
}

// write returns the address of a text, 0 for an empty one.
func write(text string) uint32 {
	n := copy(words[:len(words)-1], text)
	words[n] = 0
	if n == 0 {
		return 0
	}
	return first(words[:])
}

// The exports of the interface.

//go:wasmexport game
func game() uint32 {
	write(it.Describe())
	return first(table[:])
}

//go:wasmexport reset
func reset() {
	if b, ok := it.(Beginner); ok {
		b.Begin()
	}
	tell()
}

//go:wasmexport step
func step(made, observing int32) {
	for seat := range views {
		views[seat] = seen(int32(seat), made)
	}
	it.Apply(int(made))
	tell()
	if observing != 0 && node[0] >= 0 {
		observe(node[0])
	}
}

//go:wasmexport observe
func observe(seat int32) { it.Observe(int(seat), observation) }

//go:wasmexport seen
func seen(seat, step int32) int32 {
	if s, ok := it.(Seer); ok {
		return int32(s.Seen(int(seat), int(step)))
	}
	return step
}

//go:wasmexport name
func name(step int32) uint32 {
	if n, ok := it.(Namer); ok {
		return write(n.Name(int(step)))
	}
	return 0
}

//go:wasmexport text
func text() uint32 {
	if t, ok := it.(Texter); ok {
		return write(t.Text())
	}
	return 0
}

//go:wasmexport view
func view(eye int32) uint32 {
	if v, ok := it.(Viewer); ok {
		return write(v.View(int(eye)))
	}
	return 0
}
