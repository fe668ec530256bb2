package learner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/durable"
	"croupier/nn"
)

const (
	checkpointFolder = "checkpoints"
	manifestName     = "manifest.json"
	checkpointFormat = "croupier-checkpoint-1"
	// maxCheckpointBytes bounds what is read of a file that is not what it should be.
	maxCheckpointBytes = 1 << 32
)

var checkpointName = regexp.MustCompile(`^[0-9]{12,20}\.safetensors$`)

// counters are what a run has done, over all its starts.
type counters struct {
	Version uint64  `json:"version"` // of the weights
	Updates uint64  `json:"updates"` // optimiser steps
	Samples uint64  `json:"samples"` // new decisions trained on
	Games   uint64  `json:"games"`   // new games trained on
	Seconds float64 `json:"seconds"` // time of training
}

// snapshot is all that training needs to go on.
type snapshot struct {
	counters
	Weights    []float32 // flat, as are the moments
	Second     []float32 // of weights: see Algorithm.second
	M, V       []float32 // moments of Adam
	Steps      uint64    // of Adam
	RNG        []byte    // state of the shuffling stream
	ConfigHash string    // of the configuration that it was trained with
}

// manifest lists the checkpoints, oldest first.
type manifest struct {
	Checkpoints []manifestEntry `json:"checkpoints"`
}

type manifestEntry struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	counters
}

// checkpoints is the folder with a run's checkpoints. One process writes it.
type checkpoints struct {
	folder string
	game   engine.Game
	layout *nn.Layout
	second string // Algorithm.second
	keep   int
	log    *slog.Logger
	listed manifest
}

// errNoCheckpoint says that there is none to go on from.
var errNoCheckpoint = errors.New("no checkpoint")

// openCheckpoints makes the folder in the run directory, if it is not there.
func openCheckpoints(o Options, a Algorithm) (*checkpoints, error) {
	c := &checkpoints{
		folder: filepath.Join(o.Dir, checkpointFolder),
		game:   o.Game, layout: o.Layout, second: a.second, keep: o.Config.CheckpointsKept, log: o.Log,
	}
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	return c, nil
}

// save writes a checkpoint and lists it. Whenever the process or the machine stops
// the manifest lists whole files only. The oldest beyond the number to keep are deleted.
func (c *checkpoints) save(s *snapshot) error {
	data, err := c.encode(s)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	name := fmt.Sprintf("%012d.safetensors", s.Version)
	if err := durable.WriteFile(filepath.Join(c.folder, name), data); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	sum := sha256.Sum256(data)
	next := slices.DeleteFunc(slices.Clone(c.listed.Checkpoints), func(e manifestEntry) bool { return e.File == name })
	next = append(next, manifestEntry{File: name, SHA256: hex.EncodeToString(sum[:]), counters: s.counters})
	next = next[max(0, len(next)-c.keep):]
	doc, err := json.MarshalIndent(manifest{next}, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint manifest: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(c.folder, manifestName), append(doc, '\n')); err != nil {
		return fmt.Errorf("checkpoint manifest: %w", err)
	}
	c.listed.Checkpoints = next
	return c.prune()
}

// prune deletes the checkpoints that are not listed.
func (c *checkpoints) prune() error {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return fmt.Errorf("old checkpoints: %w", err)
	}
	defer root.Close()
	names, err := checkpointFiles(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(c.listed.Checkpoints, func(e manifestEntry) bool { return e.File == name }) {
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("old checkpoints: %w", err)
			}
		}
	}
	return nil
}

// load returns the newest checkpoint that is whole, and logs those it passes over.
// errNoCheckpoint is for an empty folder; a checkpoint of another game, rules or
// network is an error, and so is a folder whose checkpoints are all broken.
func (c *checkpoints) load() (*snapshot, error) {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	defer root.Close()
	entries, err := c.list(root)
	if err != nil {
		return nil, err
	}
	for i, e := range slices.Backward(entries) {
		data, err := readCheckpoint(root, e)
		var s *snapshot
		if err == nil {
			s, err = c.decode(data)
		}
		var mismatch *mismatchError
		switch {
		case err == nil:
			c.listed.Checkpoints = entries[:i+1]
			return s, nil
		case errors.As(err, &mismatch):
			return nil, fmt.Errorf("checkpoint %s: %w", e.File, err)
		}
		c.log.Warn("broken checkpoint passed over", "file", e.File, "error", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("all %d checkpoints in %s are broken", len(entries), c.folder)
	}
	return nil, fmt.Errorf("%w in %s", errNoCheckpoint, c.folder)
}

// list returns the manifest's entries. If the manifest is lost or broken, it
// returns the files that are there, without the hashes (each file has a checksum
// of its own).
func (c *checkpoints) list(root *os.Root) ([]manifestEntry, error) {
	doc, err := root.ReadFile(manifestName)
	var m manifest
	if err == nil {
		err = json.Unmarshal(doc, &m)
	}
	if err == nil {
		return m.Checkpoints, nil
	}
	names, listErr := checkpointFiles(root)
	if listErr != nil || len(names) == 0 {
		return nil, listErr
	}
	c.log.Warn("manifest of the checkpoints unreadable, taking the files that are there", "error", err)
	for _, name := range names {
		m.Checkpoints = append(m.Checkpoints, manifestEntry{File: name})
	}
	return m.Checkpoints, nil
}

// checkpointFiles returns the names of the checkpoints in the folder, oldest first.
func checkpointFiles(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	var names []string
	for _, e := range entries {
		if checkpointName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// readCheckpoint reads a listed file and compares its hash.
func readCheckpoint(root *os.Root, e manifestEntry) ([]byte, error) {
	if !checkpointName.MatchString(e.File) {
		return nil, fmt.Errorf("%q is no name of a checkpoint", e.File)
	}
	f, err := root.Open(e.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCheckpointBytes))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); e.SHA256 != "" && hex.EncodeToString(sum[:]) != e.SHA256 {
		return nil, errors.New("the SHA-256 is not that of the manifest")
	}
	return data, nil
}
