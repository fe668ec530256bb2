package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"croupier/catalog"
	"croupier/cluster"
	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
	"croupier/sweep/crew"
)

const (
	workerRole = "sweep-worker" // of the lock of a worker's directory
	jobsFolder = "sweep-jobs"   // in it: a folder for each run that is being played
)

// Worker plays runs of other machines' sweeps. Each has a folder below Dir while it is played, of which nothing is
// left.
type Worker struct {
	Catalog *catalog.Catalog
	Dir     string
	// Command returns the process that calls [Work] for a folder below Dir, as of a shared sweep.
	Command func(folder string) *exec.Cmd
	Broker  Broker
	// Name is that of the worker; "": that of its key, or else of its machine. A key allows no other name than its own.
	Name       string
	Processors int               // that all runs together use at most
	Begin      func(name string) // unless nil, is called once the broker is reached
	Note       func(string)      // is called with each sentence about the work

	pace pace
}

// Run plays runs until ctx ends.
func (w *Worker) Run(ctx context.Context) error {
	lock, err := rundir.Lock(w.Dir, workerRole)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := w.clear(ctx); err != nil {
		return err
	}
	defer os.Remove(filepath.Join(w.Dir, jobsFolder)) // it is empty, unless it could not be cleared
	err = w.Broker.meet(ctx, messages.SweeperRole, func(ctx context.Context, m bus.Messenger, key string) error {
		if w.Name != "" && key != "" && w.Name != key {
			return fmt.Errorf("the key in %s is that of %s, which can have no other name", w.Broker.Credentials, key)
		}
		name := cmp.Or(w.Name, key, hostName())
		if w.Begin != nil {
			w.Begin(name)
		}
		return crew.Work(ctx, crew.WorkerOptions{
			Bus: m, Name: name, Version: cluster.Version(), Processors: w.Processors, Play: w.play, Note: w.Note,
			Period: w.pace.period, Silence: w.pace.silence,
		})
	})
	if ctx.Err() != nil {
		return nil // also while it was still waiting for the broker
	}
	return err
}

// clear removes what an earlier start has left that was killed. Its processes may need a moment to notice that.
func (w *Worker) clear(ctx context.Context) error {
	for began := time.Now(); ; {
		err := os.RemoveAll(filepath.Join(w.Dir, jobsFolder))
		if err == nil || time.Since(began) > orphans {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// play plays a run that a sweep asks for. All that comes from elsewhere is checked before it is used: no name of a file
// or a program is taken from it.
func (w *Worker) play(ctx context.Context, task crew.Job) crew.Outcome {
	f, j, err := w.read(task)
	if err != nil {
		return crew.Outcome{Refused: err.Error()}
	}
	outcome, err := w.outcome(ctx, f, j)
	var files []crew.File
	if err == nil {
		files, err = outcome.files()
	}
	if err != nil {
		return crew.Outcome{Broken: err.Error()}
	}
	return crew.Outcome{Files: files}
}

// read reads sweep and job of a task.
func (w *Worker) read(task crew.Job) (f *File, j Job, err error) {
	for _, file := range task.Files {
		switch file.Name {
		case sweepFile:
			f, err = ParseShared(w.Catalog, file.Data)
		case jobFile:
			err = json.Unmarshal(file.Data, &j)
		default:
			err = fmt.Errorf("a file %.40q that does not belong to a job", file.Name)
		}
		if err != nil {
			return nil, j, err
		}
	}
	if f == nil {
		return nil, j, errors.New("a job without a sweep")
	}
	if !f.has(j) || f.Processor != task.Processors {
		return nil, j, errors.New("a job that does not belong to its sweep")
	}
	return f, j, nil
}

// has reports whether a sweep can come to a job.
func (f *File) has(j Job) bool {
	budgets := f.budgets()
	return j.Round >= 0 && j.Round <= len(budgets) && j.Candidate >= 0 && j.Candidate < len(f.candidates) &&
		slices.Contains(budgets, j.Budget)
}

// outcome plays a run in a folder of its own, which goes with it.
func (w *Worker) outcome(ctx context.Context, f *File, j Job) (o outcome, err error) {
	if err := durable.MkdirAll(filepath.Join(w.Dir, jobsFolder), 0o777); err != nil {
		return o, err
	}
	dir, err := os.MkdirTemp(filepath.Join(w.Dir, jobsFolder), "job-")
	if err != nil {
		return o, err
	}
	defer func() {
		if gone := os.RemoveAll(dir); err == nil {
			err = gone
		}
	}()
	folder := filepath.Join(dir, runsFolder, j.Name())
	if err := durable.MkdirAll(folder, 0o777); err != nil {
		return o, err
	}
	if err := durable.WriteFile(filepath.Join(dir, sweepFile), f.text); err != nil {
		return o, err
	}
	r, why, err := station{f, w.Command}.play(ctx, j, folder)
	if killed := (*killedError)(nil); err == nil && errors.As(why, &killed) {
		err = why
	}
	o.Result = r
	if err != nil || r.Failed != "" {
		return o, err
	}
	o.weights, err = regular.Read(filepath.Join(folder, weightsFile), nn.MaxFileBytes)
	return o, err
}
