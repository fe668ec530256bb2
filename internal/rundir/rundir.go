// Package rundir owns the folder of a run: who may use it, and what identifies it.
//
// A run directory holds
//
//	run.json          what the run is: ID, game, seed, the version that made it
//	config.yaml       the effective configuration, which people may edit
//	config-copy.yaml  the same as the program wrote it last
//	session.json      when it last began and ended
//	label.json        the name and note that people gave it
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
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/internal/seed"
)

// Info identifies a run.
type Info struct {
	ID      string      `json:"id"`
	Game    string      `json:"game"`
	Seed    seed.Number `json:"seed"`
	Created time.Time   `json:"created"` // by the wall clock, which may jump; for people
	// Order grows with each run that is made next to others: one more than the greatest of those that were
	// there. 0: of a version that did not count.
	Order   uint64 `json:"order"`
	Version string `json:"version"` // of the program that made it
	// Kind is "" for training, Tournament for games of agents that do not learn.
	Kind string `json:"kind,omitempty"`
}

// Key names the run among all others, also those whose directories are called the same: its ID and eight hex digits of
// a hash of what it was made with. It never changes. Copies of a run have the same key.
func (i *Info) Key() string {
	made := fmt.Append(nil, i.ID, "\n", i.Game, "\n", uint64(i.Seed), "\n", i.Created.UnixNano(), "\n", i.Order, "\n",
		i.Kind)
	sum := sha256.Sum256(made)
	return fmt.Sprintf("%s-%x", i.ID, sum[:4])
}

// Tournament is the kind of a directory with the games of a tournament.
const Tournament = "tournament"

// What several roles read or write below a run directory.
const (
	ConfigFile    = "config.yaml"                    // the effective configuration
	VersionFolder = "population"                     // frozen versions
	MembersFile   = VersionFolder + "/members.jsonl" // what the frozen versions are, with their SHA-256
	CurvesFile    = "curves.jsonl"
	GameFile      = "game.wasm" // the game, where it comes from a file; its SHA-256 is one of the rules
	KeyFile       = "broker.nk" // the key of the embedded broker's clients
)

// VersionFile is the path of a frozen version below a run directory.
func VersionFile(name string) string { return filepath.Join(VersionFolder, name+".safetensors") }

// MaxGame is how many bytes a game's file may have.
const MaxGame = 4 << 20

// ReadGame reads the file of a run's game, nil if the game comes from none.
func ReadGame(dir string) ([]byte, error) {
	file, err := regular.Read(filepath.Join(dir, GameFile), MaxGame)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// Parent is the directory below which runs are made and looked for where none is named.
const Parent = "runs"

// Fresh names a directory below Parent in which nothing is, by what it is for and the time to the second. A name that
// is taken, since two begin in the same second or the clock was set back, gets -2, -3 … at its end.
func Fresh(what string) string { return FreshIn(Parent, what) }

// FreshIn is [Fresh] below another directory of runs.
func FreshIn(parent, what string) string {
	return fresh(filepath.Join(parent, what+"-"+time.Now().Format("20060102-150405")))
}

func fresh(path string) string {
	name := path
	for i := 2; ; i++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", path, i)
	}
}

// ErrInUse reports that another process has a role in a directory.
var ErrInUse = errors.New("is in use")

// ErrNoRun reports that a directory holds no run.
var ErrNoRun = errors.New("holds no run")

// SweepFile is what a directory with a sweep holds, in the place of a run.
const SweepFile = "sweep.yaml"

// NoRun returns the error of a directory that holds no run, which wraps ErrNoRun and says what it holds if that is
// known; what is how the sentence calls the directory.
func NoRun(what, path string) error {
	if _, err := os.Stat(filepath.Join(path, SweepFile)); err == nil {
		return fmt.Errorf("%s %s %w but a sweep, whose table croupier sweep show prints", what, path, ErrNoRun)
	}
	return fmt.Errorf("%s %s %w", what, path, ErrNoRun)
}

var badID = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// maxID bounds an ID, which is part of the names of streams and keys, in bytes.
const maxID = 64

// ID derives a run's ID from its directory: the last element, with whatever is no ASCII letter, digit, "-" or "_"
// replaced by "-". A name of which nothing remains, or too much, as one in another script, becomes a digest of it.
func ID(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name := filepath.Base(abs)
	if name == filepath.Dir(abs) {
		return "", fmt.Errorf("run directory %s: it has no name", path)
	}
	id := badID.ReplaceAllString(name, "-")
	digest := sha256.Sum256([]byte(name))
	switch {
	case strings.Trim(id, "-") == "":
		return fmt.Sprintf("run-%x", digest[:4]), nil
	case len(id) > maxID:
		return fmt.Sprintf("%s-%x", id[:maxID-9], digest[:4]), nil
	}
	return id, nil
}

// infoFile reports what the run is.
const infoFile = "run.json"

func infoPath(path string) string { return filepath.Join(path, infoFile) }

// CheckFree reports whether a run may be created in the directory.
func CheckFree(path string) error {
	_, err := ReadInfo(path)
	if err == nil {
		return fmt.Errorf("run directory %s already holds a run: add --resume to continue it, or name another", path)
	}
	if errors.Is(err, ErrNoRun) {
		return nil
	}
	return err
}

// maxDocument is how many bytes run.json, session.json and broker.json may have. They hold a few hundred.
const maxDocument = 1 << 20

// ReadInfo reads what a run is without locking it.
func ReadInfo(path string) (Info, error) {
	var info Info
	file := infoPath(path)
	doc, err := regular.Read(file, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return info, NoRun("run directory", path)
	}
	if err != nil {
		return info, fmt.Errorf("run directory: %w", isFile(path, err))
	}
	if _, err := sealed.OpenDocument(doc, &info); err != nil {
		if errors.Is(err, sealed.ErrDamaged) {
			err = fmt.Errorf("%w; if its content is right, delete the member crc32c; otherwise restore the file from a backup", err)
		}
		return Info{}, fmt.Errorf("%s: %w", file, err)
	}
	return info, nil
}

// isFile returns an error that says so where a run directory is named and there is a file, else err.
func isFile(path string, err error) error {
	if stat, wrong := os.Stat(path); wrong == nil && !stat.IsDir() {
		return fmt.Errorf("%s is not a directory", path)
	}
	return err
}

// nextOrder returns the order of the next run below parent.
func nextOrder(parent string) uint64 {
	order := uint64(0)
	entries, _ := os.ReadDir(parent) // a parent that cannot be listed has no newest run either
	for _, e := range entries {
		if info, err := ReadInfo(filepath.Join(parent, e.Name())); err == nil {
			order = max(order, info.Order)
		}
	}
	return order + 1
}

// List returns the runs below parent that pass the filter, by their paths, in the order in which they were
// made. The wall clock decides only between runs without an order. A copy comes just before its original. A
// parent that does not exist has no runs.
func List(parent string, pass func(path string, info Info) bool) ([]string, error) {
	type run struct {
		path string
		info Info
	}
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var runs []run
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if info, err := ReadInfo(path); err == nil && pass(path, info) {
			runs = append(runs, run{path, info})
		}
	}
	original := func(r run) int {
		if id, err := ID(r.path); err == nil && id == r.info.ID {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.info.Order, b.info.Order), a.info.Created.Compare(b.info.Created),
			original(a)-original(b))
	})
	var paths []string
	for _, r := range runs {
		paths = append(paths, r.path)
	}
	return paths, nil
}

// Newest returns the run directory below parent that was made last, for training.
func Newest(parent string) (string, error) {
	runs, err := List(parent, func(_ string, info Info) bool { return info.Kind == "" })
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("there is no run below %s: name one with --run", parent)
	}
	return runs[len(runs)-1], nil
}

// written are the files below a run directory that only the holder of a role's lock replaces ([durable.WriteFile]),
// as patterns by folder.
var written = map[string]map[string][]string{
	"learner": {
		"":            {infoFile, SessionFile, reachFile, ConfigFile, ConfigCopy, CurvesFile, KeyFile},
		"checkpoints": {"*"},
	},
	"league": {
		"":            {"ladder.json", "league*", "promotions.jsonl"},
		VersionFolder: {"*"},
	},
}

// AgentsFolder holds a folder for each learning agent other than the main one, with its checkpoints.
const AgentsFolder = "agents"

// AgentDir is where a learning agent has its checkpoints: in the folder of its name, the main one, "", in the run
// directory itself.
func AgentDir(dir, agent string) string {
	if agent == "" {
		return dir
	}
	return filepath.Join(dir, AgentsFolder, agent)
}

// Sweep removes what the process that last held the role's lock left half written when it was killed. Only
// the holder of the lock may call it.
func Sweep(path, role string) error {
	folders := written[role]
	if agent, isOther := strings.CutPrefix(role, "learner-"); isOther {
		folders = map[string][]string{filepath.Join(AgentDir("", agent), "checkpoints"): {"*"}}
	}
	for folder, patterns := range folders {
		if err := durable.Sweep(filepath.Join(path, folder), patterns...); err != nil {
			return fmt.Errorf("run directory: %w", err)
		}
	}
	return nil
}

// lockPatience is how long a lock is tried to get: a process that asks whether it is held has it for a moment.
const lockPatience = 200 * time.Millisecond

// Lock takes the role's lock on the directory, which is made if it is not there. The
// lock is released when the process ends or the returned lock is closed: two
// learners must not write the same checkpoints. A pipe of that name is not waited for.
func Lock(path, role string) (io.Closer, error) {
	if err := durable.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	return LockThere(path, role)
}

// LockThere takes the role's lock as [Lock] does, on a directory that has to be there: one that was deleted stays so.
func LockThere(path, role string) (io.Closer, error) {
	lock := flock.New(filepath.Join(path, role+".lock"), flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK),
		flock.SetPermissions(0o666))
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
		return nil, fmt.Errorf("directory %s %w: another process is its %s", path, ErrInUse, role)
	}
	return lock, nil
}
