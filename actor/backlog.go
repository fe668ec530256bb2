package actor

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// learnerSilence is how long a learner that is behind may take nothing before it
// counts as gone, and arena games get all of an actor's time.
const learnerSilence = 5 * time.Second

// watchBacklog pauses the training games of a link while its learner is behind.
func (a *Actor) watchBacklog(ctx context.Context, l *learnerLink) error {
	name, filter := messages.LearnerOf(l.agent), messages.ExperienceFilter(l.agent)
	consumer, err := a.opts.Bus.Consume(ctx, bus.Experience, name, filter)
	if err != nil {
		return fmt.Errorf("experience backlog: %w", err)
	}
	defer consumer.Close()
	refused := a.followRefused(ctx, l.agent)
	var before uint64
	moved := time.Now() // when the learner last took something
	for ctx.Err() == nil {
		asked, seen := time.Now(), l.unseen.Load()
		pending, own, err := consumer.Pending(ctx)
		answered := time.Since(asked)
		if pending != before {
			before, moved = pending, time.Now()
		}
		useful := float64(pending) * (1 - min(max(*refused.Load(), 0), 1))
		// Without an answer the broker is behind as well. Where others send what is of no use, the learner may have
		// little to learn from, and still take long to come to this actor's batches.
		behind := err != nil || useful > float64(a.opts.Config.Backlog) || own > maxUnread
		if err == nil {
			a.metrics.backlog.WithLabelValues(l.agent).Set(float64(pending))
		}
		l.yields.Store(behind && time.Since(moved) < learnerSilence)
		if l.paused.Swap(behind) != behind {
			a.metrics.paused.WithLabelValues(l.agent).Set(map[bool]float64{true: 1}[behind])
		}
		l.unseen.Add(-seen) // what was sent before the question is in the answer
		sleep(ctx, BacklogPause(answered))
	}
	return nil
}

// BacklogPause is how long an actor waits before it asks for the backlog again, after an answer that took so
// long. Many actors would otherwise keep the broker busy with nothing but their questions (docs/scale.md).
func BacklogPause(answered time.Duration) time.Duration {
	return min(max(20*time.Millisecond, answered), time.Second)
}

// followRefused keeps up with the share of the batches that the learner throws away: somebody
// who floods it must not make all others wait. An actor that may not see the learner's
// heartbeat goes without.
func (a *Actor) followRefused(ctx context.Context, agent string) *atomic.Pointer[float64] {
	share := &atomic.Pointer[float64]{}
	share.Store(new(float64))
	go func() {
		beats, err := a.opts.Bus.Roles().Watch(ctx, messages.LearnerRole+".")
		if err != nil {
			return
		}
		for e := range beats {
			if e.Key == "" {
				continue
			}
			s, now := &messages.Status{}, 0.0
			if e.Value != nil && messages.Decode(e.Value, s) == nil {
				now = s.Values[messages.RefusedShare]
			}
			if s.Agent == "" || s.Agent == agent {
				share.Store(&now)
			}
		}
	}()
	return share
}
