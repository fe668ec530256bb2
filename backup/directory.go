package backup

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"croupier/internal/check"
	"croupier/internal/regular"
	"croupier/internal/rundir"
)

// directory is a run directory. Symbolic links in it are followed.
type directory string

// deepest is how many folders one inside the other are looked into, more than a run has: links may lead in a circle.
const deepest = 8

func (d directory) List() (names []string, err error) {
	err = d.list("", deepest, &names)
	slices.Sort(names)
	return names, err
}

func (d directory) list(folder string, levels int, names *[]string) error {
	entries, err := os.ReadDir(d.path(folder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		info, err := os.Stat(d.path(name))
		switch {
		case err != nil: // it is gone, or a link to nothing
			if e.Type()&fs.ModeSymlink != 0 {
				*names = append(*names, name)
			}
		case !info.IsDir():
			*names = append(*names, name)
		case levels > 1:
			if err := d.list(name, levels-1, names); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	return nil
}

func (d directory) path(name string) string {
	return filepath.Join(string(d), filepath.FromSlash(name))
}

func (d directory) Open(name string) (check.File, error) {
	f, err := regular.Open(d.path(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return openFile{f, info}, nil
}

// openFile is a file with the size that it had when it was opened. It may grow.
type openFile struct {
	*os.File
	info fs.FileInfo
}

func (f openFile) Size() int64 { return f.info.Size() }

func (d directory) live() bool {
	entries, err := os.ReadDir(string(d))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		role, isLock := strings.CutSuffix(e.Name(), ".lock")
		return isLock && rundir.Held(string(d), role)
	})
}
