// Package bus carries messages between roles. The transport is NATS JetStream;
// package memory has one within a process, for tests. One suite runs on both (package
// bustest).
//
// A Bus belongs to one run. What is kept, where and with which limits:
//
//   - Experience: a bounded stream in memory. When it is full or messages are too
//     old, the oldest go first; of a subject with too many messages its own oldest. Readers
//     take batches and acknowledge each.
//   - Matches: a work queue on disk. A match that is fetched and not acknowledged
//     within the lease is given to somebody else, at most MaxDeliver times; then it
//     is dropped, with a warning in the log.
//   - Results: a stream on disk with one subject per match and actor (messages.ResultSubject);
//     a second message for a subject is refused.
//   - Contests: as Matches, of tournaments that the run's actors play next to its league. What
//     no actor has taken for ContestAge is gone: the holder of the tournament asks again.
//   - Outcomes: the results of Contests, as old as ContestAge at most; the oldest go first.
//   - Kept: games for the archive, a bounded stream in memory. What is published to it is
//     sent and forgotten: it is not waited for, and may be lost.
//   - Curves: a stream on disk, bounded, read from the beginning by everybody.
//   - Objects: immutable bytes under a name (weights).
//   - State: small keyed values with revisions (pointers, population, ledgers).
//   - Roles: small keyed values that expire (heartbeats).
//
// Datagrams (Send, Subscribe) are not stored: they reach only those that are subscribed at that moment.
//
// The bus is the layer that tries again. A call that fails for a reason that can pass is
// repeated until its context ends, and a repetition does no more than one success: so an
// error is for good, or says that the caller's time is over. Callers do not repeat calls;
// docs/reference/messages.md lists the few that keep what they could not deliver, and why.
package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"croupier/messages"
)

// Errors that every transport returns, wrapped with what was being done.
var (
	// ErrTaken: a result of this actor for this match, an object of this name, or a newer revision
	// of this key is already there.
	ErrTaken = errors.New("already there")
	// ErrNotFound: no object or key of this name.
	ErrNotFound = errors.New("not found")
	// ErrClosed: the bus was closed.
	ErrClosed = errors.New("bus closed")
)

// UnacknowledgedError is returned by Publish to Experience, and by Close, when
// earlier messages to Experience were not acknowledged by the broker: they are lost,
// or at least it is not known. The message of the call itself was sent.
type UnacknowledgedError struct {
	Count int
	Err   error // of the newest of them
}

func (e *UnacknowledgedError) Error() string {
	return fmt.Sprintf("%d earlier messages not acknowledged: %v", e.Count, e.Err)
}

func (e *UnacknowledgedError) Unwrap() error { return e.Err }

// Stream names one of the bus's streams.
type Stream int

// The streams of a run.
const (
	Experience Stream = iota
	Matches
	Results
	Curves
	Kept
	Contests
	Outcomes
)

// Streams lists all of them.
var Streams = []Stream{Experience, Matches, Results, Curves, Kept, Contests, Outcomes}

func (s Stream) String() string {
	return [...]string{"experience", "matches", "results", "curves", "kept", "contests", "outcomes"}[s]
}

// Queue reports whether a stream is a work queue: what is acknowledged is gone, and it is not read otherwise.
func (s Stream) Queue() bool { return s == Matches || s == Contests }

// Message is a delivered message.
type Message interface {
	Data() []byte
	// Subject is the part given to Publish.
	Subject() string
	// Sequence is the message's number in its stream, from 1, without gaps at publication.
	Sequence() uint64
	// Deliveries is how often the message has been delivered by this consumer, from 1
	// (always 1 from Read).
	Deliveries() int
	// Ack reports that the message is done with. In a work queue it is removed.
	Ack(ctx context.Context) error
	// Nak gives it back for redelivery after a delay.
	Nak(delay time.Duration) error
	// InProgress renews the lease.
	InProgress() error
}

// Consumer is a durable place in a stream, shared by all who open it by its name.
// Delivery is at least once: what was acknowledged just before the broker was killed
// may come again.
type Consumer interface {
	// Fetch waits up to wait for at least one message and returns up to n.
	// No message in time is an empty result without an error.
	Fetch(ctx context.Context, n int, wait time.Duration) ([]Message, error)
	// Pending returns how many messages for the consumer are not yet delivered. Of Experience, own is how many of
	// them this bus has published, with those of which it does not know yet whether they are stored.
	Pending(ctx context.Context) (all, own uint64, err error)
	// Close stops reading; the place is kept.
	Close() error
}

// Entry is a keyed value.
type Entry struct {
	Key      string
	Value    []byte // nil when the key was deleted or has expired
	Revision uint64
}

// KV is a bucket of keyed values.
type KV interface {
	// Get returns ErrNotFound for a key that is not there.
	Get(ctx context.Context, key string) (Entry, error)
	// Put writes unconditionally and returns the new revision.
	Put(ctx context.Context, key string, value []byte) (uint64, error)
	// Update writes only if the key's revision is the given one (0: the key must not
	// exist), else ErrTaken.
	Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	Delete(ctx context.Context, key string) error
	// Watch sends the present value of every key with the prefix ("" for all; else a
	// prefix that ends in "."; or a whole key), and then every change, until ctx or the
	// bus ends; then the channel is closed. After the last of the present values comes
	// one Entry with an empty Key. It carries on by itself after a lost connection. A
	// slow receiver may miss values that were replaced meanwhile, never the newest.
	Watch(ctx context.Context, prefix string) (<-chan Entry, error)
}

// StreamInfo is the state of a stream.
type StreamInfo struct {
	Messages uint64 // kept now
	Bytes    uint64
	First    uint64 // sequence of the oldest kept
	Last     uint64 // sequence of the newest ever published
}

// Bus is one run's transport.
type Bus interface {
	// Publish appends a message and returns once the broker has it; while the broker cannot be reached it waits,
	// until ctx ends. A second message of a subject in Results gives ErrTaken. Subjects are tokens
	// (messages.CheckToken), in Results two (messages.ResultSubject), in Experience and Curves one or two
	// (messages.ExperienceSubject, messages.LearnerKey), in Contests two and in Outcomes three, of which the
	// tournament is the first.
	//
	// Experience is cheaper: Publish returns when the message is sent, and waits only
	// while too many are not yet acknowledged (back-pressure). Failures of earlier
	// ones come back as an UnacknowledgedError. data must not be changed afterwards.
	// Kept is cheaper still: Publish sends the message and waits for nothing, and while
	// the broker cannot be reached it fails at once.
	Publish(ctx context.Context, stream Stream, subject string, data []byte) error
	// MaxMessage is the most bytes of data that Publish takes for a stream.
	MaxMessage(stream Stream) int
	// Consume opens a durable consumer; the stream's messages are divided among all
	// who use the same name. It gets those whose subjects match the filter, in which "*" stands
	// for any token; "" stands for all.
	Consume(ctx context.Context, stream Stream, name, filter string) (Consumer, error)
	// Read sends every message of the stream from sequence `from` on (1: from the
	// beginning), in order, without acknowledgements, until ctx or the bus ends; then
	// the channel is closed. It carries on by itself after a lost connection. After the
	// messages that were there at the call, one nil Message is sent. Matches and Contests,
	// work queues, cannot be read.
	Read(ctx context.Context, stream Stream, from uint64) (<-chan Message, error)
	Info(ctx context.Context, stream Stream) (StreamInfo, error)
	// Queued returns the subjects of the messages of Matches that are not acknowledged.
	Queued(ctx context.Context) ([]string, error)
	// Trim removes the messages of Results with a sequence below the given one: those that
	// the league keeps elsewhere. A reader from before continues after the gap.
	Trim(ctx context.Context, below uint64) error
	// Withdraw removes what Contests and Outcomes have of a tournament, a token.
	Withdraw(ctx context.Context, tournament string) error

	// PutObject stores immutable bytes; ErrTaken if the name is in use. A name has
	// parts of letters, digits, ".", "-", "_" and "@", separated by "/". (NATS cannot
	// refuse the second of two simultaneous puts: put the content's hash in the name.)
	PutObject(ctx context.Context, name string, data []byte) error
	GetObject(ctx context.Context, name string) ([]byte, error)
	DeleteObject(ctx context.Context, name string) error
	ListObjects(ctx context.Context) ([]string, error)

	State() KV
	Roles() KV

	Messenger
}

// Messenger is the part of a Bus that stores nothing, and so needs no streams.
type Messenger interface {
	// Send sends a datagram of at most MaxDatagram bytes to all that are subscribed to its subject at this moment;
	// those of one sender arrive in order. It is not stored, and its arrival is not acknowledged. Subjects are tokens
	// with dots between them. data may be changed afterwards.
	Send(ctx context.Context, subject string, data []byte) error
	// Subscribe returns what is sent to some subjects from now on, in the order in which it arrives, until ctx or the
	// bus ends; then the channel is closed. A subscriber that is more than MaxPending datagrams behind misses some.
	Subscribe(ctx context.Context, subjects ...string) (<-chan []byte, error)
	// SubscribeAll is Subscribe for all subjects that match the filter, in which "*" stands for any token.
	SubscribeAll(ctx context.Context, filter string) (<-chan Datagram, error)

	// Connected reports whether the broker can be reached just now.
	Connected() bool
	// Close waits a while for what is not yet acknowledged and releases everything.
	Close() error
}

// Datagram is a message that is not stored.
type Datagram struct {
	Subject string
	Data    []byte
}

// Limits of datagrams.
const (
	// MaxDatagram is the most bytes of a datagram.
	MaxDatagram = messages.MaxMessage
	// MaxPending is how many datagrams wait for a slow subscriber, at most; later ones are lost to it.
	MaxPending = 1 << 9
)

// CheckSubscription reports why a filter of subjects is not valid.
func CheckSubscription(filter string) error {
	if filter == "" {
		return errors.New("subscribe: empty filter")
	}
	if err := checkFilter(filter); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	return nil
}

// CheckDatagram reports why a datagram cannot be sent.
func CheckDatagram(subject string, data []byte) error {
	for _, token := range strings.Split(subject, ".") {
		if err := messages.CheckToken(token); err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
	if len(data) > MaxDatagram {
		return fmt.Errorf("send %s: %d bytes is more than the limit of %d", subject, len(data), MaxDatagram)
	}
	return nil
}

// Deliver is for transports: it hands v to the receiver of out, and reports whether v was
// taken before the context or the bus (done) ended.
func Deliver[T any](ctx context.Context, done <-chan struct{}, out chan<- T, v T) bool {
	select {
	case out <- v:
		return true
	case <-ctx.Done():
	case <-done:
	}
	return false
}
