package cluster

import (
	"context"
	"fmt"
	"time"
)

const (
	// healthEvery is how often the embedded broker is checked.
	healthEvery = 2 * time.Second
	// stoppedFor is after how many checks in a row a broker that works no more is given up, and unhealthyFor one that
	// says so of what may pass: a stream that is being created looks like one that was not recovered, and on a slow disk
	// that takes seconds.
	stoppedFor, unhealthyFor = 2, 30
)

// watchBroker watches the broker until ctx ends. It fails once the broker no longer keeps what it is given: a stream
// that could not be written stays so until the broker is restarted.
func watchBroker(ctx context.Context, stopped, healthy func() error) error {
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err, most := stopped(), stoppedFor
		if err == nil {
			err, most = healthy(), unhealthyFor
		}
		if err == nil {
			failures = 0
			continue
		}
		if failures++; failures >= most {
			return fmt.Errorf("embedded %w: fix that and continue with --resume", err)
		}
	}
}

// watchHealth has /healthz ask a role how it is. Until then, and for roles that never call
// this, answering is enough: without a broker a role waits, and a restart would not shorten
// that.
func (s *node) watchHealth(role func() error) { s.health.Store(&role) }

// healthy returns what keeps the role of this process from its work.
func (s *node) healthy() error {
	if role := s.health.Load(); role != nil {
		return (*role)()
	}
	return nil
}
