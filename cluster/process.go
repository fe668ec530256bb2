package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/catalog"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/settings"
	"croupier/web"
)

// Broker says how a process reaches the broker.
type Broker struct {
	URL         string // nats://[USER:PASSWORD@]HOST:PORT, several separated by commas
	Credentials string // file: a .creds file or an nkey seed
	CA          string // PEM file with the authority that signed the broker's certificate
	Cert, Key   string // PEM files of this client's certificate
	Replicas    int    // brokers that keep each stream, 1, 3 or 5; 0: unchanged, or 1 for a new stream
}

// trainRole names a process with all roles of a run.
const trainRole = "train"

func (b Broker) options(role, run string, s *site) bus.NATSOptions {
	var limits bus.Options
	var agents []string
	if s.config != nil { // of the roles that may create streams
		limits.Sizes = s.config.Streams
		for _, a := range s.config.League.Learning() {
			agents = append(agents, a.Name)
		}
	}
	return bus.NATSOptions{
		Limits: limits, URL: b.URL, Run: run, Role: role, Create: role == messages.LearnerRole || role == trainRole, Agents: agents,
		Credentials: b.Credentials, CA: b.CA, Cert: b.Cert, Key: b.Key,
		Replicas: b.Replicas, Registerer: s.registry, Log: s.log,
	}
}

// farewell is how long a role that was told to stop may still wait for the broker, with all that it does in the end: then
// the process ends within the 10 s that whoever stops it allows.
const farewell = 7 * time.Second

// admission is how long a role tries a key that the broker does not know: one that was just made is not yet known.
const admission = 5 * time.Second

// Process is a process with one role of a run.
type Process struct {
	Catalog *catalog.Catalog // of the games, of which the run has one
	Dir     string           // run directory; its last element names the run on the broker
	Metrics Port
	Broker  Broker
	Log     *slog.Logger

	endsRevoked bool // the process ends when its credential is revoked
}

// open connects the role to its run. config is nil for roles that take the run's
// configuration from the broker; they wait until it is published. end is called when the run
// goes over to a schema that this program does not read. The returned function releases
// everything.
func (p Process) open(ctx context.Context, end func(error), role string, config *settings.Config,
) (*site, func(), error) {
	run, err := rundir.ID(p.Dir)
	if err != nil {
		return nil, nil, invalid("--run: %w", err)
	}
	s := &site{config: config, dir: p.Dir, registry: newRegistry(), log: p.Log}
	release := func() {}
	fail := func(err error) (*site, func(), error) {
		release()
		return nil, nil, err
	}
	if p.Metrics.Address != "off" {
		var stop func()
		if s.metricsAddress, stop, err = p.Metrics.serve(ctx, s.registry, s.alive, nil, p.Log); err != nil {
			return fail(err)
		}
		release = stop
		p.Log.Info("metrics", "url", "http://"+s.metricsAddress+"/metrics")
	}
	o := p.Broker.options(role, run, s)
	o.Farewell, o.Admission = farewell, admission
	if p.endsRevoked {
		o.Revoked = end
	}
	if s.bus, err = bus.Connect(ctx, o); err != nil {
		return fail(err)
	}
	stop := release
	release = func() { s.bus.Close(); stop() }
	if err := adoptSchema(ctx, s.bus, end); err != nil {
		return fail(err)
	}
	if config == nil {
		if s.config, err = awaitConfig(ctx, p.Catalog, s.bus, p.Log); err != nil {
			return fail(err)
		}
	}
	if s.game, err = s.config.Build(); err != nil {
		return fail(err)
	}
	s.warnForeign()
	if strings.HasPrefix(role, messages.LearnerRole) || role == messages.LeagueRole {
		watching, end := context.WithCancel(ctx)
		disconnect := release
		release = func() { end(); disconnect() }
		s.watchRoom(watching)
	}
	return s, release, nil
}

// serve opens the role's site and runs work on it until ctx ends. Being told to stop while
// still waiting for the broker or the configuration is a normal end.
func (p Process) serve(ctx context.Context, role string, work func(context.Context, *site) error) error {
	return endable(ctx, func(ctx context.Context, end func(error)) error {
		s, release, err := p.open(ctx, end, role, nil)
		if err != nil {
			return stopped(ctx, err)
		}
		defer release()
		return work(ctx, s)
	})
}

// endable runs do with a context that ends with ctx, or when do calls end; then the error
// given to end is that of the whole.
func endable(ctx context.Context, do func(ctx context.Context, end func(error)) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	err := do(ctx, end)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// stopped turns the error of a role that was told to stop while it was still waiting for
// something into a normal end.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// ServeActor plays games for a run with the given number of workers until ctx ends. Its id is the
// one that its credential names; id, unless "", must be the same.
func (p Process) ServeActor(ctx context.Context, workers int, id string) error {
	who := bus.Credential{}
	if p.Broker.Credentials != "" {
		var err error
		if who, err = bus.ReadCredential(p.Broker.Credentials); err != nil {
			return fmt.Errorf("--creds: %w", err)
		}
	}
	switch {
	case who.Role != "" && who.Role != messages.ActorRole && who.Role != OperatorRole:
		return invalid("--creds: %s is the credential of the %s, not of an actor", p.Broker.Credentials, who.Role)
	case who.Role == messages.ActorRole && id != "" && id != who.Name:
		return invalid("--id %s: the credential %s is for the id %s", id, p.Broker.Credentials, who.Name)
	case who.Role == messages.ActorRole:
		id = who.Name
	}
	if id != "" {
		if err := messages.CheckToken(id); err != nil {
			return invalid("--id: %w", err)
		}
	}
	return p.serve(ctx, messages.ActorRole, func(ctx context.Context, s *site) error {
		s.id = id
		a, err := s.newActor(workers)
		if err != nil {
			return err
		}
		return a.Run(ctx)
	})
}

// ServeLeague maintains the population and the ladder of a run until ctx ends.
func (p Process) ServeLeague(ctx context.Context) error {
	return p.serve(ctx, messages.LeagueRole, func(ctx context.Context, s *site) error {
		lock, err := rundir.Lock(s.dir, messages.LeagueRole)
		if err != nil {
			return err
		}
		defer lock.Close()
		if err := rundir.Sweep(s.dir, messages.LeagueRole); err != nil {
			return err
		}
		held, err := s.acquire(ctx, messages.LeagueRole)
		if err != nil {
			return stopped(ctx, err)
		}
		defer held.release()
		l, err := s.newLeague()
		if err != nil {
			return err
		}
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return held.wait(ctx) })
		group.Go(func() error { return l.Run(ctx) })
		return group.Wait()
	})
}

// ServeWeb shows a run on the page until ctx ends.
func (p Process) ServeWeb(ctx context.Context, page Page) error {
	return p.serve(ctx, messages.WebRole, func(ctx context.Context, s *site) error {
		s.log.Info("web page", "url", page.URL())
		feed, handler := s.newWeb(ctx, page)
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return feed.Run(ctx) })
		group.Go(func() error { return web.Serve(ctx, page.Listener, page.TLS, handler, s.log) })
		group.Go(func() error { return s.beat(ctx, messages.WebRole, webValues(feed)) })
		return group.Wait()
	})
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
	held, err := s.acquire(ctx, messages.LearnerRole)
	if err != nil {
		return stopped(ctx, err)
	}
	defer held.release()
	if !plan.resume {
		if err := s.checkUnknown(ctx); err != nil {
			return stopped(ctx, err)
		}
	}
	main, err := s.config.League.Agent(messages.LearningAgent)
	if err != nil {
		return err
	}
	t, err := s.newTrainee(ctx, main, training{resume: plan.resume})
	if err != nil {
		return stopped(ctx, err)
	}
	s.watchHealth(t.learner.Healthy)
	if err := s.save(ctx); err != nil {
		return stopped(ctx, err)
	}
	k, err := s.newKeeper()
	if err != nil {
		return err
	}
	undo = claim.Release
	return s.session(ctx, p.Broker, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return held.wait(ctx) })
		group.Go(func() error { return t.Run(ctx) })
		group.Go(func() error { k.Run(ctx); return nil })
		group.Go(func() error { return raiseSchema(ctx, s.bus, s.log) })
		return group.Wait()
	})
}
