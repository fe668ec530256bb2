// Package wasm makes games from files: WebAssembly modules, which any language with a compiler for it can make. The
// interface is on the page docs/guide/own-games.md, which this package follows.
//
// [Open] reads a file and [File.New] makes the game under rules. States keep their own bytes. A call into the module
// copies them into the memory of an instance of it, makes the step and copies them back, so that an instance serves all
// states of a game, one call at a time, and a copy of a state is a copy of its bytes. There are as many instances as
// there have been calls at the same time.
//
// A module is not trusted. It imports nothing but what shows and changes nothing ([granted]), and has bounded memory.
// Its work is counted ([metered]), so that each call ends. What it returns is checked: the first wrong answer or trap
// is a [described.Fault] of the game, which every later Apply of any of its states returns.
package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"croupier/engine"
	"croupier/engine/described"
)

// maxPages bounds the memory of an instance, in pages of 64 KiB.
const maxPages = 256

// File is a game that has been read from a file. Goroutines may share it.
type File struct {
	bytes       []byte
	hash        string
	runtime     wazero.Runtime
	compiled    wazero.CompiledModule
	description *described.Description // under the game's own rules
	rules       *described.Ruleset

	mu    sync.Mutex
	games map[string]*Game // by their rules for the module
	tried tried
}

var (
	openMu sync.Mutex
	opened = map[[sha256.Size]byte]*File{}
)

// Open reads a file. The same bytes are read once in a process. The error says what is wrong with the file.
func Open(file []byte) (*File, error) {
	sum := sha256.Sum256(file)
	openMu.Lock()
	defer openMu.Unlock()
	if f, ok := opened[sum]; ok {
		return f, nil
	}
	f, err := open(file, hex.EncodeToString(sum[:]))
	if fault := new(described.Fault); errors.As(err, &fault) {
		return nil, fault
	}
	if err != nil {
		return nil, fmt.Errorf("game file %.12s: %w", hex.EncodeToString(sum[:]), err)
	}
	opened[sum] = f
	return f, nil
}

func open(file []byte, hash string) (*File, error) {
	ctx := context.Background()
	if _, err := split(file); err != nil {
		return nil, err
	}
	f := &File{bytes: file, hash: hash, games: map[string]*Game{}, tried: readTried(entryOf(hash))}
	if !f.tried.valid() {
		if err := valid(ctx, file); err != nil {
			return nil, err
		}
	}
	module, err := metered(file)
	if err != nil {
		return nil, err
	}
	if f.runtime, f.compiled, err = compile(ctx, module, f.tried.folder); err != nil {
		return nil, err
	}
	if len(f.compiled.ImportedFunctions()) > 0 {
		err = grant(ctx, f.runtime)
	}
	if err == nil {
		err = f.describe()
	}
	if err != nil {
		f.runtime.Close(ctx)
		return nil, err
	}
	return f, nil
}

// valid checks a module as it is, since what counts its work could make a wrong one right.
func valid(ctx context.Context, module []byte) error {
	r := wazero.NewRuntimeWithConfig(ctx, limits(wazero.NewRuntimeConfigInterpreter()))
	defer r.Close(ctx)
	if _, err := r.CompileModule(ctx, module); err != nil {
		return fmt.Errorf("it is not valid: %w", sentence(err))
	}
	return nil
}

func limits(c wazero.RuntimeConfig) wazero.RuntimeConfig {
	return c.WithMemoryLimitPages(maxPages).WithCoreFeatures(api.CoreFeaturesV2 &^ api.CoreFeatureSIMD)
}

// describe reads the description under the game's own rules, and plays under them.
func (f *File) describe() error {
	in, err := f.instantiate()
	if err != nil {
		return err
	}
	defer in.close()
	if f.description, err = in.describe(); err != nil {
		return err
	}
	f.rules, err = described.NewRuleset(f.description, described.FileRule, "SHA-256 of the game's file", f.hash)
	if err != nil {
		return err
	}
	_, err = f.New(nil)
	return err
}

// Name is the name of the game.
func (f *File) Name() string { return f.description.Name }

// Hash is the SHA-256 of the file in hexadecimal digits. It is a rule of the game, so that it is part of its rules'
// hash.
func (f *File) Hash() string { return f.hash }

// Bytes returns the file. The caller must not change it.
func (f *File) Bytes() []byte { return f.bytes }

// New returns the game under the rules of a document, or under its own for nil. It is the same for the same rules,
// until it has failed.
func (f *File) New(document []byte) (engine.Game, error) {
	rules, err := f.rules.Read(document)
	if err != nil {
		return nil, err
	}
	numbers := f.rules.Numbers(rules)
	key := fmt.Sprint(numbers)
	f.mu.Lock()
	defer f.mu.Unlock()
	if g, ok := f.games[key]; ok && g.Failed() == nil {
		return g.shown(), nil
	}
	g, err := newGame(f, rules, numbers)
	if err != nil {
		return nil, err
	}
	if !f.tried.under(key) {
		if err := g.try(); err != nil {
			return nil, err
		}
		f.tried.add(key)
	}
	f.games[key] = g
	return g.shown(), nil
}
