package cluster

import (
	"context"
	"time"

	"croupier/messages/bus"
	"croupier/messages/presence"
	"croupier/web"
)

// beat sends the heartbeats of a role that writes nothing else to the bus, until ctx ends.
func (s *node) beat(ctx context.Context, role string, values func(context.Context) map[string]float64) error {
	common, err := s.common()
	if err != nil {
		return err
	}
	process := common.Process(role, processID(role))
	return process.Run(ctx, func(ctx context.Context) presence.State {
		return presence.State{Words: "running", Values: values(ctx)}
	}, func(err error) { s.log.Debug("heartbeat not sent", "role", role, "error", err) })
}

// webValues returns the values in the web role's heartbeat.
func webValues(feed *web.Feed) func(context.Context) map[string]float64 {
	return func(context.Context) map[string]float64 {
		return map[string]float64{"feed_lag_messages": float64(feed.Lag())}
	}
}

// brokerValues returns the values in the embedded broker's heartbeat: messages kept, and
// messages ever published, by stream.
func brokerValues(b bus.Bus) func(context.Context) map[string]float64 {
	return func(ctx context.Context) map[string]float64 {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		values := map[string]float64{}
		for _, stream := range bus.Streams {
			if info, err := b.Info(ctx, stream); err == nil {
				values[stream.String()+"_kept"] = float64(info.Messages)
				values[stream.String()+"_published"] = float64(info.Last)
			}
		}
		return values
	}
}
