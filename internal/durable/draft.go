package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Draft notes the directories and files that a call makes, so that one that fails leaves nothing behind. The zero value
// has made none.
type Draft struct{ made []string }

// MkdirAll makes a directory as [MkdirAll] does.
func (d *Draft) MkdirAll(path string, mode os.FileMode) error {
	missing := missing(path)
	for i := range missing {
		d.made = append(d.made, missing[len(missing)-1-i])
	}
	return MkdirAll(path, mode)
}

// WriteFile writes a file as [WriteFile] does.
func (d *Draft) WriteFile(path string, data []byte) error {
	d.Note(path)
	return WriteFile(path, data)
}

// Note notes that a file is about to be made, unless there is one.
func (d *Draft) Note(path string) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		d.made = append(d.made, path)
	}
}

// Undo removes the files, and the directories as far as nothing else was put into them.
func (d *Draft) Undo() {
	for i := range d.made {
		_ = os.Remove(d.made[len(d.made)-1-i]) // what is not there, or not empty, stays as it is
	}
	d.made = nil
}

// missing returns a directory and its parents as far as they are not there, the deepest first.
func missing(path string) (list []string) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return list
		}
		list = append(list, at)
	}
}
