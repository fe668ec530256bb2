// Package inpage makes games that are packages in Go the game of a WebAssembly module, which plays them in a page
// (package offline). The module has the interface of games from files, and is made by the kit for Go.
//
// The bytes of a position are its history. The module keeps the state that it has made last and makes the steps that
// it lacks, or all of them where the history is another one. The rules, a number for a byte, are a [Choice] as JSON
// with its length before it.
package inpage

import (
	"encoding/json"
	"fmt"
)

// Choice reports which game a module plays.
type Choice struct {
	Game  string          `json:"game"`
	Rules json.RawMessage `json:"rules"`
}

// mostRules bounds the bytes of a choice.
const mostRules = 1 << 16

// Numbers returns a choice as the module gets it.
func (c Choice) Numbers() ([]int32, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if len(text) >= mostRules {
		return nil, fmt.Errorf("its rules have %d bytes: a page holds %d", len(text), mostRules)
	}
	numbers := []int32{int32(len(text))}
	for _, b := range text {
		numbers = append(numbers, int32(b))
	}
	return numbers, nil
}
