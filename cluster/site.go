package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"croupier/engine"
	"croupier/internal/descriptors"
	"croupier/internal/durable"
	"croupier/internal/httpserve"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/settings"
)

// site is what the roles of one run in this process stand on.
type site struct {
	bus      bus.Bus
	game     engine.Game
	config   *settings.Config
	dir      string // run directory; "": none
	registry *prometheus.Registry
	log      *slog.Logger
	// metricsAddress is where this process serves /metrics; "": nowhere.
	metricsAddress string
}

// newRegistry returns a registry with the process's own metrics.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// serveMetrics serves /metrics and /healthz of a role until ctx ends or stop is called,
// which waits for the end. /healthz is 503 with what healthy says is wrong. It returns
// the address it listens on.
func serveMetrics(ctx context.Context, address string, registry *prometheus.Registry, healthy func() error,
	log *slog.Logger) (at string, stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := httpserve.Serve(ctx, listener, descriptors.Share(32, 64), mux, log); err != nil {
			log.Error("metrics are no longer served", "error", err)
		}
	}()
	return listener.Addr().String(), func() { cancel(); <-done }, nil
}

// processID is unique for each start of a process.
func processID(role string) string {
	var id [4]byte
	rand.Read(id[:]) // never fails
	return role + "-" + hex.EncodeToString(id[:])
}

// Version says which program this is: the module's version or the commit.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

// save writes the effective configuration into the run directory and tells it to
// every role.
func (s *site) save(ctx context.Context) error {
	doc, err := s.config.Encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(s.dir, rundir.ConfigFile), doc); err != nil {
		return err
	}
	if _, err := s.bus.State().Put(ctx, messages.ConfigKey, doc); err != nil {
		return fmt.Errorf("publish the configuration: %w", err)
	}
	return nil
}

// checkUnknown makes sure that the broker has nothing of another run with the ID of
// a run that is to begin: old results would be taken for those of the new one.
func (s *site) checkUnknown(ctx context.Context) error {
	_, err := s.bus.State().Get(ctx, messages.ConfigKey)
	switch {
	case err == nil:
		return fmt.Errorf("the broker already has a run %s: take a run directory of another name", s.config.Run)
	case errors.Is(err, bus.ErrNotFound):
		return nil
	}
	return fmt.Errorf("look for runs of that name: %w", err)
}

// awaitConfig waits for the run's configuration: roles may start in any order.
func awaitConfig(ctx context.Context, b bus.Bus, log *slog.Logger) (*settings.Config, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := b.State().Watch(ctx, messages.ConfigKey)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			log.Info("waiting for the learner to tell the run's configuration")
			continue
		}
		if e.Value != nil {
			return settings.Load(e.Value, "the run's configuration")
		}
	}
	return nil, ctx.Err()
}
