package broker

import (
	"context"
	"log/slog"

	"github.com/nats-io/nats-server/v2/server"

	"croupier/internal/space"
)

// watchSpace has the broker refuse what is stored on disk while the disk is almost full, until Shutdown.
func (b *Broker) watchSpace(log *slog.Logger) {
	if b.space == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	b.stop = func() { cancel(); <-ended }
	b.enter(b.space.Level(), log)
	go func() {
		defer close(ended)
		b.space.Run(ctx, func(l space.Level) { b.enter(l, log) })
	}()
}

// enter does what the level asks for.
func (b *Broker) enter(level space.Level, log *slog.Logger) {
	limits := server.JetStreamAccountLimits{
		MaxMemory: -1, MaxStore: -1, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: -1,
		StoreMaxStreamBytes: -1,
	}
	if level == space.Critical {
		limits.MaxStore = 0
	}
	if err := b.server.GlobalAccount().UpdateJetStreamLimits(
		map[string]server.JetStreamAccountLimits{"": limits}); err != nil {
		log.Error("the broker's limits were not changed", "error", err)
	}
	switch problem := b.space.Problem(); level {
	case space.Critical:
		log.Error("the broker accepts nothing more for the disk", "reason", problem)
	case space.Low:
		log.Warn("the broker's disk fills up", "reason", problem)
	}
}

// Room reports that the broker's disk is nearly full, nil if it is not.
func (b *Broker) Room() error {
	if b.space == nil {
		return nil
	}
	return b.space.Problem()
}
