package wasm

import (
	"fmt"
	"strings"
)

// Fault is what a module did wrong, and where.
type Fault struct {
	File    string // SHA-256 of the file in hexadecimal digits
	Name    string // of the game
	Export  string // the call
	History []int32
	Err     error
}

// historyEnd is how much of a long history is told.
const historyEnd = 100

func (f *Fault) Error() string {
	history := f.History
	shown := ""
	if n := len(history) - historyEnd; n > 0 {
		history, shown = history[n:], fmt.Sprintf("%d steps and ", n)
	}
	shown += strings.Join(strings.Fields(fmt.Sprint(history)), ",")
	return fmt.Sprintf("game %s from file %.12s: export %s after %s: %v", f.Name, f.File, f.Export, shown, f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }
