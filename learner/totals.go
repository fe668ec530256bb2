package learner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
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
	path := filepath.Join(dir, checkpointFolder, manifestName)
	doc, err := os.ReadFile(path)
	if err != nil {
		return Totals{}, err
	}
	var m manifest
	if err := json.Unmarshal(doc, &m); err != nil {
		return Totals{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(m.Checkpoints) == 0 {
		return Totals{}, fmt.Errorf("%s: it lists no checkpoint", path)
	}
	c := m.Checkpoints[len(m.Checkpoints)-1]
	return Totals{
		Version: c.Version, Updates: c.Updates, Samples: c.Samples, Games: c.Games,
		Trained: time.Duration(c.Seconds * float64(time.Second)),
	}, nil
}
