package cluster

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"croupier/catalog"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/settings"
)

// Broker reports how a process reaches the broker.
type Broker struct {
	URL         string // nats://[USER:PASSWORD@]HOST:PORT, several separated by commas
	Credentials string // file: a .creds file or an nkey seed
	CA          string // PEM file with the authority that signed the broker's certificate
	Cert, Key   string // PEM files of this client's certificate
	Replicas    int    // brokers that keep each stream, 1, 3 or 5; 0: unchanged, or 1 for a new stream
}

// trainRole names a process with all roles of a run.
const trainRole = "train"

func (b Broker) options(role, run string, s *node) bus.NATSOptions {
	var limits bus.Options
	var agents []string
	if s.config != nil { // of the roles that may create streams
		limits.Sizes = s.config.Streams
		for _, a := range s.config.League.Learning() {
			agents = append(agents, a.Name)
		}
	}
	return bus.NATSOptions{
		Limits: limits, URL: b.URL, Run: run, Role: role, Create: role == messages.LearnerRole || role == trainRole,
		Agents:      agents,
		Credentials: b.Credentials, CA: b.CA, Cert: b.Cert, Key: b.Key,
		Replicas: b.Replicas, Registerer: s.registry, Log: s.log,
	}
}

// Messenger connects a process that only sends and receives datagrams, under a name in the place of a run's. revoked is
// called when the broker has no longer known its key for a while.
func (b Broker) Messenger(ctx context.Context, run, role string, revoked func(error), log *slog.Logger,
) (bus.Messenger, error) {
	return bus.ConnectMessenger(ctx, bus.NATSOptions{
		URL: b.URL, Run: run, Role: role, Credentials: b.Credentials, CA: b.CA, Cert: b.Cert, Key: b.Key, Log: log,
		Admission: admission, Revoked: revoked,
	})
}

// farewell is how long a role that was asked to stop may still wait for the broker, with all that it does in the end:
// then the process ends within the 10 s that its supervisor allows.
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
) (*node, func(), error) {
	run, err := rundir.ID(p.Dir)
	if err != nil {
		return nil, nil, invalid("--run: %w", err)
	}
	s := &node{config: config, dir: p.Dir, registry: newRegistry(), log: p.Log}
	release := func() {}
	fail := func(err error) (*node, func(), error) {
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
	stop := release
	release = func() {
		if s.bus != nil {
			s.bus.Close()
		}
		stop()
	}
	if err := s.connect(ctx, ctx, o, end); err != nil {
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

// serve opens the role's node and runs work on it until ctx ends. An order to stop while
// still waiting for the broker or the configuration is a normal end.
func (p Process) serve(ctx context.Context, role string, work func(context.Context, *node) error) error {
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
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(err, cause) { // err may say more
		return cause
	}
	return err
}

// stopped turns the error of a role that was asked to stop while it was still waiting for
// something into a normal end.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// serveOne serves a role of which a run has one, with its part of the run directory, until ctx ends.
func (p Process) serveOne(ctx context.Context, name string, find func(*node) (role, error)) error {
	return p.serve(ctx, name, func(ctx context.Context, s *node) error {
		r, err := find(s)
		if err != nil {
			return err
		}
		claim, err := rundir.Take(s.dir, name)
		if err != nil {
			return err
		}
		defer claim.Release()
		return s.work(ctx, r)
	})
}
