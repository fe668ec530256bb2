package described

import (
	"fmt"
	"strings"
)

// Fault is what a game did wrong, and where.
type Fault struct {
	Name    string // of the game
	Source  string // what it comes from: "file 3f0c7a91d2e4"
	Call    string // what was asked: "export step(4)"
	History []int32
	Err     error
}

// historyEnd is how much of a long history an error has.
const historyEnd = 100

func (f *Fault) Error() string {
	history := f.History
	shown := ""
	if n := len(history) - historyEnd; n > 0 {
		history, shown = history[n:], fmt.Sprintf("%d steps and ", n)
	}
	shown += strings.Join(strings.Fields(fmt.Sprint(history)), ",")
	return fmt.Sprintf("game %s from %s: %s after %s: %v", f.Name, f.Source, f.Call, shown, f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }
