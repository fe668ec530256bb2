package solutions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/durable"
)

const (
	// worthKeeping is how long a game takes to solve before its solution is kept.
	worthKeeping = 50 * time.Millisecond
	// mostKept bounds the folder of kept solutions. Those used longest ago make room.
	mostKept = 256 << 20
	// suffix is that of the name of a kept solution.
	suffix = ".solution"
)

// Store keeps solutions in a folder, so that the next process need not solve the same game again. A file is named after
// a hash of the game, its rules, the agent and the program, and begins with a hash of the rest. A file that is damaged,
// of another program or unreadable is as good as none, and a folder that cannot be written keeps nothing.
type Store struct {
	folder  string
	program string
	most    int64         // bytes
	worth   time.Duration // solving takes at least as long
}

// NewStore returns the store in a folder, which the first solution makes.
func NewStore(folder string) *Store {
	return &Store{folder: folder, program: program(), most: mostKept, worth: worthKeeping}
}

// shared is the store of this process; nil keeps nothing.
var shared atomic.Pointer[Store]

// Keep makes this process use a store for all solutions; nil ends that.
func Keep(s *Store) { shared.Store(s) }

// program identifies the executable: its build, and its size and time, which differ where two builds of modified
// sources say the same.
func program() string {
	id := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		id = info.String()
	}
	path, err := os.Executable()
	if err != nil {
		return id
	}
	if info, err := os.Stat(path); err == nil {
		id += fmt.Sprintf("\n%d bytes of %d", info.Size(), info.ModTime().UnixNano())
	}
	return id
}

// path is the file of a solution.
func (s *Store) path(game engine.Game, agent string) (string, error) {
	key, err := json.Marshal(map[string]any{
		"game": game.Spec().Name, "rules": game.Rules(), "agent": agent, "program": s.program,
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(key)
	return filepath.Join(s.folder, hex.EncodeToString(sum[:])+suffix), nil
}

// errDamaged reports that what is kept is not what was written.
var errDamaged = errors.New("the kept solution is damaged")

// load reads what is kept of a solution into tables. An error says that it is not there or not intact.
func (s *Store) load(path string, tables any) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > s.most {
		return errDamaged
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data) < sha256.Size {
		return errDamaged
	}
	sum, body := [sha256.Size]byte(data), data[sha256.Size:]
	if sum != sha256.Sum256(body) {
		return errDamaged
	}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(tables); err != nil {
		return err
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // used last; a folder that cannot be written does not matter
	return nil
}

// save keeps the tables of a solution, if it can.
func (s *Store) save(path string, tables any) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(tables); err != nil {
		return err
	}
	if int64(body.Len()) > s.most/2 {
		return errors.New("the solution is too large to be kept")
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	if err := durable.WriteFile(path, append(sum[:], body.Bytes()...)); err != nil {
		return err
	}
	return s.trim()
}

// trim removes the solutions used longest ago until the rest fits, and no other files.
func (s *Store) trim() error {
	paths, err := filepath.Glob(filepath.Join(s.folder, "*"+suffix))
	if err != nil {
		return err
	}
	type file struct {
		path string
		size int64
		used time.Time
	}
	var files []file
	total := int64(0)
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, file{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= s.most {
			return nil
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		total -= f.size
	}
	return nil
}

// Solve solves the game, or opens what the store of the process keeps of its solution.
func Solve(ctx context.Context, game engine.Game, solution catalog.Solution) (catalog.Players, error) {
	store, path := shared.Load(), ""
	if store != nil && solution.Open != nil {
		var err error
		if path, err = store.path(game, solution.Agent); err != nil {
			return nil, err
		}
		players, err := solution.Open(game, func(tables any) error { return store.load(path, tables) })
		if err == nil {
			return players, nil
		}
	}
	begun := time.Now()
	players, tables, err := solution.Solve(ctx, game)
	if err != nil {
		return nil, err
	}
	if path != "" && tables != nil && time.Since(begun) >= store.worth {
		_ = store.save(path, tables) // a convenience: what cannot be kept is solved again
	}
	return players, nil
}
