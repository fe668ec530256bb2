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
	"croupier/messages/lease"
	"croupier/nn"
	"croupier/settings"
)

// trainee is a learning agent of the run in this process: its learner, and the auditor next to it.
type trainee struct {
	agent   league.Agent
	learner *learner.Learner
	auditor *audit.Auditor
}

// training reports how an agent learns in this process.
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
	o, err := s.learnerOptions(ctx, agent, how)
	if err != nil {
		return nil, err
	}
	t := &trainee{agent: agent}
	t.auditor = audit.NewAuditor(audit.Options{Common: o.Common, Agent: agent.Name, Resolver: s.agents()})
	o.Resume, o.Frozen, o.LockStep, o.Games = how.resume, hasFrozen(s.dir, agent.Name), how.lockStep, how.games
	o.ID, o.Progress, o.Trouble, o.Audit = processID(messages.LearnerOf(agent.Name)), how.progress, s.room, t.auditor.Offer
	t.learner, err = learner.New(o)
	return t, err
}

// learnerOptions are those that a learner of an agent and its peers have in common.
func (s *node) learnerOptions(ctx context.Context, agent league.Agent, how training) (o learner.Options, err error) {
	game, curriculum, err := s.config.Games()
	if err != nil {
		return o, err
	}
	if o.Layout, err = nn.NewLayout(s.config.Network, game.Spec()); err != nil {
		return o, fmt.Errorf("network: %w", err)
	}
	if o.Common, err = s.common(); err != nil {
		return o, err
	}
	o.Curriculum, o.Game = curriculum, game // the learner sees nothing but training games
	o.Dir, o.Agent = agentDir(s.dir, agent.Name), agent.Name
	if agent.Name == messages.LearningAgent {
		o.Weights = s.weights
	}
	o.Registerer = prometheus.WrapRegistererWith(prometheus.Labels{"agent": agent.Name}, s.registry)
	o.Config, o.Backlog = s.config.Learner, s.config.Actor.Backlog
	if o.Config.Workers == 0 {
		o.Config.Workers = how.workers
	}
	o.Teacher = func(game engine.Game, name string) (func() engine.Bot, error) {
		return settings.Teacher(ctx, s.config.Catalog().Of(game), game, name)
	}
	return o, nil
}

// peerRole computes a share of the work of an agent's learner, on the given number of cores where the settings do not
// say; 0: on all. In the process of that learner it has no metrics of its own, because those of the learner say enough.
func (s *node) peerRole(agent league.Agent, workers int, inside bool) role {
	r := roleOf(func(ctx context.Context) (*learner.Peer, error) {
		o, err := s.learnerOptions(ctx, agent, training{workers: workers})
		if err != nil {
			return nil, err
		}
		if o.ID = processID(messages.PeerRole); inside {
			o.Registerer = prometheus.NewRegistry()
		}
		return learner.NewPeer(o)
	}, nil)
	r.trains = true
	return r
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

// hasFrozen reports whether a run directory has a frozen version of the agent.
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
// directory of the process, or else begins one of the named game. Where a learner is at work already, it computes a
// share of that one's work. A call that fails before training begins leaves no new run directory behind.
func (p Process) ServeLearner(ctx context.Context, game string, changes settings.Changes) error {
	_, err := rundir.ReadInfo(p.Dir)
	if err == nil || errors.Is(err, rundir.ErrNoRun) {
		err = p.serveLearner(ctx, game, err == nil, changes)
	}
	if !errors.Is(err, lease.ErrHeld) && !errors.Is(err, rundir.ErrInUse) {
		return err
	}
	if game != "" || !changes.Empty() {
		return fmt.Errorf("%w; to join it, leave out game and settings: they are the run's", err)
	}
	return p.ServePeer(ctx, messages.LearningAgent)
}

// serveLearner trains the main agent of the run, which is that of the directory or begins here.
func (p Process) serveLearner(ctx context.Context, game string, resume bool, changes settings.Changes) error {
	plan, err := Run{Catalog: p.Catalog, Dir: p.Dir, Game: game, Resume: resume, Changes: changes}.Plan(ctx)
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
// any time. The agent continues from its newest checkpoint in the directory of the process. Where a learner of the
// agent is at work already, it computes a share of that one's work.
func (p Process) ServeAgent(ctx context.Context, name string) error {
	err := p.serveOne(ctx, messages.LearnerOf(name), func(s *node) (role, error) {
		agent, err := s.config.League.Agent(name)
		if err != nil {
			return role{}, invalid("--agent: %w", err)
		}
		return s.learnerRole(agent, training{rejoins: true}, nil), nil
	})
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, rundir.ErrInUse) {
		return p.ServePeer(ctx, name)
	}
	return err
}

// ServePeer computes a share of the work of the learner of an agent until ctx ends. It may come and go at any time.
func (p Process) ServePeer(ctx context.Context, name string) error {
	return p.serve(ctx, messages.PeerRole, func(ctx context.Context, s *node) error {
		agent, err := s.config.League.Agent(name)
		if err != nil {
			return invalid("--agent: %w", err)
		}
		p.Log.Info("joining the learner that is at work", "agent", name)
		return s.work(ctx, s.peerRole(agent, 0, false))
	})
}
