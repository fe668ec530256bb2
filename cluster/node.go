package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/descriptors"
	"croupier/internal/httpserve"
	"croupier/internal/reach"
	"croupier/internal/rundir"
	"croupier/internal/space"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/curves"
	"croupier/messages/roles"
	"croupier/settings"
)

// node holds what the roles of one run in this process share.
type node struct {
	bus      bus.Bus
	game     engine.Game
	config   *settings.Config
	dir      string         // run directory; "" for none
	events   *curves.Events // in which curves are written as well, or nil
	registry *prometheus.Registry
	log      *slog.Logger
	health   atomic.Pointer[func() error] // of the role; see watchHealth
	unread   []func() error               // which files cannot be read again, so that what was in them before counts
	// metricsAddress is where this process serves /metrics; "" means nowhere.
	metricsAddress string
	disk           atomic.Pointer[space.Watch] // of the run directory; nil where it is not watched
	files          bool                        // agents may be files: all names come from the user of this process
	id             string                      // of the actor; "": a new one
	weights        []float32                   // of the main agent at the beginning of the run; nil: random ones
}

// newRegistry returns a registry with the metrics of the process itself.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Port is where a process of one role serves /metrics, /healthz and /livez.
type Port struct {
	Address string   // "off": nowhere
	Hosts   []string // further names under which it may be asked, besides addresses and names without a dot
}

// serve serves a role's /metrics, /healthz and /livez until ctx ends or stop is called, which waits for
// the end. /healthz answers 503 with the error of healthy, if any, and otherwise "ok" and its
// warning. /livez answers 503 only if the process has to be started again, which stopped says; nil: never. It returns
// the address it listens on.
func (p Port) serve(ctx context.Context, registry *prometheus.Registry, healthy health, stopped func() error,
	log *slog.Logger) (
	at string, stop func(), err error) {
	listener, err := reach.Listen(p.Address)
	if err != nil {
		return "", nil, fmt.Errorf("--metrics %s: %w", p.Address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		warning, err := healthy()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
		if warning != "" {
			fmt.Fprintln(w, warning)
		}
	})
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		if stopped != nil {
			if err := stopped(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		fmt.Fprintln(w, "ok")
	})
	handler := httpserve.NewHosts(p.Hosts, "--metrics-host").WithAddresses().WithBareNames().Check(mux)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := httpserve.Serve(ctx, listener, descriptors.Share(32, 64), nil, handler, log); err != nil {
			log.Error("metrics are no longer served", "error", err)
		}
	}()
	return listener.Addr().String(), func() { cancel(); <-done }, nil
}

// common is what the roles of the run in this process are given.
func (s *node) common() (roles.Common, error) {
	training, curriculum, err := s.config.Games()
	var stages []engine.Game
	for _, stage := range curriculum {
		stages = append(stages, stage.Game)
	}
	return roles.Common{
		Bus: s.bus, Game: s.game, Training: training, Stages: stages, Run: s.config.Run, RunSeed: s.config.Seed, Dir: s.dir,
		Conduct: s.config.Conduct, Registerer: s.registry, MetricsAddress: s.metricsAddress, Log: s.log,
	}, err
}

// connect connects to the run on the broker, and has this process write in the run's schema until live ends. end is
// called when that becomes one that this program does not read.
func (s *node) connect(ctx, live context.Context, o bus.NATSOptions, end func(error)) (err error) {
	if s.bus, err = bus.Connect(ctx, o); err != nil {
		return err
	}
	return adoptSchema(live, s.bus, end)
}

// references are the agents on the run's ladder from the start: the game's, and those that the settings
// name.
func (s *node) references() []string {
	return append(s.agents().References(), s.config.League.References...)
}

// agents finds the agents that play in the run.
func (s *node) agents() *agents.Agents {
	return agents.New(s.game, agents.Sources{Catalog: s.config.Catalog(), Frozen: agents.FromBus(s.bus), Files: s.files})
}

// processID returns an ID that is unique to each start of a process.
func processID(role string) string { return role + "-" + randomID() }

// randomID returns eight random hexadecimal digits.
func randomID() string {
	var id [4]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// actorID is the id of the process as an actor.
func (s *node) actorID() string {
	if s.id != "" {
		return s.id
	}
	return processID(messages.ActorRole)
}

// save writes the effective configuration to the run directory and publishes it to every
// role.
func (s *node) save(ctx context.Context) error {
	doc, err := s.config.EncodeShared()
	if err != nil {
		return err
	}
	if err := rundir.WriteConfig(s.dir, doc); err != nil {
		return err
	}
	if file := catalog.FileOf(s.game); file != nil {
		err := s.bus.PutObject(ctx, messages.GameObject(catalog.SourceOf(s.game).Hash()), file)
		if err != nil && !errors.Is(err, bus.ErrTaken) {
			return fmt.Errorf("publish the file of the game: %w", err)
		}
	}
	if _, err := s.bus.State().Put(ctx, messages.ConfigKey, doc); err != nil {
		return fmt.Errorf("publish the configuration: %w", err)
	}
	return nil
}

// warnForeign reports which settings of another version the run has, and which are not as the program wrote them.
func (s *node) warnForeign() {
	if changed := s.config.Changed(); len(changed) > 0 {
		s.log.Warn("settings are not as they were written: they were changed by hand, or by another version", "file",
			rundir.ConfigFile, "changes", strings.Join(changed, ", "))
	}
	if keys := s.config.Foreign(); len(keys) > 0 {
		s.log.Warn("settings that another version of the program has written have no effect here", "keys", keys)
	}
}

// checkUnknown checks that the broker holds nothing of an earlier run with the ID of a run
// about to begin, whose old results would be taken for the new run's.
func (s *node) checkUnknown(ctx context.Context) error {
	_, err := s.bus.State().Get(ctx, messages.ConfigKey)
	switch {
	case err == nil:
		return fmt.Errorf("the broker already has a run %s: choose a run directory with another name", s.config.Run)
	case errors.Is(err, bus.ErrNotFound):
		return nil
	}
	return fmt.Errorf("look for runs of that name: %w", err)
}

// awaitConfig waits for the run's configuration: roles may start in any order.
func awaitConfig(ctx context.Context, games *catalog.Catalog, b bus.Bus, log *slog.Logger) (*settings.Config, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := b.State().Watch(ctx, messages.ConfigKey)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			log.Info("waiting for the learner to publish the run's configuration")
			continue
		}
		if e.Value != nil {
			if err := fetchGame(ctx, games, b, settings.FileNamed(e.Value)); err != nil {
				return nil, err
			}
			return settings.Load(games, e.Value, "the run's configuration")
		}
	}
	return nil, ctx.Err()
}

// fetchGame gets the file of the run's game from the broker, if the game comes from one that is not here.
func fetchGame(ctx context.Context, games *catalog.Catalog, b bus.Bus, hash string) error {
	if hash == "" || games.Has(hash) {
		return nil
	}
	file, err := b.GetObject(ctx, messages.GameObject(hash))
	if sum := sha256.Sum256(file); err == nil && hex.EncodeToString(sum[:]) != hash {
		err = fmt.Errorf("its SHA-256 is %x and not %s", sum, hash)
	}
	if err == nil {
		_, err = games.Open(file)
	}
	if err != nil {
		return fmt.Errorf("the file of the run's game: %w", err)
	}
	return nil
}
