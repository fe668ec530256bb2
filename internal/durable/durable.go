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
func WriteFile(path string, data []byte) (err error) {
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
	if err = tmp.Chmod(0o644); err != nil {
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
