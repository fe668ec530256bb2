package learner

import (
	"fmt"
	"path/filepath"
	"time"

	"croupier/internal/regular"
	"croupier/internal/sealed"
)

// Totals say what a run has done, over all its starts.
type Totals struct {
	Version uint64 // of the weights
	Updates uint64
	Samples uint64 // decisions trained on
	Games   uint64 // trained on
	Trained time.Duration
}

// ReadTotals returns the totals of the run in a directory as of its newest checkpoint. The error is
// fs.ErrNotExist before the first one.
func ReadTotals(dir string) (Totals, error) {
	_, c, err := newestCheckpoint(dir)
	if err != nil {
		return Totals{}, err
	}
	return Totals{
		Version: c.Version, Updates: c.Updates, Samples: c.Samples, Games: c.Games,
		Trained: time.Duration(c.Seconds * float64(time.Second)),
	}, nil
}

// maxManifest bounds the bytes of a list of checkpoints.
const maxManifest = 1 << 20

// newestCheckpoint returns the folder of a run's checkpoints and what its manifest says of the newest.
func newestCheckpoint(dir string) (folder string, newest manifestEntry, err error) {
	folder = filepath.Join(dir, checkpointFolder)
	path := filepath.Join(folder, manifestName)
	doc, err := regular.Read(path, maxManifest)
	if err != nil {
		return folder, newest, err
	}
	var m manifest
	if _, err := sealed.OpenDocument(doc, &m); err != nil {
		return folder, newest, fmt.Errorf("%s: %w", path, err)
	}
	if len(m.Checkpoints) == 0 {
		return folder, newest, fmt.Errorf("%s: it lists no checkpoint", path)
	}
	return folder, m.Checkpoints[len(m.Checkpoints)-1], nil
}
