package actor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// keptJournals is how many journals of earlier starts stay in a run directory.
const keptJournals = 1024

// sweepJournals removes the journals that were written longest ago, beyond those that are kept. A
// worker that plays writes its own several times a second; one that is nevertheless among these
// older ones continues with a file that has no name any more.
func sweepJournals(dir string) error {
	folder := filepath.Join(dir, journalFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) <= keptJournals {
		return nil
	}
	if err != nil {
		return fmt.Errorf("actor journals: %w", err)
	}
	type journalFile struct {
		name    string
		written time.Time
	}
	var files []journalFile
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".json" {
			files = append(files, journalFile{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b journalFile) int { return a.written.Compare(b.written) })
	for _, f := range files[:max(0, len(files)-keptJournals)] {
		if err := os.Remove(filepath.Join(folder, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("actor journals: %w", err)
		}
	}
	return nil
}
