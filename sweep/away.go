package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"croupier/internal/durable"
	"croupier/sweep/crew"
)

// maxAway is how many runs wait for workers, or are played by them, at the same time.
const maxAway = 1024

// away has a run played by a worker, and puts its weights and result into a folder, as a process of this machine does.
func (s *Sweep) away(ctx context.Context, j Job, folder string) (Result, error) {
	doc, err := json.Marshal(j)
	if err != nil {
		return Result{}, err
	}
	name := s.File.candidates[j.Candidate].Name
	var outcome outcome
	files, err := s.desk.Do(ctx, crew.Task{
		Title:      fmt.Sprintf("round %d, seed %d, %s", j.Round+1, j.Seed, name),
		Processors: s.File.Processor,
		Files:      []crew.File{{Name: sweepFile, Data: s.File.text}, {Name: jobFile, Data: doc}},
		Check:      func(files []crew.File) error { _, err := readOutcome(files, j, name); return err },
	})
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err == nil {
		outcome, err = readOutcome(files, j, name)
	}
	if err != nil {
		return s.File.failed(j, err), nil
	}
	if outcome.Failed != "" {
		return outcome.Result, nil
	}
	if err := durable.MkdirAll(folder, 0o777); err != nil {
		return Result{}, err
	}
	if err := durable.WriteFile(filepath.Join(folder, weightsFile), outcome.weights); err != nil {
		return Result{}, err
	}
	return outcome.Result, durable.WriteFile(filepath.Join(folder, resultFile), outcome.doc)
}

// outcome is what a worker sends back of a run.
type outcome struct {
	Result
	doc, weights []byte
}

// files are the outcome's on its way.
func (o *outcome) files() ([]crew.File, error) {
	doc, err := json.Marshal(o.Result)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	files := []crew.File{{Name: resultFile, Data: doc}}
	if o.Failed == "" {
		files = append(files, crew.File{Name: weightsFile, Data: o.weights})
	}
	return files, nil
}

// readOutcome reads an outcome, which must be that of a job of a candidate of this name.
func readOutcome(files []crew.File, j Job, name string) (o outcome, err error) {
	for _, f := range files {
		switch f.Name {
		case resultFile:
			o.doc = f.Data
		case weightsFile:
			o.weights = f.Data
		default:
			return o, fmt.Errorf("a file %.40q that does not belong to a run", f.Name)
		}
	}
	if len(o.doc) > maxResult {
		return o, errors.New("its result is too long")
	}
	if err := json.Unmarshal(o.doc, &o.Result); err != nil {
		return o, fmt.Errorf("result: %w", err)
	}
	sum := sha256.Sum256(o.weights)
	switch {
	case o.Job != j || o.Name != name:
		return o, errors.New("it is of another run")
	case len(o.Curve) > maxPoints || len(o.Opponents) > maxOpponents || len(o.Failed) > 2*maxSaid:
		return o, errors.New("its result is too long")
	case o.Failed == "" && o.SHA256 != hex.EncodeToString(sum[:]):
		return o, errors.New("its weights have another SHA-256 than its result says")
	case o.Processor < 0 || o.Seconds < 0 || slices.ContainsFunc(o.Curve, func(p Point) bool {
		return math.IsNaN(p[0]) || p[0] < 0
	}):
		return o, errors.New("its times are negative")
	}
	return o, nil
}
