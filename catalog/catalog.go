// Package catalog holds the games that a program knows, and what each of them brings along. A catalog is a value: it is
// made once, where a program begins, and handed down from there. Packages of games use the types of this one, and
// nothing below the command line names a game.
package catalog

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"croupier/docs"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/internal/suggest"
)

// Game is what a game brings along. Everything but Name and New is optional.
type Game struct {
	// Name is that of the game's [engine.Spec]: "tysiac-hand".
	Name string
	// New returns the game under rules, or under its own for nil. Rules are a YAML document, of which JSON is a part,
	// that names what differs from the game's own rules; [engine.ReadRules] reads it.
	New func(rules []byte) (engine.Game, error)
	// Defaults are the settings of trainings of the game, a YAML document, where they differ from the general ones.
	Defaults []byte
	// Board has the module board-NAME.js, which exports the board on which people play the game, and what it loads. A
	// game without one gets the plain board. All files are served in one folder with the parts that boards share
	// (web/boards).
	Board fs.FS
	// Module returns the WebAssembly module that plays the game in a page (package inpage), compressed by gzip. A game
	// without one is not exported as a page, unless it comes from a file.
	Module func(context.Context) ([]byte, error)
	// Network is a trained network for the game's own rules, an exported file, and Family one for other rules: that of
	// a run on a family of tables ([family.Game]).
	Network, Family []byte
	// Comparison is what croupier advise compare wrote of the game's agents, a JSON document ([Comparison]). Tables are
	// comparisons under other rules, a document each, as its --tables writes them.
	Comparison, Tables []byte
	// Manual explains the game to people, a document in Markdown, which croupier help games/NAME prints.
	Manual []byte
	// Steps explain the rules to a beginner, in some eight steps.
	Steps []Step
	// Exact is what is known exactly of the game.
	Exact Exact
	// Pages are shown with runs of the game.
	Pages []Page
	// Source is what the game comes from, nil for one that is part of the program.
	Source Source
}

// Step is a step of the rules: a sentence or two, perhaps with dice or cards to look at.
type Step struct {
	Text  string   `json:"text"`
	Dice  []int    `json:"dice,omitempty"`  // 1 to 6
	Cards []string `json:"cards,omitempty"` // as the game's board names them: "10♥", "Q", "37"; "" for a back
	// Stages are those of the game that the step is about (engine.Staged).
	Stages []string `json:"-"`
}

// Picture writes the dice or cards of the step for a terminal: "[2] [5]", "[K♥] [ ]".
func (s Step) Picture() string {
	var shown []string
	for _, face := range s.Dice {
		shown = append(shown, fmt.Sprintf("[%d]", face))
	}
	for _, card := range s.Cards {
		shown = append(shown, "["+cmp.Or(card, " ")+"]")
	}
	return strings.Join(shown, " ")
}

// Source is a file or a program that is a game. Its hash is the first of the game's rules.
type Source interface {
	// Name is that of the game.
	Name() string
	// Hash is a SHA-256 in hexadecimal digits.
	Hash() string
	// New returns the game under rules, or under its own for nil.
	New(rules []byte) (engine.Game, error)
	// Bytes returns the file, which runs keep and brokers hand out, or nil for a program, with which neither is done.
	Bytes() []byte
}

// With returns the game with exact answers and pages, which lie in packages of their own.
func (g Game) With(exact Exact, pages ...Page) Game {
	g.Exact, g.Pages = exact, pages
	return g
}

// Page is a page about a game, shown with its runs.
type Page struct {
	Name     string // unique among all pages; the module of the page is NAME.js, its style sheet NAME.css
	Path     string // where it is served: "/banluck"
	Title    string // in the navigation
	Topic    string // the document that explains it, by its name: "games/banluck"; "": that about the pages
	Template string // text of a html/template that defines "content"
	Assets   fs.FS  // module and style sheet
	// API returns what answers the page's requests, by patterns of http.ServeMux below /api/. It is nil for rules that
	// the page does not cover; then there is no page.
	API func(engine.Game, *slog.Logger) map[string]http.Handler
}

// Catalog is a list of games. The list does not change, and goroutines may share it. Games from files and programs can
// be opened next to it ([Catalog.Open], [Catalog.Start]).
type Catalog struct {
	games      []Game
	names      []string
	algorithms []Algorithm
	sources    *sources
	families   *families
}

// Algorithm makes the usual settings of a learning algorithm that does not come with the program, a train.Settings of
// package croupier/learner/train. Games need nothing of that package, and this one does not either.
type Algorithm func() any

// New returns the catalog of games, in the order in which they are to be shown. It panics where a game has no name or
// no New, or the name of another one: those are faults of the program.
func New(games ...Game) *Catalog {
	c := &Catalog{games: games, sources: &sources{}, families: &families{}}
	for _, g := range games {
		if g.Name == "" || g.New == nil || slices.Contains(c.names, g.Name) {
			panic(fmt.Sprintf("catalog: game %q lacks a name or New, or appears twice", g.Name))
		}
		c.names = append(c.names, g.Name)
	}
	return c
}

// With returns a catalog with further games at its end.
func (c *Catalog) With(games ...Game) *Catalog {
	all := New(append(slices.Clip(c.games), games...)...)
	all.algorithms, all.sources = c.algorithms, c.sources
	return all
}

// Learning returns a catalog with further learning algorithms at its end.
func (c *Catalog) Learning(algorithms ...Algorithm) *Catalog {
	all := *c
	all.algorithms = append(slices.Clip(c.algorithms), algorithms...)
	return &all
}

// Algorithms returns the learning algorithms besides those that come with the program.
func (c *Catalog) Algorithms() []Algorithm {
	if c == nil {
		return nil
	}
	return slices.Clone(c.algorithms)
}

// Games returns the games in their order.
func (c *Catalog) Games() []Game { return slices.Clone(c.games) }

// Names returns the names of the games in their order.
func (c *Catalog) Names() []string { return slices.Clone(c.names) }

// Find returns the game with the name. The error lists the games.
func (c *Catalog) Find(name string) (Game, error) {
	if c == nil {
		return Game{}, fmt.Errorf("unknown game %q: there are none", name)
	}
	if i := slices.Index(c.names, name); i >= 0 {
		return c.games[i], nil
	}
	if f, ok := c.sources.find(func(f Source) bool { return f.Name() == name }); ok {
		return entryOf(f), nil
	}
	return Game{}, fmt.Errorf("unknown game %q%s; the games are %s",
		name, suggest.Hint(name, c.names), strings.Join(c.names, ", "))
}

// Of returns what the catalog has of a game, by its name. A game that is in no catalog has nothing but itself, or its
// file or program.
func (c *Catalog) Of(game engine.Game) Game {
	name := game.Spec().Name
	if f := SourceOf(game); f != nil {
		return entryOf(f)
	}
	if c != nil {
		if i := slices.Index(c.names, name); i >= 0 {
			return c.games[i]
		}
	}
	return Game{Name: name, New: func([]byte) (engine.Game, error) { return game, nil }}
}

// Manuals returns the documents about games that explain themselves: "games/pig".
func (c *Catalog) Manuals() (all []docs.Page) {
	if c != nil {
		for _, g := range c.games {
			if g.Manual != nil {
				all = append(all, docs.New("games/"+g.Name, string(g.Manual)))
			}
		}
	}
	return all
}

// Formats returns the files of solutions of all games.
func (c *Catalog) Formats() (all []Format) {
	if c != nil {
		for _, g := range c.games {
			all = append(all, g.Exact.Formats...)
		}
	}
	return all
}

// Boards returns the files of the boards of all games.
func (c *Catalog) Boards() (all []fs.FS) {
	if c != nil {
		for _, g := range c.games {
			if g.Board != nil {
				all = append(all, g.Board)
			}
		}
	}
	return all
}

// New returns the named game under rules, or under its own rules for nil. Rules that name a file or
// program are of its game. Rules may describe a family of tables, which is a [*family.Game].
func (c *Catalog) New(name string, rules []byte) (engine.Game, error) {
	found, ok := c.of(NamedSource(rules))
	var err error
	if !ok || found.Name != name {
		if found, err = c.Find(name); err != nil && NamedSource(rules) != "" {
			return nil, fmt.Errorf("%w; this one comes from a file or program: croupier games add makes it known", err)
		} else if err != nil {
			return nil, err
		}
	}
	var game engine.Game
	if family.Is(rules) {
		game, err = c.families.game(found, rules)
	} else {
		game, err = found.New(rules)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return game, nil
}

// Table is New for rules by which people or agents sit at a table, which are those of no family.
func (c *Catalog) Table(name string, rules []byte) (engine.Game, error) {
	if family.Is(rules) {
		return nil, fmt.Errorf("%s: rules: a table has its rules; a family of tables is what agents train on", name)
	}
	return c.New(name, rules)
}

// families keeps those that were made last: each published version of a network names its own.
type families struct {
	mu   sync.Mutex
	made []madeFamily // the newest last
}

type madeFamily struct {
	name, rules string
	game        engine.Game
}

// mostFamilies bounds the families that are kept.
const mostFamilies = 8

func (f *families) game(of Game, rules []byte) (engine.Game, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.made {
		if m.name == of.Name && m.rules == string(rules) {
			return m.game, nil
		}
	}
	game, err := family.New(of.New, rules)
	if err != nil {
		return nil, err
	}
	f.made = append(f.made[max(0, len(f.made)+1-mostFamilies):], madeFamily{of.Name, string(rules), game})
	return game, nil
}

// Info describes a game under its own rules, for lists.
type Info struct {
	Name            string   `json:"name"`
	Seats           int      `json:"seats"`
	Actions         int      `json:"actions"`
	ObservationSize int      `json:"observation_size"`
	Summary         string   `json:"summary"`
	Rules           any      `json:"rules"`
	Bots            []string `json:"bots"` // on every ladder
	AllBots         []Bot    `json:"all_bots"`
	// Book explains the rules; nil where none can be changed.
	Book *engine.RuleBook `json:"-"`
}

// Bot is one row of a game's table of bots.
type Bot struct {
	Name string `json:"name"` // with the names of its numbers in brackets
	Help string `json:"help"`
}

// Describe returns the description of the named game.
func (c *Catalog) Describe(name string) (*Info, error) {
	g, err := c.New(name, nil)
	if err != nil {
		return nil, err
	}
	s, bots := g.Spec(), g.Bots()
	info := &Info{s.Name, s.Seats, s.Actions, s.ObservationSize, s.Summary, g.Rules(), bots.References, nil, s.Rules}
	for _, bot := range bots.Table {
		info.AllBots = append(info.AllBots, Bot{bot.Call, bot.Help})
	}
	return info, nil
}

// Folder returns a folder of files that are part of the program, for a board. It panics where there is none.
func Folder(files fs.FS, name string) fs.FS {
	folder, err := fs.Sub(files, name)
	if err == nil {
		_, err = fs.Stat(folder, ".")
	}
	if err != nil {
		panic(fmt.Sprintf("catalog: folder %s: %v", name, err))
	}
	return folder
}
