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
	"croupier/engine/program"
	"croupier/engine/wasm"
)

func entryOf(s Source) Game { return Game{Name: s.Name(), New: s.New, Source: s} }

// SourceOf returns the file or program of a game, nil if it comes from none.
func SourceOf(game engine.Game) Source {
	switch g := game.(type) {
	case interface{ File() *wasm.File }:
		return g.File()
	case interface{ Program() *program.Program }:
		return g.Program()
	case *family.Game:
		return SourceOf(g.Default())
	}
	return nil
}

// FileOf returns the file of a game, nil if it comes from none.
func FileOf(game engine.Game) []byte {
	if s := SourceOf(game); s != nil {
		return s.Bytes()
	}
	return nil
}

// sources are the games from files and programs that somebody has opened for a catalog and those made of it. They are
// found by the hash that rules name, and by their names where the catalog has no game of that name.
type sources struct {
	mu     sync.Mutex
	opened []Source // the newest first
}

// Open reads a file whose game the catalog then finds: runs, backups and brokers bring files along. It is not on the
// list of games.
func (c *Catalog) Open(file []byte) (Game, error) {
	f, err := wasm.Open(file)
	if err != nil {
		return Game{}, err
	}
	return c.opened(f)
}

// Start starts a program whose game the catalog then finds. It runs with the rights of this process: the command must
// come from the one who has started it.
func (c *Catalog) Start(command *program.Command) (Game, error) {
	p, err := program.Open(command)
	if err != nil {
		return Game{}, err
	}
	return c.opened(p)
}

// opened adds a source.
func (c *Catalog) opened(s Source) (Game, error) {
	if c == nil {
		return entryOf(s), nil
	}
	if i := slices.Index(c.names, s.Name()); i >= 0 && c.games[i].Source == nil {
		return Game{}, fmt.Errorf("the game %s comes with the program: a game from a file or program needs a name of its own",
			s.Name())
	}
	c.sources.mu.Lock()
	defer c.sources.mu.Unlock()
	c.sources.opened = slices.DeleteFunc(c.sources.opened, func(o Source) bool { return o == s })
	c.sources.opened = slices.Insert(c.sources.opened, 0, s)
	return entryOf(s), nil
}

// WithSource returns a catalog with a game from a file or program at its end, in the place of one of that name.
func (c *Catalog) WithSource(game Game) *Catalog {
	others := slices.DeleteFunc(c.Games(), func(g Game) bool { return g.Name == game.Name && g.Source != nil })
	all := New(append(others, game)...)
	all.algorithms, all.sources = c.algorithms, c.sources
	return all
}

// find returns the newest source that is accepted.
func (s *sources) find(accept func(Source) bool) (Source, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.opened, accept); i >= 0 {
		return s.opened[i], true
	}
	return nil, false
}

// Has reports whether the catalog finds the game of a file or program by its hash.
func (c *Catalog) Has(hash string) bool {
	_, found := c.of(hash)
	return found
}

// of returns the game of the file or program with a hash.
func (c *Catalog) of(hash string) (Game, bool) {
	if c == nil || hash == "" {
		return Game{}, false
	}
	if i := slices.IndexFunc(c.games, func(g Game) bool { return g.Source != nil && g.Source.Hash() == hash }); i >= 0 {
		return c.games[i], true
	}
	if f, ok := c.sources.find(func(s Source) bool { return s.Hash() == hash }); ok {
		return entryOf(f), true
	}
	return Game{}, false
}

// NamedFile returns the file that a rules document names, "" if it names none.
func NamedFile(rules []byte) string { return named(rules).File }

// NamedSource returns the file or program that a rules document names, "" if it names none.
func NamedSource(rules []byte) string {
	n := named(rules)
	return n.File + n.Program // it names one at most
}

type namedSource struct {
	File    string `yaml:"file"`
	Program string `yaml:"program"`
}

func named(rules []byte) (n namedSource) {
	if !bytes.Contains(rules, []byte(described.FileRule)) && !bytes.Contains(rules, []byte(described.ProgramRule)) {
		return n
	}
	if yaml.Unmarshal(rules, &n) != nil {
		return namedSource{} // who reads the rules says what is wrong
	}
	return n
}
