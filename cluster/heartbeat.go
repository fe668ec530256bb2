package cluster

import (
	"context"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/web"
)

// beat puts a heartbeat for a role that writes nothing to the bus itself once a
// second until ctx ends. values may be slow: it is asked in between.
func (s *site) beat(ctx context.Context, role string, values func(context.Context) map[string]float64) error {
	started, id := time.Now(), processID(role)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		data, err := messages.Encode(&messages.Status{
			Schema: messages.SchemaVersion, Role: role, Id: id, State: "running",
			StartedMs: started.UnixMilli(), MetricsAddress: s.metricsAddress, Values: values(ctx),
		})
		if err == nil {
			_, err = s.bus.Roles().Put(ctx, messages.RoleKey(role, id), data)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Debug("heartbeat not sent", "role", role, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// webValues is what the web role's heartbeat says.
func webValues(feed *web.Feed) func(context.Context) map[string]float64 {
	return func(context.Context) map[string]float64 {
		return map[string]float64{"feed_lag_messages": float64(feed.Lag())}
	}
}

// brokerValues is what the embedded broker's heartbeat says: messages kept, and
// ever published, by stream.
func brokerValues(b bus.Bus) func(context.Context) map[string]float64 {
	return func(ctx context.Context) map[string]float64 {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		values := map[string]float64{}
		for _, stream := range []bus.Stream{bus.Experience, bus.Matches, bus.Results, bus.Curves} {
			if info, err := b.Info(ctx, stream); err == nil {
				values[stream.String()+"_kept"] = float64(info.Messages)
				values[stream.String()+"_published"] = float64(info.Last)
			}
		}
		return values
	}
}
