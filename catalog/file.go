package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/engine/described"
	"croupier/engine/family"
	"croupier/engine/wasm"
)

func entryOf(f *wasm.File) Game { return Game{Name: f.Name(), New: f.New, File: f} }

// FileOf returns the file of a game, nil if it comes from none.
func FileOf(game engine.Game) *wasm.File {
	switch g := game.(type) {
	case interface{ File() *wasm.File }:
		return g.File()
	case *family.Game:
		return FileOf(g.Default())
	}
	return nil
}

// files are the games from files that somebody has opened for a catalog and those made of it. They are found by the
// file that rules name, and by their names where the catalog has no game of that name.
type files struct {
	mu     sync.Mutex
	opened []*wasm.File // the newest first
}

// Open reads a file whose game the catalog then finds: runs, backups and brokers bring files along. It is not on the
// list of games.
func (c *Catalog) Open(file []byte) (Game, error) {
	f, err := wasm.Open(file)
	if err != nil {
		return Game{}, err
	}
	if c == nil {
		return entryOf(f), nil
	}
	if i := slices.Index(c.names, f.Name()); i >= 0 && c.games[i].File == nil {
		return Game{}, fmt.Errorf("the game %s comes with the program: a game from a file needs a name of its own", f.Name())
	}
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	c.files.opened = slices.DeleteFunc(c.files.opened, func(o *wasm.File) bool { return o == f })
	c.files.opened = slices.Insert(c.files.opened, 0, f)
	return entryOf(f), nil
}

// WithFile returns a catalog with a game from a file at its end, in the place of one of that name from another file.
func (c *Catalog) WithFile(game Game) *Catalog {
	others := slices.DeleteFunc(c.Games(), func(g Game) bool { return g.Name == game.Name && g.File != nil })
	all := New(append(others, game)...)
	all.algorithms, all.files = c.algorithms, c.files
	return all
}

// find returns the newest file that is accepted.
func (s *files) find(accept func(*wasm.File) bool) (*wasm.File, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.opened, accept); i >= 0 {
		return s.opened[i], true
	}
	return nil, false
}

// Has says whether the catalog finds the game of a file by its SHA-256 in hexadecimal digits.
func (c *Catalog) Has(hash string) bool {
	_, found := c.ofFile(hash)
	return found
}

// ofFile returns the game of the file with a hash.
func (c *Catalog) ofFile(hash string) (Game, bool) {
	if c == nil || hash == "" {
		return Game{}, false
	}
	if i := slices.IndexFunc(c.games, func(g Game) bool { return g.File != nil && g.File.Hash() == hash }); i >= 0 {
		return c.games[i], true
	}
	if f, ok := c.files.find(func(f *wasm.File) bool { return f.Hash() == hash }); ok {
		return entryOf(f), true
	}
	return Game{}, false
}

// NamedFile returns the file that a rules document names, "" if it names none.
func NamedFile(rules []byte) string {
	if !bytes.Contains(rules, []byte(described.FileRule)) {
		return ""
	}
	var named struct {
		File string `yaml:"file"`
	}
	if yaml.Unmarshal(rules, &named) != nil {
		return "" // who reads the rules says what is wrong
	}
	return named.File
}
