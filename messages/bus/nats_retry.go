package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// attemptTimeout bounds one request to the broker. A broker with a full disk, or a
// cluster without a leader, does not answer at all.
const attemptTimeout = 5 * time.Second

// warnEvery spaces the warnings of one operation that cannot succeed.
const warnEvery = 10 * time.Second

// do runs a request until it succeeds, fails for good, or ctx or the bus ends. The
// request must be one that may be repeated.
func (b *natsBus) do(ctx context.Context, what string, request func(ctx context.Context) error) error {
	return b.doWithin(ctx, attemptTimeout, what, request)
}

// doWithin is do with another bound on one attempt.
func (b *natsBus) doWithin(ctx context.Context, bound time.Duration, what string,
	request func(ctx context.Context) error) error {
	var warned time.Time
	var last error // why the attempt before this one failed
	for attempt := 0; ; attempt++ {
		err := b.attempt(ctx, bound, request)
		switch {
		case err == nil:
			return nil
		case b.ctx.Err() != nil || errors.Is(err, nats.ErrConnectionClosed):
			return fmt.Errorf("%s: %w", what, ErrClosed)
		case ctx.Err() != nil && last != nil:
			return fmt.Errorf("%s: %w (before that: %w)", what, ctx.Err(), last)
		case ctx.Err() != nil:
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case !transient(err):
			return fmt.Errorf("%s: %w", what, err)
		}
		if last = err; errors.Is(err, context.DeadlineExceeded) {
			last = fmt.Errorf("no answer within %v", bound)
		}
		if gone(err) {
			b.suspectLoss()
		}
		if attempt > 0 && time.Since(warned) > warnEvery {
			warned = time.Now()
			b.log.Warn("NATS request failed; retrying", "operation", what, "error", last)
		}
		b.pause(ctx, backoff(attempt))
	}
}

// send is do for a request that publishes to a subject, or to any if that is empty. To what the key does not allow
// there is no answer: the request ends as soon as the broker reports that it refuses it.
func (b *natsBus) send(ctx context.Context, what, subject string, request func(ctx context.Context) error) error {
	return b.do(ctx, what, func(ctx context.Context) error {
		ctx, leave := b.forbidden.within(ctx, subject)
		defer leave()
		err := request(ctx)
		if refusal := context.Cause(ctx); err != nil && errors.Is(refusal, nats.ErrPermissionViolation) {
			return refusal
		}
		return err
	})
}

// attempt runs a request once, for a bounded time and while the connection lasts.
func (b *natsBus) attempt(ctx context.Context, bound time.Duration, request func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	ctx, leave := b.link.within(ctx)
	defer leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	err := offline(request(ctx))
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		err = cmp.Or(b.forbidden.since(began), err)
	}
	return err
}

// offline says of what cannot be sent for want of a connection that it is so. NATS speaks of the buffer for it, which
// there is none of here.
func offline(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) {
		return nats.ErrDisconnected
	}
	return err
}

// forbidden remembers what the broker refused because the key does not allow it. To the request
// itself it gives no answer.
type forbidden struct {
	mu       sync.Mutex
	newest   error
	at       time.Time
	subjects map[string]bool // to which publishing was refused
	waiting  map[*sending]bool
}

// sending is a request that waits for an answer.
type sending struct {
	subject string // to which it publishes; empty: any
	end     context.CancelCauseFunc
}

// within returns a context that ends when publishing to the subject is refused.
func (f *forbidden) within(ctx context.Context, subject string) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	s := &sending{subject, end}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting == nil {
		f.waiting = map[*sending]bool{}
	}
	f.waiting[s] = true
	return ctx, func() {
		end(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.waiting, s)
	}
}

// maxForbidden bounds how many subjects are remembered.
const maxForbidden = 1024

var publishRefused = regexp.MustCompile(`Publish to "([^"]+)"`)

func (f *forbidden) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest, f.at = fmt.Errorf("the key does not allow it: %w", err), time.Now()
	m := publishRefused.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	if f.subjects == nil {
		f.subjects = map[string]bool{}
	}
	if len(f.subjects) < maxForbidden {
		f.subjects[m[1]] = true
	}
	for s := range f.waiting {
		if s.subject == "" || s.subject == m[1] {
			s.end(f.newest)
		}
	}
}

// since returns the newest refusal, if it came after a time.
func (f *forbidden) since(t time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.Before(t) {
		return nil
	}
	return f.newest
}

// publishing returns the refusal to publish to a subject, if there was one. A key that has
// got more rights is tried again after a reconnection.
func (f *forbidden) publishing(subject string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subjects[subject] {
		return fmt.Errorf("the key does not allow to publish to %s: %w", subject, nats.ErrPermissionViolation)
	}
	return nil
}

// forget begins again.
func (f *forbidden) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subjects = nil
}

// pause sleeps until ctx or the bus ends.
func (b *natsBus) pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-b.ctx.Done():
	}
}

// gone reports whether an error says that a stream, bucket or consumer is not there:
// what is in memory is lost when the broker restarts.
func gone(err error) bool {
	for _, missing := range []error{
		jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrConsumerNotFound,
		jetstream.ErrConsumerDoesNotExist, jetstream.ErrConsumerDeleted,
		jetstream.ErrNoStreamResponse, nats.ErrNoResponders,
	} {
		if errors.Is(err, missing) {
			return true
		}
	}
	return false
}

// Error codes of the server that nats.go does not name.
const (
	codeNoRoom                jetstream.ErrorCode = 10002 // the broker's disk is nearly full
	codeInsufficientResources jetstream.ErrorCode = 10023
	codeNoMemory              jetstream.ErrorCode = 10028
	codeStoreFailed           jetstream.ErrorCode = 10077
)

// transient reports whether the same request can succeed later.
func transient(err error) bool {
	if gone(err) {
		return true
	}
	for _, passing := range []error{
		nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded,
		nats.ErrStaleConnection, context.DeadlineExceeded, context.Canceled,
		jetstream.ErrAsyncPublishTimeout, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown,
		jetstream.ErrConsumerLeadershipChanged, errUnderWay,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == codeNoRoom {
		return true
	}
	if api == nil || api.Code != 503 {
		return false
	}
	switch api.ErrorCode {
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount,
		codeInsufficientResources, codeNoMemory, codeStoreFailed:
		return false
	}
	return true // a cluster that has no leader just now
}
