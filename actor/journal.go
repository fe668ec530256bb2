package actor

import (
	"fmt"
	"os"
	"path/filepath"

	"croupier/internal/durable"
	"croupier/internal/sealed"
)

const (
	journalFolder = "actors" // of a run directory
	// journalBytes is the length of a journal: more than the longest name and the greatest numbers take.
	journalBytes = 224
)

// journal is a small file in which a worker keeps count of what it produced, so
// that the count outlives a killed process. It is written before the batch is
// handed to the bus: nothing can arrive that the journal does not know. While it
// cannot be written, the worker publishes nothing and begins no training games.
type journal struct {
	file *os.File
	last Produced
	err  error // why the file does not say what last does; nil: it does
}

// Produced is what a worker has handed to the bus or given up.
type Produced struct {
	Actor    string `json:"actor"`
	Episodes uint64 `json:"episodes"`
	Batches  uint64 `json:"batches"`
	// Closed: the worker ended in good order and has sent its closing batch.
	Closed bool `json:"closed"`
}

// openJournal creates DIR/actors/ACTOR.json; without a directory the journal only counts.
func openJournal(dir, actor string) (*journal, error) {
	j := &journal{last: Produced{Actor: actor}}
	if dir == "" {
		return j, nil
	}
	folder := filepath.Join(dir, journalFolder)
	if err := durable.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("actor journal: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, actor+".json"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("actor journal: %w", err)
	}
	j.file = file
	return j, nil
}

func (j *journal) write(episodes, batches uint64) error {
	j.last.Episodes, j.last.Batches = episodes, batches
	return j.save()
}

// close notes the end, and whether it was an orderly one.
func (j *journal) close(orderly bool) error {
	j.last.Closed = orderly
	err := j.save()
	if j.file != nil {
		if e := j.file.Close(); err == nil {
			err = e
		}
	}
	return err
}

// save brings the file up to date. While it cannot, on a full disk, it can be called
// again and again.
func (j *journal) save() error {
	j.err = j.overwrite()
	return j.err
}

// overwrite replaces the file's content in one write of constant length.
func (j *journal) overwrite() error {
	if j.file == nil {
		return nil
	}
	line, err := sealed.PaddedLine(j.last, journalBytes)
	if err != nil {
		return fmt.Errorf("actor journal: %w", err)
	}
	if _, err := j.file.WriteAt(line, 0); err != nil {
		return fmt.Errorf("actor journal: %w", err)
	}
	return nil
}
