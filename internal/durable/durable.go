// Package durable writes files so that a crash leaves the old content or the new,
// never a part.
package durable

import (
	"fmt"
	"os"
	"path/filepath"

	"croupier/internal/platform"
)

// WriteFile replaces the file at path atomically: it writes a temporary file in
// the same folder, syncs it, renames it over path and syncs the folder.
func WriteFile(path string, data []byte) error { return write(path, data, 0o644) }

// WriteSecret is WriteFile for what only the user of this process may read.
func WriteSecret(path string, data []byte) error { return write(path, data, 0o600) }

func write(path string, data []byte, mode os.FileMode) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
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
	if _, err = tmp.Write(data); err != nil {
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
