package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/catalog"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/sweep/crew"
)

// Sweep is a sweep in a directory.
type Sweep struct {
	Dir  string
	File *File
	// Command returns the process that calls [Work] for a folder below Dir.
	Command func(folder string) *exec.Cmd
	// Parallel is how many runs are played at the same time; 0: as many as the file says.
	Parallel int
	// Begin, unless nil, gets how many runs are over already, before the others are played, and how many of those are
	// because their results or weights are damaged.
	Begin func(over, damaged int)
	// Progress, unless nil, gets each run that is over, by one goroutine at a time.
	Progress func(Result)

	results Results
	damaged int // results whose runs are played again
	lines   *os.File
	desk    *crew.Desk // nil: runs are played on this machine
	pace    pace       // of the desk
}

// jobFile has the orders of a process, in the folder of its run.
const jobFile = "job.json"

// Run plays the runs of which there is no result yet, until ctx ends. A run that was cut short begins again;
// one that failed is noted, and tried again by the next call. A full disk is an error.
func (s *Sweep) Run(ctx context.Context) error {
	lock, err := rundir.Lock(s.Dir, role)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := s.claim(); err != nil {
		return err
	}
	defer s.lines.Close()
	if err := s.adopt(ctx); err != nil {
		return err
	}
	if s.Begin != nil {
		s.Begin(len(s.results), s.damaged)
	}
	for {
		rounds, winner := s.File.Rounds(s.results)
		if winner >= 0 {
			return errors.Join(s.dropWeights(), s.writeWinner(winner))
		}
		if err := s.play(ctx, rounds[len(rounds)-1]); err != nil {
			return err
		}
	}
}

// Results are those so far; Run must have returned.
func (s *Sweep) Results() Results { return s.results }

// orphans is how long processes of a killed sweep get to notice it.
const orphans = 30 * time.Second

// adopt takes over the results of runs that were over when the sweep was killed, and removes the others.
func (s *Sweep) adopt(ctx context.Context) error {
	folder := filepath.Join(s.Dir, runsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for began := time.Now(); learning(filepath.Join(folder, e.Name())); {
			if time.Since(began) > orphans {
				return fmt.Errorf("a process of an earlier call still plays in %s: end it", filepath.Join(folder, e.Name()))
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		r, found := finished(filepath.Join(folder, e.Name()))
		if _, known := s.results[r.Job]; found && !known {
			if err := s.keep(r); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// learning reports whether a process still trains in the folder of a run.
func learning(folder string) bool {
	return slices.ContainsFunc([]string{runFolder, exploiterFolder}, func(run string) bool {
		return rundir.Held(filepath.Join(folder, run), messages.LearnerRole)
	})
}

// play plays the runs of a round that have no result.
func (s *Sweep) play(ctx context.Context, round Round) error {
	parallel := s.atOnce()
	group, ctx := errgroup.WithContext(ctx)
	todo, done := make(chan Job), make(chan Result)
	var missing []Job
	for _, j := range round.Jobs() {
		if _, known := s.results[j]; !known {
			missing = append(missing, j)
		}
	}
	group.Go(func() error {
		defer close(todo)
		for _, j := range missing {
			select {
			case todo <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range min(parallel, len(missing)) {
		group.Go(func() error { return s.work(ctx, todo, done) })
	}
	group.Go(func() error { return s.collect(ctx, len(missing), done) })
	return group.Wait()
}

// atOnce is how many runs are under way at the same time.
func (s *Sweep) atOnce() int {
	switch {
	case s.Parallel > 0:
		return s.Parallel
	case s.desk != nil:
		return maxAway
	}
	return s.File.Parallel
}

// one has a run played, here or elsewhere, and its weights and result put into a folder.
func (s *Sweep) one(ctx context.Context, j Job, folder string) (Result, error) {
	if s.desk != nil {
		return s.away(ctx, j, folder)
	}
	r, _, err := station{s.File, s.Command}.play(ctx, j, folder)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; the same call continues the sweep", err)
	}
	return r, err
}

// work plays runs one after another.
func (s *Sweep) work(ctx context.Context, todo <-chan Job, done chan<- Result) error {
	for j := range todo {
		r, err := s.one(ctx, j, s.folder(j))
		if err != nil {
			return err
		}
		select {
		case done <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// collect keeps that many results.
func (s *Sweep) collect(ctx context.Context, n int, done <-chan Result) error {
	for range n {
		select {
		case r := <-done:
			if err := s.keep(r); err != nil {
				return err
			}
			if s.Progress != nil {
				s.Progress(r)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Work plays the run in a folder of a sweep. shared says that the sweep is somebody else's: then agents in files are
// refused.
func Work(ctx context.Context, games *catalog.Catalog, folder string, shared bool) error {
	doc, err := regular.Read(filepath.Join(folder, jobFile), strict.MaxBytes)
	if err != nil {
		return err
	}
	var job Job
	if err := strict.Unmarshal(doc, &job); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(folder, jobFile), err)
	}
	read := Read
	if shared {
		read = ReadShared
	}
	f, err := read(games, filepath.Join(filepath.Dir(filepath.Dir(filepath.Clean(folder))), sweepFile))
	if err != nil {
		return err
	}
	return trainJob(ctx, f, job, folder)
}
