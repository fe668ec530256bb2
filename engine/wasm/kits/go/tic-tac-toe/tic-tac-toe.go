// Tic-tac-toe: two players take turns to mark one of nine squares. Three of one's own in a row, a column or a diagonal
// win; a full board without them is a draw.
package main

import (
	"strings"

	"croupier/engine/wasm/kits/go/croupier"
)

var lines = [8][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}

type board struct {
	marks [9]int8 // 0 for an empty square, else the seat + 1
	moves int8
}

func (b *board) Describe() string {
	return `{"name": "tic-tac-toe", "title": "Tic-tac-toe", "summary": "Tic-tac-toe: three in a row win",
"seats": 2, "max_history": 9, "payoff": "win-loss", "max_return": 1, "unit": "wins",
"actions": [{"name": "square", "count": 9}],
"observation": [{"name": "own", "size": 9}, {"name": "other", "size": 9}]}`
}

// winner returns the seat that has three in a line, or -1.
func (b *board) winner() int {
	for _, line := range lines {
		mark := b.marks[line[0]]
		if mark != 0 && mark == b.marks[line[1]] && mark == b.marks[line[2]] {
			return int(mark) - 1
		}
	}
	return -1
}

func (b *board) Player() int {
	if b.winner() >= 0 || b.moves == 9 {
		return croupier.Terminal
	}
	return int(b.moves % 2)
}

func (b *board) Steps() {
	for square, mark := range b.marks {
		if mark == 0 {
			croupier.Can(square)
		}
	}
}

func (b *board) Apply(square int) {
	b.marks[square] = 1 + b.moves%2
	b.moves++
}

func (b *board) Observe(seat int, to []float32) {
	for square, mark := range b.marks {
		if mark == int8(seat)+1 {
			to[square] = 1
		} else if mark != 0 {
			to[9+square] = 1
		}
	}
}

func (b *board) Returns(to []float64) {
	if seat := b.winner(); seat >= 0 {
		to[seat], to[1-seat] = 1, -1
	} else {
		to[0], to[1] = 0, 0
	}
}

func (b *board) Text() string {
	var rows []string
	for row := range 3 {
		var squares []string
		for _, mark := range b.marks[3*row : 3*row+3] {
			squares = append(squares, []string{".", "x", "o"}[mark])
		}
		rows = append(rows, strings.Join(squares, " "))
	}
	return strings.Join(rows, "\n")
}

func (b *board) View(int) string {
	var cells []string
	for _, mark := range b.marks {
		cells = append(cells, []string{`""`, `"@0"`, `"@1"`}[mark])
	}
	return `{"parts": [{"grid": {"columns": 3, "actions": [0, 1, 2, 3, 4, 5, 6, 7, 8], "cells": [` +
		strings.Join(cells, ", ") + `]}}]}`
}

func init() { croupier.Start(&board{}, croupier.Sizes{Seats: 2, Steps: 9, Observation: 18}) }

func main() {}
