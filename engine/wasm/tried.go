package wasm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"croupier/internal/durable"
	"croupier/internal/platform"
)

// To check a file and to try its game takes longer than to read its machine code, and comes to the same each time. So
// the rules under which a game was tried are kept next to its code.
const (
	triedFile    = "tried.json"
	triedVersion = 1 // of what is checked and tried: games that another version has tried are tried again
	mostTried    = 64
)

// tried are the rules under which the game of a file has been tried, as the module gets them. The first ones say that
// the file is valid, too.
type tried struct {
	folder string // "" keeps nothing

	Version int      `json:"version"`
	Rules   []string `json:"rules"`
}

// readTried reads what is kept in a folder, if no other user could have written it.
func readTried(folder string) (t tried) {
	if folder != "" && platform.IsPrivate(folder) {
		text, err := os.ReadFile(filepath.Join(folder, triedFile))
		if err != nil || json.Unmarshal(text, &t) != nil || t.Version != triedVersion {
			t = tried{}
		}
	}
	t.folder, t.Version = folder, triedVersion
	return t
}

func (t *tried) valid() bool             { return len(t.Rules) > 0 }
func (t *tried) under(rules string) bool { return slices.Contains(t.Rules, rules) }

// add keeps rules if it can: without, the next process tries the game again.
func (t *tried) add(rules string) {
	if t.folder == "" || len(t.Rules) == mostTried || !platform.IsPrivate(t.folder) {
		return
	}
	t.Rules = append(t.Rules, rules)
	if text, err := json.Marshal(t); err == nil {
		_ = durable.WriteFile(filepath.Join(t.folder, triedFile), text)
	}
}
