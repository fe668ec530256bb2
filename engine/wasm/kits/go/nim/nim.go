// Command nim is Nim as a game file: two players take turns to take objects from one of four heaps, as many as they
// like and one at least. In the usual game the player that takes the last object wins, in misère play it loses.
package main

import (
	"strconv"
	"strings"

	"croupier/engine/wasm/kits/go/croupier"
)

const (
	heaps  = 4
	most   = 7     // objects of a heap
	misere = heaps // the number of the rule
)

// position is what is left of each heap. Action 7·heap + n - 1 takes n objects.
type position struct {
	left  [heaps]int8
	moves int8
}

func (p *position) Describe() string {
	objects := 1
	for heap := range heaps {
		objects += croupier.Rule(heap)
	}
	return `{"name": "nim", "title": "Nim", "summary": "Nim: four heaps, and who takes the last object wins",
"seats": 2, "max_history": ` + strconv.Itoa(objects) + `, "payoff": "win-loss", "max_return": 1, "unit": "wins",
"actions": [{"name": "take", "count": 28}],
"observation": [{"name": "heaps", "size": 28}, {"name": "misere", "size": 1}],
"rules": [{"name": "heap1", "help": "Objects of heap 1", "default": 1, "low": 1, "high": 7},
 {"name": "heap2", "help": "Objects of heap 2", "default": 3, "low": 0, "high": 7},
 {"name": "heap3", "help": "Objects of heap 3", "default": 5, "low": 0, "high": 7},
 {"name": "heap4", "help": "Objects of heap 4", "default": 7, "low": 0, "high": 7},
 {"name": "misere", "help": "The last object loses", "default": false}]}`
}

func (p *position) Begin() {
	for heap := range p.left {
		p.left[heap] = int8(croupier.Rule(heap))
	}
}

func (p *position) Player() int {
	if p.left == [heaps]int8{} {
		return croupier.Terminal
	}
	return int(p.moves % 2)
}

func (p *position) Steps() {
	for heap, left := range p.left {
		for n := range int(left) {
			croupier.Can(heap*most + n)
		}
	}
}

func (p *position) Apply(step int) {
	p.left[step/most] -= int8(step%most + 1)
	p.moves++
}

// Observe shows a heap as that many ones.
func (p *position) Observe(_ int, to []float32) {
	for heap, left := range p.left {
		for n := range int(left) {
			to[heap*most+n] = 1
		}
	}
	to[heaps*most] = float32(croupier.Rule(misere))
}

func (p *position) Returns(to []float64) {
	last := int(p.moves+1) % 2 // the seat that took the last object
	to[last] = float64(1 - 2*croupier.Rule(misere))
	to[1-last] = -to[last]
}

func (p *position) Name(step int) string {
	return strconv.Itoa(step%most+1) + " from heap " + strconv.Itoa(step/most+1)
}

func (p *position) Text() string {
	var rows []string
	for heap, left := range p.left {
		rows = append(rows, strconv.Itoa(heap+1)+": "+strings.Repeat("o", int(left)))
	}
	return strings.Join(rows, "\n")
}

// View has a row for each heap. A tap on an object takes it and those to its right.
func (p *position) View(int) string {
	var cells, actions []string
	for heap, left := range p.left {
		for n := range most {
			cell, action := `""`, -1
			if n < int(left) {
				cell, action = `"o"`, heap*most+int(left)-n-1
			}
			cells, actions = append(cells, cell), append(actions, strconv.Itoa(action))
		}
	}
	return `{"parts": [{"grid": {"columns": 7, "cells": [` + strings.Join(cells, ", ") + `], "actions": [` +
		strings.Join(actions, ", ") + `]}}]}`
}

func init() {
	croupier.Start(&position{}, croupier.Sizes{
		Seats: 2, Steps: heaps * most, Observation: heaps*most + 1, Rules: heaps + 1,
	})
}

func main() {}
