package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/internal/seed"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/policy"
	"croupier/settings"
)

// Invalid is the error of a request that cannot be met whatever the state of disk and
// network: unknown games, settings out of range, a game other than the run's.
type Invalid struct{ Err error }

func (e *Invalid) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Invalid) Unwrap() error { return e.Err }

func invalid(format string, args ...any) error {
	return &Invalid{fmt.Errorf(format, args...)}
}

// Run reports which run is meant: a new one, or one to resume.
type Run struct {
	Catalog *catalog.Catalog
	Dir     string // run directory; "": a new one below runs, or with Resume the newest there
	Game    string // may be "" with Resume
	Resume  bool
	// From is a network file with whose weights a new run begins, or agents.Trained for the one that comes with the
	// program; "": with random ones.
	From    string
	Changes settings.Changes // to the game's defaults, or with Resume to the run's settings
	// NoFiles refuses agents in files: the settings are those of somebody who may not read this machine's.
	NoFiles bool
}

// Plan is a run that can begin.
type Plan struct {
	Dir      string
	Settings *settings.Config
	Game     engine.Game
	resume   bool
	noFiles  bool
	weights  []float32 // of the main agent at the beginning; nil: random ones
}

// Plan determines the settings and the game of the run. It changes nothing on disk. Files
// with settings may be pipes, which are waited for until ctx ends. A request that is wrong in
// itself gives an [Invalid].
func (r Run) Plan(ctx context.Context) (*Plan, error) {
	plan := r.begin
	if r.Resume {
		plan = r.goOn
	}
	p, err := plan(ctx)
	if err != nil {
		return nil, err
	}
	if p.Game, err = p.Settings.Build(); err != nil {
		return nil, &Invalid{err}
	}
	p.noFiles = r.NoFiles
	if r.From != "" {
		if err := p.fromFile(r.From); err != nil {
			return nil, err
		}
	}
	return p, p.checkNamed(!r.NoFiles)
}

// checkNamed looks for the agents that the settings name; files reports whether all actors can read them.
func (p *Plan) checkNamed(files bool) error {
	refuse := func(field string, i int, format string, args ...any) error {
		return &Invalid{p.Settings.Locate(strict.Errorf(strict.Element(field, i), format, args...))}
	}
	for i, name := range p.Settings.League.Opponents {
		if _, err := p.agents(files).Player(context.Background(), name); err != nil {
			return refuse("league.opponents", i, "%w", err)
		}
	}
	for i, name := range p.Settings.League.References {
		if slices.Contains(p.agents(files).References(), name) {
			return refuse("league.references", i, "%s is on the ladder of %s anyway", name, p.Settings.Game)
		}
		if err := checkReference(p.agents(files), name); err != nil {
			return refuse("league.references", i, "%w", err)
		}
	}
	return nil
}

// agents are those of the run before it has versions.
func (p *Plan) agents(files bool) *agents.Agents {
	return agents.New(p.Game, agents.Sources{Catalog: p.Settings.Catalog(), Files: files})
}

// checkReference reports why an agent cannot be on the ladder from the start.
func checkReference(known *agents.Agents, name string) error {
	_, network, err := policy.CutTemperature(name)
	if err != nil {
		return err
	}
	if _, _, is := messages.ParseMemberName(network); is {
		return fmt.Errorf("%s names a version of this run; one of another run has a file, file:RUN/population/%s.safetensors",
			name, network)
	}
	_, err = known.Player(context.Background(), name)
	return err
}

// begin plans a new run.
func (r Run) begin(ctx context.Context) (*Plan, error) {
	if r.Game == "" {
		return nil, invalid("name a game; \"croupier games\" lists them")
	}
	config, err := settings.Default(r.Catalog, r.Game)
	if err != nil {
		return nil, &Invalid{err}
	}
	if err := r.Changes.Apply(ctx, config); err != nil {
		return nil, &Invalid{err}
	}
	dir := r.Dir
	if dir == "" {
		dir = rundir.Fresh(r.Game)
	}
	if config.Run, err = rundir.ID(dir); err != nil {
		return nil, &Invalid{err}
	}
	return &Plan{Dir: dir, Settings: config}, rundir.CheckFree(dir)
}

// goOn plans to resume a run.
func (r Run) goOn(ctx context.Context) (*Plan, error) {
	dir := r.Dir
	if dir == "" {
		newest, err := rundir.Newest(rundir.Parent)
		if err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
		dir = newest
	}
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	if info.Kind != "" {
		return nil, invalid("--resume: %s is the directory of a %s, in which nothing is trained", dir, info.Kind)
	}
	if r.Game != "" && r.Game != info.Game {
		return nil, invalid("--resume: run directory %s is a run of %s, not of %s", dir, info.Game, r.Game)
	}
	config, err := settings.Read(r.Catalog, dir)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	if err := config.CheckRun(info); err != nil {
		return nil, fmt.Errorf("--resume: %s: %w", dir, err)
	}
	algorithm := config.Learner.Algorithm
	if err := r.Changes.Apply(ctx, config); err != nil {
		return nil, &Invalid{err}
	}
	if config.Learner.Algorithm != algorithm {
		return nil, invalid("--resume: the run learns by %s, which cannot become %s", algorithm, config.Learner.Algorithm)
	}
	if config.Game != info.Game {
		return nil, invalid("--resume: run directory %s is a run of %s, not of %s", dir, info.Game, config.Game)
	}
	if config.Seed != uint64(info.Seed) {
		return nil, invalid("--resume: the run has the seed %d, which cannot become %d", info.Seed, config.Seed)
	}
	config.Run = info.ID
	return &Plan{Dir: dir, Settings: config, resume: true}, nil
}

// claim takes the run directory, in these roles, and makes the run in it if it is a new one.
func (p *Plan) claim(roles ...string) (*rundir.Claim, error) {
	config, err := p.Settings.EncodeShared()
	if err != nil {
		return nil, err
	}
	claim, err := rundir.Take(p.Dir, roles...)
	if err != nil || p.resume {
		return claim, err
	}
	err = claim.Create(rundir.Info{
		ID: p.Settings.Run, Game: p.Settings.Game, Seed: seed.Number(p.Settings.Seed), Created: time.Now().UTC(),
		Version: Version(),
	}, config, catalog.FileOf(p.Game))
	if err != nil {
		claim.Abandon()
		return nil, err
	}
	return claim, nil
}
