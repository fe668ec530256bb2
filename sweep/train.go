package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"croupier/cluster"
	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/messages/curves"
	"croupier/settings"
)

// Files of a run, in a folder of its own.
const (
	resultFile      = "result.json"
	weightsFile     = "weights.safetensors"
	runFolder       = "run"
	exploiterFolder = "exploiter" // the run of its exploiter
)

// trainJob does the work of a job in this process, whose processor time is the run's: it trains, measures, and
// leaves the weights and, last of all, the result in the folder.
func trainJob(ctx context.Context, f *File, job Job, folder string) error {
	if job.Candidate < 0 || job.Candidate >= len(f.candidates) {
		return fmt.Errorf("there is no candidate %d", job.Candidate)
	}
	candidate := f.candidates[job.Candidate]
	plan, err := f.plan(ctx, candidate, job, folder)
	if err != nil {
		return err
	}
	result := Result{Job: job, Name: candidate.Name}
	clock, data, err := train(ctx, plan, f.length(job), &result)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	path := filepath.Join(folder, weightsFile)
	if err := durable.WriteFile(path, data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	result.SHA256 = hex.EncodeToString(sum[:])
	if err := f.judge(ctx, plan.Settings, plan.Game, clock, data, folder, &result); err != nil {
		return err
	}
	doc, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return durable.WriteFile(filepath.Join(folder, resultFile), doc)
}

// plan is the run of a candidate.
func (f *File) plan(ctx context.Context, c Candidate, job Job, folder string) (*cluster.Plan, error) {
	doc, err := c.config.Encode()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "settings.yaml")
	if err := durable.WriteFile(path, doc); err != nil {
		return nil, err
	}
	return cluster.Run{
		Catalog: f.games, Dir: filepath.Join(folder, runFolder), Game: f.Game,
		Changes: settings.Changes{File: path, Seed: &job.Seed}, NoFiles: f.shared,
	}.Plan(ctx)
}

// length is how long a run trains, and on how many processors.
func (f *File) length(job Job) cluster.Options {
	o := cluster.Options{Processor: job.Budget, Unrated: true, Workers: f.Processor}
	if f.Games > 0 {
		o.Games, o.Deterministic = f.Games, true
	}
	return o
}

// train trains, and notes what that took.
func train(ctx context.Context, plan *cluster.Plan, o cluster.Options, result *Result) (*clock, []byte, error) {
	c, err := cluster.Open(ctx, plan, o)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	at := &clock{cluster: c, every: time.Second}
	if o.Processor > 0 {
		at.every = min(at.every, o.Processor/100)
	}
	watching, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { at.watch(watching) })
	err = c.Run(ctx)
	stop()
	group.Wait()
	if err != nil {
		return nil, nil, err
	}
	at.look()
	last := at.ticks[len(at.ticks)-1]
	games, _ := c.Trained()
	result.Seconds, result.Processor, result.Games = last.seconds, last.processor, games
	data, err := c.Weights(ctx)
	return at, data, err
}

// judge measures the weights and makes the curve.
func (f *File) judge(
	ctx context.Context, config *settings.Config, game engine.Game, at *clock, data []byte, folder string, result *Result,
) error {
	end, err := f.Objective.measure(ctx, config, game, data, filepath.Join(folder, weightsFile), f.Processor)
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	records, damaged, err := curves.Read(filepath.Join(folder, runFolder, rundir.CurvesFile))
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("curves: %w", err)
	case damaged > 0:
		return fmt.Errorf("curves: %d lines are damaged", damaged)
	}
	curve := at.curve(records, f.Objective.Curve)
	if f.Objective.Measure == f.Objective.Curve {
		curve = append(curve, Point{result.Processor, end.value})
	}
	result.Opponents = end.opponents
	result.Value, result.Reached = f.Objective.summary(curve, end.value, result.Budget.Seconds())
	if math.IsNaN(result.Value) {
		return fmt.Errorf("the run has no curve %q: nothing was measured for it within the budget", f.Objective.Curve)
	}
	result.Curve = thinned(curve)
	return nil
}

// clock knows the processor time at each moment of the training.
type clock struct {
	cluster *cluster.Cluster
	every   time.Duration
	ticks   []tick
}

// tick reports that after that many seconds of training that many of processor time had been used.
type tick struct{ seconds, processor float64 }

// watch looks at the clock now and then until ctx ends.
func (c *clock) watch(ctx context.Context) {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.look()
		case <-ctx.Done():
			return
		}
	}
}

func (c *clock) look() {
	_, trained := c.cluster.Trained()
	c.ticks = append(c.ticks, tick{trained.Seconds(), c.cluster.ProcessorTime().Seconds()})
}

// at returns the processor time after that many seconds of training.
func (c *clock) at(seconds float64) float64 {
	last := tick{}
	for _, t := range c.ticks {
		if t.seconds >= seconds && t.seconds > last.seconds {
			return last.processor + (t.processor-last.processor)*(seconds-last.seconds)/(t.seconds-last.seconds)
		}
		last = t
	}
	return last.processor
}

// curve returns the points of a series over processor time. What was measured after the training, of weights
// from it, has the time of the weights.
func (c *clock) curve(records []curves.Entry, series string) (points []Point) {
	for _, r := range records {
		for _, p := range r.Points.Points {
			if p.Series == series {
				points = append(points, Point{c.at(r.Points.Seconds), p.Value})
			}
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a[0], b[0]) })
	return points
}

// maxPoints bounds what is kept of a curve.
const maxPoints = 200

// thinned returns at most maxPoints of a curve, with its ends.
func thinned(curve []Point) []Point {
	if len(curve) <= maxPoints {
		return curve
	}
	kept := make([]Point, maxPoints)
	for i := range kept {
		kept[i] = curve[i*(len(curve)-1)/(maxPoints-1)]
	}
	return kept
}
