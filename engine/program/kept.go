package program

import (
	"encoding/json"
	"fmt"

	"croupier/engine"
	"croupier/internal/strict"
)

// Kept is a game that is started when it is used.
type Kept struct{ document document }

// document is what is kept of a program.
type document struct {
	Name    string `json:"name"`
	Program string `json:"program"` // the hash
	Command string `json:"command"`
}

// Keep returns a document of the program for ReadKept, in whatever folder.
func (p *Program) Keep() ([]byte, error) {
	command, err := p.command.absolute()
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(document{p.name, p.hash, command}, "", "  ")
}

// ReadKept reads what Keep has written.
func ReadKept(text []byte) (*Kept, error) {
	k := &Kept{}
	if err := strict.JSON(text).DecodeWhole(&k.document); err != nil {
		return nil, err
	}
	return k, nil
}

// Name is the name of the game.
func (k *Kept) Name() string { return k.document.Name }

// Hash is that of the program when it was kept.
func (k *Kept) Hash() string { return k.document.Program }

// Bytes returns nil: a program is in no file that could be given to others.
func (k *Kept) Bytes() []byte { return nil }

// New starts the program, which must be what it was, and returns the game under rules.
func (k *Kept) New(rules []byte) (engine.Game, error) {
	command, err := Named(k.document.Command)
	if err != nil {
		return nil, err
	}
	p, err := Open(command)
	if err != nil {
		return nil, err
	}
	if p.name != k.document.Name || p.hash != k.document.Program {
		return nil, fmt.Errorf("%s: the program or its files have changed since it was added: croupier games add '%s' "+
			"adds it as it is now", command, command)
	}
	return p.New(rules)
}
