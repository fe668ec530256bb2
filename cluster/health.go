package cluster

import (
	"context"
	"fmt"
	"time"
)

// healthEvery is how often the embedded broker is looked at.
const healthEvery = 2 * time.Second

// watchBroker returns why the broker does not keep what it is given: a stream that
// could not be written stays so until the broker is started again.
func watchBroker(ctx context.Context, healthy func() error) error {
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := healthy()
		if err == nil {
			failures = 0
			continue
		}
		// A stream that is just being made looks like one that was not recovered.
		if failures++; failures == 2 {
			return fmt.Errorf("embedded %w: put that right and go on with --resume", err)
		}
	}
}

// alive is the health of a role: it answers. Without a broker it waits, which a
// restart would not shorten.
func alive() error { return nil }
