package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/audit"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/learner"
	"croupier/messages"
	"croupier/nn"
	"croupier/settings"
)

// trainee is a learning agent of the run in this process: its learner, and the auditor next to it.
type trainee struct {
	agent   league.Agent
	learner *learner.Learner
	auditor *audit.Auditor
}

// training says how an agent learns in this process.
type training struct {
	resume   bool // from its newest checkpoint
	rejoins  bool // the same, if there is one
	progress func() float64
	workers  int // on how many cores it learns where the settings do not say; 0: on all
	lockStep bool
	games    uint64 // after which it learns no more, in lock-step; 0: no limit
}

// newTrainee makes the learner of an agent.
func (s *node) newTrainee(ctx context.Context, agent league.Agent, how training) (*trainee, error) {
	if how.rejoins {
		_, err := learner.ReadTotals(agentDir(s.dir, agent.Name))
		how.resume = err == nil
	}
	layout, err := nn.NewLayout(s.config.Network, s.game.Spec())
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	_, curriculum, err := s.config.Games()
	if err != nil {
		return nil, err
	}
	common, err := s.common()
	if err != nil {
		return nil, err
	}
	common.Dir = agentDir(s.dir, agent.Name)
	common.Registerer = prometheus.WrapRegistererWith(prometheus.Labels{"agent": agent.Name}, s.registry)
	config := s.config.Learner
	if config.Workers == 0 {
		config.Workers = how.workers
	}
	t := &trainee{agent: agent}
	t.auditor = audit.NewAuditor(audit.Options{Common: common, Agent: agent.Name, Resolver: s.agents()})
	t.learner, err = learner.New(learner.Options{
		Common: common, Curriculum: curriculum, Layout: layout, Config: config,
		Resume: how.resume, Frozen: hasFrozen(s.dir, agent.Name), LockStep: how.lockStep, Games: how.games,
		ID: processID(messages.LearnerOf(agent.Name)), Agent: agent.Name,
		Progress: how.progress, Trouble: s.room, Audit: t.auditor.Offer,
		Teacher: func(game engine.Game, name string) (func() engine.Bot, error) {
			return settings.Teacher(ctx, s.config.Catalog().Of(game), game, name)
		},
	})
	return t, err
}

// learnerRole is an agent's learner; made, unless nil, is called with it.
func (s *node) learnerRole(agent league.Agent, how training, made func(*trainee)) role {
	var t *trainee
	r := roleOf(func(ctx context.Context) (*trainee, error) { return s.newTrainee(ctx, agent, how) },
		func(learning *trainee) {
			if t = learning; made != nil {
				made(t)
			}
		})
	r.lease, r.trains = messages.LearnerKey(agent.Name), true
	r.healthy = func() error { return t.learner.Healthy() }
	return r
}

// Run trains the agent until ctx ends.
func (t *trainee) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return t.learner.Run(ctx) })
	group.Go(func() error { return t.auditor.Run(ctx) })
	return group.Wait()
}

// hasFrozen says whether a run directory has a frozen version of the agent.
func hasFrozen(dir, agent string) bool {
	files, _ := fs.Glob(os.DirFS(dir), filepath.ToSlash(rundir.VersionFile(agent+"@*"))) // the pattern is a good one
	return len(files) > 0
}

// agentDir is where a learning agent has its checkpoints.
func agentDir(dir, agent string) string {
	if agent == messages.LearningAgent {
		agent = ""
	}
	return rundir.AgentDir(dir, agent)
}

// agentDirs lists where learning agents have their checkpoints in a run directory, the main one's first.
func agentDirs(dir string) []string {
	others, _ := filepath.Glob(filepath.Join(rundir.AgentDir(dir, "*"), "checkpoints")) // the pattern is a good one
	dirs := []string{dir}
	for _, folder := range others {
		dirs = append(dirs, filepath.Dir(folder))
	}
	return dirs
}

// workersOf is an agent's part of this machine's cores, at least one, where all learn on it.
func workersOf(agent league.Agent, all []league.Agent) int {
	total := 0.0
	for _, a := range all {
		total += a.Share
	}
	return max(1, int(agent.Share/total*float64(runtime.GOMAXPROCS(0))+0.5))
}

// learning are the run's learning agents as an actor sees them.
func (s *node) learning() (list []actor.Agent) {
	for _, a := range s.config.League.Learning() {
		list = append(list, actor.Agent{Name: a.Name, Share: a.Share})
	}
	return list
}

// ServeLearner trains the main agent of the run until ctx ends. It continues the run in the
// directory of the process, or else begins one of the named game. A call that fails before
// training begins leaves no new run directory behind.
func (p Process) ServeLearner(ctx context.Context, game string, changes settings.Changes) error {
	_, err := rundir.ReadInfo(p.Dir)
	if err != nil && !errors.Is(err, rundir.ErrNoRun) {
		return err
	}
	plan, err := Run{Catalog: p.Catalog, Dir: p.Dir, Game: game, Resume: err == nil, Changes: changes}.Plan(ctx)
	if err == nil {
		err = plan.checkNamed(false)
	}
	if err != nil {
		return err
	}
	return endable(ctx, func(ctx context.Context, end func(error)) error { return p.learn(ctx, end, plan) })
}

// learn trains the agent of a planned run.
func (p Process) learn(ctx context.Context, end func(error), plan *Plan) error {
	s, disconnect, err := p.open(ctx, end, messages.LearnerRole, plan.Settings)
	if err != nil {
		return stopped(ctx, err)
	}
	defer disconnect()
	claim, err := plan.claim(messages.LearnerRole)
	if err != nil {
		return err
	}
	undo := claim.Abandon
	defer func() { undo() }()
	main, err := s.config.League.Agent(messages.LearningAgent)
	if err != nil {
		return err
	}
	keeping, schema := s.archiverRole(), s.schemaRole()
	keeping.trains, schema.trains = true, true // nothing is played after the training here
	w, err := s.start(ctx, !plan.resume, s.learnerRole(main, training{resume: plan.resume}, nil), keeping, schema,
		s.curvesRole())
	if err != nil {
		return stopped(ctx, err)
	}
	defer w.release()
	if err := s.save(ctx); err != nil {
		return stopped(ctx, err)
	}
	undo = claim.Release
	if err := rundir.Begin(s.dir); err != nil {
		return err
	}
	defer s.reach(p.Broker)()
	if err := w.run(ctx, nil, nil); err != nil {
		return err
	}
	return rundir.End(s.dir, "", growing()...)
}

// ServeAgent trains an agent other than the main one for a run until ctx ends: it joins the run and can leave it at
// any time. The agent continues from its newest checkpoint in the directory of the process.
func (p Process) ServeAgent(ctx context.Context, name string) error {
	return p.serveOne(ctx, messages.LearnerOf(name), func(s *node) (role, error) {
		agent, err := s.config.League.Agent(name)
		if err != nil {
			return role{}, invalid("--agent: %w", err)
		}
		return s.learnerRole(agent, training{rejoins: true}, nil), nil
	})
}
