package play

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"croupier/internal/durable"
	"croupier/internal/rundir"
)

// store is the folder of the tables of one server: a file for each, which only the server that has the folder's lock
// reads and writes.
type store struct {
	dir   string
	most  time.Duration // files of others that are older are removed
	log   *slog.Logger
	mutex sync.Mutex
	lock  io.Closer // nil: the folder is not this server's yet
	wrong string    // error that was logged last
	shut  bool
}

// asleep is a table that is only in its file.
type asleep struct {
	used  time.Time
	code  string
	over  bool
	wrong error // why it cannot be read
}

// keptFiles are the names of the files; tableSuffix ends them.
var keptFiles = regexp.MustCompile(`^[0-9a-f]{16}\.json$`)

const tableSuffix = ".json"

// tablesRole is whose lock it is.
const tablesRole = "tables"

func (s *store) path(id string) string { return filepath.Join(s.dir, id+tableSuffix) }

// open takes the folder, unless nothing has been kept there yet, and returns the tables in it.
func (s *store) open() map[string]asleep {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return map[string]asleep{}
	}
	err := s.take()
	tables := map[string]asleep{}
	if err == nil {
		tables, err = s.list()
	}
	s.report(err)
	return tables
}

// take takes the lock of the folder, which is made if it is not there, and removes what is left of others.
func (s *store) take() error {
	if s.lock != nil {
		return nil
	}
	if err := durable.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	lock, err := rundir.Lock(s.dir, tablesRole)
	if errors.Is(err, rundir.ErrInUse) {
		return errors.New("another server keeps its tables in " + s.dir)
	}
	if err != nil {
		return err
	}
	s.lock = lock
	s.tidy()
	return durable.Sweep(s.dir, "*"+tableSuffix)
}

// tidy removes what servers at other addresses, which may never come back, have left for too long.
func (s *store) tidy() {
	folders, _ := os.ReadDir(filepath.Dir(s.dir))
	for _, folder := range folders {
		dir := filepath.Join(filepath.Dir(s.dir), folder.Name())
		if dir == s.dir || !folder.IsDir() {
			continue
		}
		if lock, err := rundir.LockThere(dir, tablesRole); err == nil {
			removeOld(dir, s.most)
			lock.Close()
		}
	}
}

// removeOld removes tables that nobody has used for that long, and the folder, if none is left.
func removeOld(dir string, most time.Duration) {
	files, _ := os.ReadDir(dir)
	left := 0
	for _, file := range files {
		info, err := file.Info()
		switch {
		case !keptFiles.MatchString(file.Name()):
		case err == nil && time.Since(info.ModTime()) >= most && os.Remove(filepath.Join(dir, file.Name())) == nil:
		default:
			left++
		}
	}
	if left == 0 {
		os.Remove(filepath.Join(dir, tablesRole+".lock"))
		os.Remove(dir)
	}
}

// list reads all files.
func (s *store) list() (map[string]asleep, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	tables := map[string]asleep{}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !keptFiles.MatchString(file.Name()) {
			continue
		}
		id := strings.TrimSuffix(file.Name(), tableSuffix)
		k, err := s.read(id)
		if err != nil {
			s.log.Error("A table cannot be continued", "file", s.path(id), "error", err)
			tables[id] = asleep{used: info.ModTime(), wrong: err}
			continue
		}
		tables[id] = asleep{used: info.ModTime(), code: k.Code, over: k.Over}
	}
	return tables, nil
}

// read reads the file of a table.
func (s *store) read(id string) (*kept, error) {
	document, err := os.ReadFile(s.path(id))
	if err != nil {
		return nil, err
	}
	return readKept(document)
}

// write writes the file of a table, and reports whether it is there.
func (s *store) write(id string, document []byte) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.shut {
		return false
	}
	err := s.take()
	if err == nil {
		err = durable.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = durable.WriteSecret(s.path(id), document)
	}
	s.report(err)
	return err == nil
}

// report logs an error once, until it is another one or over.
func (s *store) report(err error) {
	text := ""
	if err != nil {
		text = cmp.Or(err.Error(), "unknown error")
	}
	if text != "" && text != s.wrong {
		s.log.Warn("Tables are not kept for the next start of the server", "error", err)
	}
	s.wrong = text
}

// remove removes the file of a table.
func (s *store) remove(id string) {
	if s == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lock == nil {
		return
	}
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.report(err)
	}
}

// close gives the folder back, and removes an empty one.
func (s *store) close() {
	if s == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.shut = true
	if s.lock == nil {
		return
	}
	removeOld(s.dir, s.most)
	s.lock.Close()
	s.lock = nil
}
