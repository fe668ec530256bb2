package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
)

// State reports how a run is doing.
type State string

// The states of a run.
const (
	Running     State = "running"
	Ended       State = "ended"       // in order: at its limit, or told to stop
	Interrupted State = "interrupted" // its process was killed, or failed
)

// Session is the newest stretch of training of a run.
type Session struct {
	Schema int       `json:"schema"`
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended,omitzero"` // zero while it trains, and for ever if it was interrupted
	// Until are the goals that were to end it, as they were given, and Reached says which did, and by what.
	Until   []string `json:"until,omitempty"`
	Reached string   `json:"reached,omitempty"`
	// Sizes are the bytes that files have at least, since they were there at the end: of those that are only appended
	// to the bytes they had, of others none.
	Sizes map[string]int64 `json:"sizes,omitempty"`
}

const (
	SessionFile   = "session.json" // when the run last began and ended
	sessionSchema = 1
)

// lasting are files that stay as long as the run, once they are there, though what they hold is replaced.
var lasting = []string{
	infoFile, ConfigFile, ConfigCopy, LabelFile, "ladder.json", "league.json", "league-copy.json", "promotions.jsonl",
	"results.log",
}

// Begin writes that training begins, with the goals that are to end it, and End that it has ended in order,
// and the goal that was reached, if one was. End also writes which files there are that do not go away, and the sizes
// of those that match the patterns, which are only appended to. Only who has the lock of the learner may call them.
func Begin(path string, until ...string) error {
	return writeSession(path, Session{Began: time.Now().UTC(), Until: until})
}

// End is described at [Begin].
func End(path, reached string, grows ...string) error {
	s, err := ReadSession(path)
	if err != nil {
		return err
	}
	s.Ended, s.Reached = time.Now().UTC(), reached
	if s.Sizes, err = sizes(path, grows); err != nil {
		return err
	}
	for _, name := range lasting {
		if info, err := os.Lstat(filepath.Join(path, name)); err == nil && info.Mode().IsRegular() {
			s.Sizes[name] = max(s.Sizes[name], 0)
		}
	}
	return writeSession(path, s)
}

// sizes returns the bytes of the files that match patterns.
func sizes(path string, patterns []string) (map[string]int64, error) {
	known := map[string]int64{}
	for _, pattern := range patterns {
		files, err := fs.Glob(os.DirFS(path), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if info, err := os.Lstat(filepath.Join(path, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
				known[name] = info.Size()
			}
		}
	}
	return known, nil
}

func writeSession(path string, s Session) error {
	s.Schema = sessionSchema
	line, err := sealed.Line(s)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(path, SessionFile), line)
}

// ReadSession reads the newest session. It is zero for a run of a version of the program that wrote none.
func ReadSession(path string) (s Session, err error) {
	file := filepath.Join(path, SessionFile)
	doc, err := regular.Read(file, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, isFile(path, err)
	}
	_, err = sealed.OpenLine(doc, &s)
	if err == nil && s.Schema > sessionSchema {
		err = fmt.Errorf("schema %d is of a newer version of this program", s.Schema)
	}
	if err != nil {
		return Session{}, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// StateOf tells how the run in the directory is doing. What files say counts only while no process has
// the learner's lock, because a killed process leaves them as they were.
func StateOf(path string, s Session, learner string) State {
	switch {
	case Held(path, learner):
		return Running
	case s.Began.IsZero() || !s.Ended.IsZero():
		return Ended
	}
	return Interrupted
}

// Held reports whether a process has the role's lock on the directory.
func Held(path, role string) bool {
	// Without a lock file, none is made, and a reader shares the lock with other readers.
	lock := flock.New(filepath.Join(path, role+".lock"), flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK))
	free, err := lock.TryRLock()
	if err == nil {
		lock.Close()
	}
	return err == nil && !free
}

// Trains reports whether the run in the directory is being trained: not one whose process only shows its page any more.
func Trains(path, learner string) bool {
	s, err := ReadSession(path)
	return Held(path, learner) && (err != nil || s.Ended.IsZero())
}

// Reach reports how a process on this machine reaches the broker of a run. It may hold a password, so
// that its file is for the run's owner alone.
type Reach struct {
	URL         string `json:"url"`
	Credentials string `json:"credentials,omitempty"` // files, as absolute paths
	CA          string `json:"ca,omitempty"`
	Cert        string `json:"cert,omitempty"`
	Key         string `json:"key,omitempty"`
}

const reachFile = "broker.json"

// WriteReach puts into the directory how to reach the run's broker. remove takes it away again.
func WriteReach(path string, r Reach) (remove func(), err error) {
	file := filepath.Join(path, reachFile)
	line, err := sealed.Line(r)
	if err == nil {
		err = durable.WriteSecret(file, line)
	}
	return func() { os.Remove(file) }, err
}

// ReadReach reads how to reach the broker of a run that is running.
func ReadReach(path string) (r Reach, err error) {
	file := filepath.Join(path, reachFile)
	doc, err := regular.Read(file, maxDocument)
	if err != nil {
		return r, err
	}
	if _, err := sealed.OpenLine(doc, &r); err != nil {
		return Reach{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}
