package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"croupier/catalog"
	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/internal/strict"
	"croupier/nn"
)

// Files of a sweep.
const (
	sweepFile     = rundir.SweepFile // the file as it was given
	resultsFile   = "results.jsonl"  // a line for each run that is over, with a checksum
	winnerFile    = "winner.yaml"    // settings of the winner
	weightsFolder = "weights"        // of the runs of the winner, and of those that may still be the winner's
	runsFolder    = "runs"           // what is being played
	role          = "sweep"          // of the lock
)

// Bounds in bytes: of a result, whose curve is what takes its space, and of all results.
const (
	maxResult  = 64 << 20
	maxResults = 1 << 30
)

// Load reads the sweep in a directory, and counts the results that are damaged. Those are left out.
func Load(games *catalog.Catalog, dir string) (f *File, results Results, damaged int, err error) {
	f, err = Read(games, filepath.Join(dir, sweepFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, 0, fmt.Errorf("directory %s holds no sweep", dir)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	k, err := readResults(dir)
	return f, k.results, k.damaged, err
}

// keptResults are what the file of results holds.
type keptResults struct {
	results  Results // the newest of each job
	damaged  int     // lines that are not intact: their runs are played again
	complete int64   // length of the complete lines
}

func readResults(dir string) (k keptResults, err error) {
	text, err := regular.Read(filepath.Join(dir, resultsFile), maxResults)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, regular.ErrEmpty) {
		return k, fmt.Errorf("results: %w", err)
	}
	k.results = Results{}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(text) {
		var r Result
		if sealed.Open(line, &r) {
			k.results[r.Job] = r
		} else {
			k.damaged++
		}
	}
	k.complete = int64(len(text))
	return k, nil
}

// claim makes the directory of the sweep, or finds it to be of the same file, and reads what is there.
func (s *Sweep) claim() error {
	path := filepath.Join(s.Dir, sweepFile)
	there, err := regular.Read(path, strict.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		entries, err := os.ReadDir(s.Dir)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".lock") }) {
			return fmt.Errorf("directory %s holds something else than a sweep: name another with --out", s.Dir)
		}
		if err := durable.WriteFile(path, s.File.text); err != nil {
			return err
		}
	case err != nil:
		return err
	case !bytes.Equal(there, s.File.text):
		return fmt.Errorf("directory %s holds the sweep of another file, or of this one before it was changed: "+
			"name another with --out", s.Dir)
	}
	for _, folder := range []string{weightsFolder, runsFolder} {
		if err := durable.MkdirAll(filepath.Join(s.Dir, folder), 0o777); err != nil {
			return err
		}
	}
	k, err := readResults(s.Dir)
	if err != nil {
		return err
	}
	s.results, s.damaged = k.results, k.damaged
	for job, r := range s.results {
		if r.Failed != "" { // it is tried again
			delete(s.results, job)
		} else if !s.intact(r) {
			delete(s.results, job)
			s.damaged++
		}
	}
	if s.lines, err = os.OpenFile(filepath.Join(s.Dir, resultsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND,
		0o666); err != nil {
		return err
	}
	return s.lines.Truncate(k.complete)
}

// intact reports whether the weights of a run, if they are kept, are those that its result names.
func (s *Sweep) intact(r Result) bool {
	weights, err := regular.Read(s.weights(r.Job), nn.MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	sum := sha256.Sum256(weights)
	return err == nil && hex.EncodeToString(sum[:]) == r.SHA256
}

// keep writes a result, and takes over the weights of the run before its folder goes.
func (s *Sweep) keep(r Result) error {
	folder := s.folder(r.Job)
	if r.Failed == "" {
		err := os.Rename(filepath.Join(folder, weightsFile), s.weights(r.Job))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was killed just after this
			return err
		}
	}
	line, err := sealed.Line(r)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if _, err := s.lines.Write(line); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := s.lines.Sync(); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	s.results[r.Job] = r
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return s.dropWeights()
}

// folder is that of a run, while it is played.
func (s *Sweep) folder(j Job) string { return filepath.Join(s.Dir, runsFolder, j.Name()) }

func (s *Sweep) weights(j Job) string {
	return filepath.Join(s.Dir, weightsFolder, j.Name()+".safetensors")
}

// finished reads the result that a run has left in its folder, if it has come so far.
func finished(folder string) (r Result, found bool) {
	doc, err := regular.Read(filepath.Join(folder, resultFile), maxResult)
	return r, err == nil && json.Unmarshal(doc, &r) == nil && r.Job.Name() == filepath.Base(folder)
}

// dropWeights removes the weights of runs of candidates that will not win.
func (s *Sweep) dropWeights() error {
	rounds, winner := s.File.Rounds(s.results)
	last := rounds[len(rounds)-1]
	over := last
	over.Candidates = slices.DeleteFunc(slices.Clone(last.Candidates), func(c int) bool {
		return !Round{last.Number, last.Report, last.Budget, []int{c}, last.Seeds}.over(s.results)
	})
	lost := s.File.ranked(over, s.results)
	if winner < 0 && len(lost) > 0 {
		lost = lost[1:] // the best so far
	}
	kept := map[string]bool{}
	for _, j := range last.Jobs() {
		if j.Candidate == winner || winner < 0 && !slices.Contains(lost, j.Candidate) {
			kept[filepath.Base(s.weights(j))] = true
		}
	}
	folder := filepath.Join(s.Dir, weightsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		round, _, _ := strings.Cut(e.Name(), "-")
		if number, err := strconv.Atoi(round); kept[e.Name()] || err == nil && number > last.Number {
			continue // the latter are of results that count, though one before them was lost
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// writeWinner writes the settings of the winner as a file for croupier train --config.
func (s *Sweep) writeWinner(winner int) error {
	doc, err := s.File.candidates[winner].config.Encode()
	if err != nil {
		return err
	}
	head := fmt.Sprintf("# The winner of the sweep %s: %s.\n", filepath.Base(s.Dir), s.File.candidates[winner].Name)
	return durable.WriteFile(filepath.Join(s.Dir, winnerFile), append([]byte(head), doc...))
}

// Winner is the path of the winner's settings.
func (s *Sweep) Winner() string { return filepath.Join(s.Dir, winnerFile) }
