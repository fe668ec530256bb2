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
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

const (
	checkpointFolder = "checkpoints"
	manifestName     = "manifest.json"
	checkpointFormat = "croupier-checkpoint-1"
	// maxCheckpointBytes bounds how much is read of a file that is not a checkpoint after
	// all.
	maxCheckpointBytes = 1 << 32
)

var checkpointName = regexp.MustCompile(`^[0-9]{12,20}\.safetensors$`)

// counters say what a run has done, over all its starts.
type counters struct {
	Version uint64  `json:"version"` // of the weights
	Updates uint64  `json:"updates"` // optimiser steps
	Samples uint64  `json:"samples"` // new decisions trained on
	Games   uint64  `json:"games"`   // new games trained on
	Seconds float64 `json:"seconds"` // time of training
	// Setbacks is the number of the last setback that was obeyed.
	Setbacks uint64 `json:"setbacks,omitempty"`
	// Resets is the number of the last reset that was obeyed.
	Resets uint64 `json:"resets,omitempty"`
}

// snapshot is everything that training needs to continue.
type snapshot struct {
	counters
	train.State
	Average  []float32 // of the weights over Averaged iterations; nil if none is kept
	Averaged uint64

	ConfigHash string // of the learner's configuration when it was taken
	// Ledgers are those of all workers; nil in checkpoints of programs that knew none.
	Ledgers *messages.Ledgers
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

// checkpoints is the folder with a run's checkpoints. Only one process writes to it.
type checkpoints struct {
	folder string
	game   engine.Game
	layout *nn.Layout
	second string // Algorithm.Second
	keep   int
	run    string // to which all of them belong
	log    *slog.Logger
	listed []manifestEntry // in the manifest, oldest first
	old    []manifestEntry // no longer in the manifest, to be deleted
}

// checkpointsKept is how many checkpoints are kept: the newest, and two to fall back on.
const checkpointsKept = 3

// errNoCheckpoint reports that there is no checkpoint to continue from.
var errNoCheckpoint = errors.New("no checkpoint")

// openCheckpoints makes the folder in the run directory if it does not exist.
func openCheckpoints(o Options, a train.Algorithm) (*checkpoints, error) {
	c := &checkpoints{
		folder: filepath.Join(o.Dir, checkpointFolder),
		game:   o.Game, layout: o.Layout, second: a.Second, keep: checkpointsKept, log: o.Log,
		run: fmt.Sprintf("%s/%d/%s", o.Run, o.RunSeed, o.Agent),
	}
	if err := durable.MkdirAll(c.folder, 0o777); err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	return c, nil
}

// save writes a checkpoint, lists it, and deletes the oldest ones beyond the number to
// keep. Whenever the process or the machine stops, the manifest lists only complete files.
func (c *checkpoints) save(s *snapshot) error {
	data, err := c.encode(s)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	name := fileOf(s.Version)
	if err := durable.WriteFile(filepath.Join(c.folder, name), data); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	sum := sha256.Sum256(data)
	next := slices.DeleteFunc(slices.Clone(c.listed), func(e manifestEntry) bool { return e.File == name })
	next = append(next, manifestEntry{File: name, SHA256: hex.EncodeToString(sum[:]), counters: s.counters})
	old := max(0, len(next)-c.keep)
	doc, err := sealed.Document(manifest{next[old:]})
	if err != nil {
		return fmt.Errorf("checkpoint manifest: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(c.folder, manifestName), doc); err != nil {
		return fmt.Errorf("checkpoint manifest: %w", err)
	}
	_ = os.Remove(filepath.Join(c.folder, unlearntName)) // of an earlier version: it has no effect any more
	c.listed, c.old = next[old:], append(c.old, next[:old]...)
	return c.prune()
}

// prune deletes the checkpoints that have left the manifest, and no other file. It retries
// a failed deletion after the next save.
func (c *checkpoints) prune() error {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return fmt.Errorf("old checkpoints: %w", err)
	}
	defer root.Close()
	for len(c.old) > 0 {
		if err := root.Remove(c.old[0].File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("old checkpoints: %w", err)
		}
		c.old = c.old[1:]
	}
	return nil
}

// load returns the newest intact checkpoint and logs those it skips. It returns
// errNoCheckpoint for an empty folder. A checkpoint of another game, other rules or another
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
			c.adopt(entries[:i+1], data, s)
			return s, c.clear(root, entries)
		case errors.As(err, &mismatch):
			return nil, fmt.Errorf("checkpoint %s: %w", e.File, err)
		}
		c.log.Warn("skipping a broken checkpoint", "file", e.File, "error", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("all %d checkpoints in %s are broken", len(entries), c.folder)
	}
	return nil, fmt.Errorf("%w in %s", errNoCheckpoint, c.folder)
}

// adopt makes the checkpoints up to the loaded one this learner's own. Without a manifest only
// the loaded one is: nothing says whose the others are.
func (c *checkpoints) adopt(entries []manifestEntry, data []byte, s *snapshot) {
	c.listed = entries
	if newest := entries[len(entries)-1]; newest.SHA256 == "" {
		sum := sha256.Sum256(data)
		c.listed = []manifestEntry{{File: newest.File, SHA256: hex.EncodeToString(sum[:]), counters: s.counters}}
	}
}

// list returns the checkpoints to choose from: those of the manifest. If the manifest is
// missing or damaged beyond parsing, they are the files in the folder, without hashes (each
// file has a checksum of its own). A manifest that parses but cannot have been written by
// [checkpoints.save] is an error.
func (c *checkpoints) list(root *os.Root) ([]manifestEntry, error) {
	names, err := checkpointFiles(root)
	if err != nil {
		return nil, err
	}
	doc, err := regular.ReadIn(root, manifestName, maxManifest)
	var m manifest
	if err == nil {
		_, err = sealed.OpenDocument(doc, &m)
	}
	switch {
	case err == nil:
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w; delete it to continue from the files next to it",
				filepath.Join(c.folder, manifestName), err)
		}
		return m.Checkpoints, nil
	case len(names) == 0 && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%s: %w, and there is no checkpoint next to it", filepath.Join(c.folder, manifestName), err)
	}
	c.log.Warn("checkpoint manifest unreadable, using the files in the folder", "error", err)
	for _, name := range names {
		m.Checkpoints = append(m.Checkpoints, manifestEntry{File: name})
	}
	return m.Checkpoints, nil
}

// check reports what is missing in a manifest.
func (m *manifest) check() error {
	if len(m.Checkpoints) == 0 {
		return errors.New("it lists no checkpoint")
	}
	for i, e := range m.Checkpoints {
		if !checkpointName.MatchString(e.File) {
			return fmt.Errorf("entry %d: file: %q is not the name of a checkpoint", i+1, e.File)
		}
		if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != sha256.Size {
			return fmt.Errorf("entry %d, %s: sha256: %q is not a SHA-256", i+1, e.File, e.SHA256)
		}
	}
	return nil
}

// clear removes the checkpoints of this run that the manifest does not list: a learner that was killed has left them,
// between the file and the manifest that was to list it, or between a manifest and the files that left it. It leaves
// all others alone, because nothing says whose they are.
func (c *checkpoints) clear(root *os.Root, listed []manifestEntry) error {
	names, err := checkpointFiles(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.ContainsFunc(listed, func(e manifestEntry) bool { return e.File == name }) {
			continue
		}
		if !c.own(root, name) {
			c.log.Warn("leaving alone a checkpoint that the manifest does not list", "file", filepath.Join(c.folder, name))
			continue
		}
		c.log.Info("removing a checkpoint that a killed learner has left", "file", filepath.Join(c.folder, name))
		c.old = append(c.old, manifestEntry{File: name})
	}
	return c.prune()
}

// own reports whether a file is an intact checkpoint of this run, under the name that the run gave it.
func (c *checkpoints) own(root *os.Root, name string) bool {
	data, err := readCheckpoint(root, manifestEntry{File: name})
	if err != nil {
		return false
	}
	metadata, _, err := nn.DecodeTensors(data)
	if err != nil || metadata[runKey] != c.run {
		return false
	}
	var progress counters
	return json.Unmarshal([]byte(metadata[progressKey]), &progress) == nil && fileOf(progress.Version) == name
}

// fileOf is the name of the checkpoint of a version.
func fileOf(version uint64) string { return fmt.Sprintf("%012d.safetensors", version) }

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

// readCheckpoint reads a listed file and verifies its hash, before it takes memory for the file.
func readCheckpoint(root *os.Root, e manifestEntry) ([]byte, error) {
	info, err := root.Lstat(e.File)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := root.Open(e.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxCheckpointBytes)); err != nil {
		return nil, err
	}
	if e.SHA256 != "" && hex.EncodeToString(sum.Sum(nil)) != e.SHA256 {
		return nil, errors.New("the SHA-256 is not that of the manifest")
	}
	return regular.ReadIn(root, e.File, maxCheckpointBytes)
}
