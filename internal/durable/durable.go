// Package durable writes files so that a crash leaves the old content or the new,
// never a part. It follows symbolic links, and replaces regular files only.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"croupier/internal/platform"
)

const (
	// secretMode is for what only the user of this process may read.
	secretMode = 0o600
	// newMode is the mode of other new files, less the umask.
	newMode = 0o666
)

// WriteFile replaces the file at path atomically: it writes a temporary file in the same folder, syncs it, renames it
// over path and syncs the folder. Where path is a symbolic link, the file it leads to is replaced, and the link stays.
// A file that is replaced keeps its mode, and its owner and group where this process may set them; a new one has the
// mode that the umask leaves. Anything but a regular file is refused.
func WriteFile(path string, data []byte) error { return Create(path, filled(data)) }

// WriteSecret is WriteFile for what only the user of this process may read.
func WriteSecret(path string, data []byte) error {
	return create(path, filled(data), func(*Target) (mode os.FileMode, keep fs.FileInfo) { return secretMode, nil })
}

func filled(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
}

// Create is WriteFile with what fill writes to the temporary file, which is removed if fill fails. fill may also read
// the file, and leaves it open.
func Create(path string, fill func(*os.File) error) error {
	return create(path, fill, func(t *Target) (mode os.FileMode, keep fs.FileInfo) {
		if t.Info == nil {
			return newMode, nil
		}
		return secretMode, t.Info // until it is complete
	})
}

// create replaces the file at path. permissions returns the mode with which the temporary file is made, and the file
// whose mode and owner it gets at the end, if any.
func create(path string, fill func(*os.File) error, permissions func(*Target) (os.FileMode, fs.FileInfo)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	target, err := Find(path)
	if err != nil {
		return err
	}
	if err := target.Replaceable(); err != nil {
		return err
	}
	mode, keep := permissions(target)
	tmp, err := temporaryFile(target.Path, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if err = complete(tmp, fill, keep); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), target.Path); err != nil {
		return err
	}
	return platform.SyncDir(filepath.Dir(target.Path))
}

// complete fills the temporary file, gives it the mode and owner of the file that it replaces, syncs it and closes it.
func complete(tmp *os.File, fill func(*os.File) error, keep fs.FileInfo) error {
	if err := fill(tmp); err != nil {
		return err
	}
	if keep != nil {
		platform.KeepOwner(tmp, keep)
		if err := tmp.Chmod(keep.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	return tmp.Close()
}

// temporaryFile makes a file next to path whose name [Sweep] knows. [os.CreateTemp] would not heed the umask.
func temporaryFile(path string, mode os.FileMode) (f *os.File, err error) {
	for range 1000 {
		name := fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), rand.Uint32())
		f, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// MkdirAll makes a directory and the parents that it lacks, as os.MkdirAll does, and syncs the
// parent of each new one: a file that was synced is lost with a directory that was not.
func MkdirAll(path string, mode os.FileMode) error {
	missing := missing(path)
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	for _, made := range slices.Backward(missing) {
		if err := platform.SyncDir(filepath.Dir(made)); err != nil {
			return fmt.Errorf("make %s: %w", made, err)
		}
	}
	return nil
}

var temporary = regexp.MustCompile(`^\.(.+)\.[0-9]+\.tmp$`)

// Sweep removes the temporary files that writers of a killed process have left in a folder: those of
// files whose names match one of the patterns ([filepath.Match]), and no other file. The caller is the
// only one who writes these files. A folder that does not exist is swept.
func Sweep(folder string, patterns ...string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("temporary files: %w", err)
	}
	for _, e := range entries {
		parts := temporary.FindStringSubmatch(e.Name())
		if parts == nil || !e.Type().IsRegular() {
			continue
		}
		ours := slices.ContainsFunc(patterns, func(pattern string) bool {
			match, err := filepath.Match(pattern, parts[1])
			return err == nil && match
		})
		if !ours {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("temporary files: %w", err)
		}
	}
	return nil
}
