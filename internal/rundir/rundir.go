// Package rundir owns the folder of a run: who may use it, and what identifies it.
//
// A run directory holds
//
//	run.json          what the run is: ID, game, seed, the version that made it
//	config.yaml       the effective configuration
//	session.json      when it last began and ended
//	broker.json       how to reach its broker, while it runs
//	broker.nk         the key of an embedded broker's clients, while it runs
//	curves.jsonl      learning curves
//	*.lock            held by the process that has the role
//	nats/             the embedded broker's store
//	checkpoints/      the learner's states, with a manifest
//	population/       frozen versions, one safetensors file each
//	actors/           what each worker produced
//	archive/          games that were played
//	ladder.json       the newest ladder
//	promotions.jsonl  who became best, when and why
//
// Everything else about those files belongs to the role that writes them.
package rundir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gofrs/flock"

	"croupier/internal/durable"
)

// Info identifies a run.
type Info struct {
	ID      string    `json:"id"`
	Game    string    `json:"game"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Version string    `json:"version"` // of the program that made it
}

// What several roles read or write below a run directory.
const (
	ConfigFile    = "config.yaml" // the effective configuration
	VersionFolder = "population"  // frozen versions
	CurvesFile    = "curves.jsonl"
	KeyFile       = "broker.nk" // the key of the embedded broker's clients
)

// VersionFile is the path of a frozen version below a run directory.
func VersionFile(name string) string { return filepath.Join(VersionFolder, name+".safetensors") }

// Parent is the directory below which runs are made and looked for where none is named.
const Parent = "runs"

// ErrNoRun says that a directory holds no run.
var ErrNoRun = errors.New("holds no run")

var badID = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// ID derives a run's ID from its directory: the last element, with whatever is
// no letter, digit, "-" or "_" replaced by "-".
func ID(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	id := badID.ReplaceAllString(filepath.Base(abs), "-")
	if len(id) > 64 || id == "-" {
		return "", fmt.Errorf("run directory %s: its name must have 1 to 64 letters, digits, - or _", path)
	}
	return id, nil
}

// Create makes the run directory, where it is not there yet, and writes run.json
// into it. A directory that already holds a run is an error. discard undoes it: the
// directory goes with all that has come into it, unless it was there before.
func Create(path string, info Info) (discard func(), err error) {
	if err := CheckFree(path); err != nil {
		return nil, err
	}
	file := filepath.Join(path, "run.json")
	discard = func() { os.Remove(file) }
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		discard = func() { os.RemoveAll(path) }
	}
	doc, err := json.MarshalIndent(info, "", "  ")
	if err == nil {
		err = os.MkdirAll(path, 0o755)
	}
	if err == nil {
		err = durable.WriteFile(file, append(doc, '\n'))
	}
	if err != nil {
		discard()
		return nil, fmt.Errorf("run directory: %w", err)
	}
	return discard, nil
}

// CheckFree says whether a run may be created in the directory.
func CheckFree(path string) error {
	_, err := ReadInfo(path)
	if err == nil {
		return fmt.Errorf("run directory %s already holds a run: add --resume to go on with it, or name another", path)
	}
	if errors.Is(err, ErrNoRun) {
		return nil
	}
	return err
}

// ReadInfo reads what a run is without locking it.
func ReadInfo(path string) (Info, error) {
	var info Info
	file := filepath.Join(path, "run.json")
	doc, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return info, fmt.Errorf("run directory %s %w", path, ErrNoRun)
	}
	if err != nil {
		return info, fmt.Errorf("run directory: %w", err)
	}
	if err := json.Unmarshal(doc, &info); err != nil {
		return info, fmt.Errorf("%s: %w", file, err)
	}
	return info, nil
}

// Newest returns the run directory below parent that was made last.
func Newest(parent string) (string, error) {
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if info, err := ReadInfo(path); err == nil && info.Created.After(at) {
			newest, at = path, info.Created
		}
	}
	if newest == "" {
		return "", fmt.Errorf("there is no run below %s: name one with --run", parent)
	}
	return newest, nil
}

// lockPatience is how long a lock is tried to get: who asks whether it is held has it for a moment.
const lockPatience = 200 * time.Millisecond

// Lock takes the role's lock on the directory, which is made if it is not there. The
// lock is released when the process ends or the returned lock is closed: two
// learners must not write the same checkpoints.
func Lock(path, role string) (io.Closer, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	lock := flock.New(filepath.Join(path, role+".lock"), flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	free, err := lock.TryLockContext(ctx, lockPatience/10)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("run directory: lock %s: %w", lock.Path(), err)
	case !free:
		return nil, fmt.Errorf("directory %s is in use: another process is its %s", path, role)
	}
	return lock, nil
}
