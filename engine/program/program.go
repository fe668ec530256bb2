// Package program makes games from programs in any language, which answer lines of JSON with lines of JSON. The
// protocol is on the page docs/guide/game-programs.md, which this package follows.
//
// [Open] starts a program and [Program.New] makes the game under rules. The program keeps nothing: a state is a JSON
// value that it has made, and with each line it gets the states that the line is about. So any process answers for any
// state, and a copy of a state is a copy of its value. The steps of many states travel in one line ([engine.Deferred]).
//
// A program is trusted as much as the one who starts it: it runs with the rights of this process, so that it is never
// taken from a file, a run or a broker, but from a command line. Its answers are checked as those of files are.
package program

import (
	"encoding/json"
	"fmt"
	"sync"

	"croupier/engine"
	"croupier/engine/described"
)

// Program is a game that has been read from a program. Goroutines may share it.
type Program struct {
	command *Command
	hash    string
	name    string
	rules   *described.Ruleset

	mu    sync.Mutex
	first *lane            // of the process that has described the game; nil once a game has it
	games map[string]*Game // by their rules
}

var (
	openMu sync.Mutex
	opened = map[string]*Program{} // by commands
)

// Open starts a program and reads its description. The same command is opened once in a process.
func Open(c *Command) (*Program, error) {
	openMu.Lock()
	defer openMu.Unlock()
	if p, ok := opened[c.name]; ok {
		return p, nil
	}
	p, err := open(c)
	if err != nil {
		return nil, err
	}
	opened[c.name] = p
	return p, nil
}

func open(c *Command) (*Program, error) {
	p := &Program{command: c, first: &lane{command: c}, games: map[string]*Game{}}
	d, _, err := p.first.describe(nil)
	if err == nil {
		p.name = d.Name
		err = p.identify(d)
	}
	if err == nil {
		_, err = p.New(nil)
	}
	if err != nil {
		if p.first != nil {
			p.first.close()
		}
		return nil, err
	}
	return p, nil
}

// identify sets the hash and how rules are read.
func (p *Program) identify(d *described.Description) (err error) {
	text, err := json.Marshal(d)
	if err == nil {
		p.hash, err = p.command.hash(text)
	}
	if err == nil {
		p.rules, err = described.NewRuleset(d, described.ProgramRule,
			"SHA-256 of the program's description and of the files that its command names", p.hash)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.command, err)
	}
	return nil
}

// describe has the process describe the game under rules, its own for nil, and the beginning.
func (l *lane) describe(rules map[string]any) (d *described.Description, beginning *node, err error) {
	a, line, err := l.ask(&request{Type: askGame, Version: version, Rules: rules})
	switch {
	case err != nil:
	case a.Version != version:
		err = fmt.Errorf("it speaks version %d of the protocol, this program %d", a.Version, version)
	case a.Node == nil:
		err = fmt.Errorf("the answer has no node: the beginning of the game")
	default:
		d, err = described.Read(a.Description)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("game from program %q: %s: %w", l.command, line, err)
	}
	return d, a.Node, nil
}

// Name is the name of the game.
func (p *Program) Name() string { return p.name }

// Hash is the SHA-256 of the description and of the files that the command names, in hexadecimal digits. It is a rule
// of the game, so that it is part of its rules' hash.
func (p *Program) Hash() string { return p.hash }

// Bytes returns nil: a program is in no file that could be given to others.
func (p *Program) Bytes() []byte { return nil }

// Command is how the program is started.
func (p *Program) Command() *Command { return p.command }

// New returns the game under the rules of a document, or under its own for nil. It is the same for the same rules,
// until it has failed.
func (p *Program) New(document []byte) (engine.Game, error) {
	rules, err := p.rules.Read(document)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprint(rules)
	p.mu.Lock()
	defer p.mu.Unlock()
	if g, ok := p.games[key]; ok && g.Failed() == nil {
		return g.shown(), nil
	} else if ok {
		g.close()
	}
	g, err := p.newGame(rules)
	if err != nil {
		return nil, err
	}
	p.games[key] = g
	return g.shown(), nil
}
