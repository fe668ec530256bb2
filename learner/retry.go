package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

const (
	tryTimeout = 10 * time.Second
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// retrier tries operations on the bus again until they succeed.
type retrier struct {
	log     *slog.Logger
	metrics *metrics
}

// do calls f until it succeeds, ctx ends, or the error is one that no time heals.
// Every failure is counted and logged.
func (r retrier) do(ctx context.Context, operation string, f func(ctx context.Context) error) error {
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		err := try(ctx, f)
		if err == nil || ctx.Err() != nil {
			return cause(ctx, err)
		}
		r.metrics.failures.WithLabelValues(operation).Inc()
		if permanent(err) {
			return err
		}
		r.log.Warn("broker does not answer, trying again", "operation", operation, "error", err, "in", backoff)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(backoff):
		}
	}
}

// cause prefers the end of ctx to the error that it led to.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func try(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	return f(ctx)
}

func permanent(err error) bool {
	var refusal *messages.Refusal
	return errors.Is(err, bus.ErrTaken) || errors.Is(err, bus.ErrClosed) || errors.As(err, &refusal)
}

// swap writes a key that only this learner may write; revision is that of its last
// write. Another writer's value gives an error that wraps bus.ErrTaken. A write
// whose answer was lost is recognised when it is tried again.
func swap(ctx context.Context, kv bus.KV, key string, value []byte, revision uint64) (uint64, error) {
	written, err := kv.Update(ctx, key, value, revision)
	if !errors.Is(err, bus.ErrTaken) {
		return written, err
	}
	there, getErr := kv.Get(ctx, key)
	if getErr != nil {
		return 0, fmt.Errorf("%s: %w", key, getErr)
	}
	if !bytes.Equal(there.Value, value) {
		return 0, fmt.Errorf("another learner is at work: %s: %w", key, err)
	}
	return there.Revision, nil
}
