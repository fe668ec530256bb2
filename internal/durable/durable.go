// Package durable writes files so that a crash leaves the old content or the new,
// never a part.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"croupier/internal/platform"
)

// WriteFile replaces the file at path atomically: it writes a temporary file in
// the same folder, syncs it, renames it over path and syncs the folder.
func WriteFile(path string, data []byte) error { return write(path, data, 0o644) }

// WriteSecret is WriteFile for what only the user of this process may read.
func WriteSecret(path string, data []byte) error { return write(path, data, 0o600) }

func write(path string, data []byte, mode os.FileMode) error {
	return create(path, mode, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// Create is WriteFile with what fill writes to the temporary file, which is removed if fill fails. fill may also read
// the file, and leaves it open.
func Create(path string, fill func(*os.File) error) error { return create(path, 0o644, fill) }

func create(path string, mode os.FileMode, fill func(*os.File) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err = fill(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(mode); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return platform.SyncDir(filepath.Dir(path))
}

// MkdirAll makes a directory and the parents that it lacks, as os.MkdirAll does, and syncs the
// parent of each new one: a file that was synced is lost with a directory that was not.
func MkdirAll(path string, mode os.FileMode) error {
	var missing []string // the deepest first
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
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
