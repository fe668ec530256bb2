package actor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"croupier/internal/regular"
	"croupier/internal/sealed"
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

// journalSettles is how long a journal that is being written may take to be whole again.
const journalSettles = 50 * time.Millisecond

// damagedJournals returns the journals of earlier starts that are not as they were written, by their paths in the run
// directory. Their counts are read only for the total that the run has produced.
func damagedJournals(dir string) (damaged []string) {
	journals, err := filepath.Glob(filepath.Join(dir, journalPattern))
	if err != nil {
		return nil // the pattern is right
	}
	for _, path := range journals {
		if !intactJournal(path) {
			time.Sleep(journalSettles)
			if !intactJournal(path) {
				damaged = append(damaged, filepath.ToSlash(filepath.Join(journalFolder, filepath.Base(path))))
			}
		}
	}
	return damaged
}

// intactJournal reports whether a journal is as it was written. That of a worker that has produced nothing is empty.
func intactJournal(path string) bool {
	line, err := regular.Read(path, maxJournal)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrEmpty) {
		return true
	}
	condition, wrong := sealed.OpenLine(line, &Produced{})
	return err == nil && wrong == nil && condition != sealed.Damaged
}
