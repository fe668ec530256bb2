// Package checktest has files for tests of checks.
package checktest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
)

// Files are the contents of files by their paths with slashes. One that is nil is on a disk that fails.
type Files map[string][]byte

// Of reads the files below a directory.
func Of(t testing.TB, dir string) Files {
	t.Helper()
	files := Files{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}))
	return files
}

// Found is what a part finds wrong with files.
func Found(t testing.TB, part check.Part, files Files) []check.Fault {
	t.Helper()
	found, err := part.Of(files)
	require.NoError(t, err)
	return found.Faults
}

// With returns the files with another one, or with one replaced.
func (f Files) With(name string, data []byte) Files {
	f = maps.Clone(f)
	f[name] = data
	return f
}

// List returns the names. The error is that of nil files.
func (f Files) List() ([]string, error) {
	if f == nil {
		return nil, errors.New("there is no list")
	}
	return slices.Sorted(maps.Keys(f)), nil
}

// Open opens one of the files.
func (f Files) Open(name string) (check.File, error) {
	data, there := f[name]
	switch {
	case !there:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case data == nil:
		return unreadable{}, nil
	}
	return file{bytes.NewReader(data)}, nil
}

type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

type unreadable struct{}

func (unreadable) ReadAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }
func (unreadable) Close() error                      { return nil }
func (unreadable) Size() int64                       { return 3 }
