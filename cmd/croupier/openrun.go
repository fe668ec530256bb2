package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"croupier/engine"
	"croupier/internal/rundir"
)

// runOptions say which run is meant: a new one, or one to go on with.
type runOptions struct {
	run    string // directory
	resume bool
	config configFlags
}

// plan returns the configuration of the run and its game: with --resume that of the
// run directory, else a new one. It changes nothing.
func (o *runOptions) plan(game string) (*runConfig, engine.Game, error) {
	makeConfig := o.newRun
	if o.resume {
		makeConfig = o.oldRun
	}
	config, err := makeConfig(game)
	if err != nil {
		return nil, nil, err
	}
	built, err := config.build()
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	return config, built, nil
}

// newRun returns the configuration of a run that is to begin.
func (o *runOptions) newRun(game string) (*runConfig, error) {
	if game == "" {
		return nil, usage("which game? \"croupier games\" lists them")
	}
	config, err := defaultConfig(game)
	if err != nil {
		return nil, err
	}
	if err := o.config.apply(config); err != nil {
		return nil, err
	}
	if o.run == "" {
		o.run = filepath.Join("runs", game+"-"+time.Now().Format("20060102-150405"))
	}
	if config.Run, err = rundir.ID(o.run); err != nil {
		return nil, usage("%v", err)
	}
	return config, rundir.CheckFree(o.run)
}

// oldRun returns the configuration of the run that is to be resumed.
func (o *runOptions) oldRun(game string) (*runConfig, error) {
	if o.run == "" {
		newest, err := rundir.Newest("runs")
		if err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
		o.run = newest
	}
	info, err := rundir.ReadInfo(o.run)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	if game != "" && game != info.Game {
		return nil, usage("--resume: run directory %s is a run of %s, not of %s", o.run, info.Game, game)
	}
	config, err := readConfig(o.run)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	algorithm := config.Learner.Algorithm
	if err := o.config.apply(config); err != nil {
		return nil, err
	}
	if config.Learner.Algorithm != algorithm {
		return nil, usage("--resume: the run learns by %s, which cannot become %s", algorithm, config.Learner.Algorithm)
	}
	if config.Seed != info.Seed {
		return nil, usage("--resume: the run has the seed %d, which cannot become %d", info.Seed, config.Seed)
	}
	config.Run = info.ID
	return config, nil
}

// claim makes the run directory of a new run, and takes the locks of the roles.
// release gives them back; unless the run began, what was made goes again.
func (o *runOptions) claim(config *runConfig, roles ...string) (release func(began bool), err error) {
	discard := func() {}
	if !o.resume {
		discard, err = rundir.Create(o.run, rundir.Info{
			ID: config.Run, Game: config.Game, Seed: config.Seed, Created: time.Now().UTC(), Version: version(),
		})
		if err != nil {
			return nil, err
		}
	}
	var locks []io.Closer
	release = func(began bool) {
		if !began {
			discard()
		}
		for _, lock := range locks {
			lock.Close()
		}
	}
	for _, role := range roles {
		lock, err := rundir.Lock(o.run, role)
		if err != nil {
			release(false)
			return nil, err
		}
		locks = append(locks, lock)
	}
	return release, nil
}
