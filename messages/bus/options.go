package bus

import (
	"cmp"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"croupier/internal/strict"
	"croupier/messages"
	"croupier/messages/presence"
)

// Sizes bound what the streams and buckets of a run hold on the broker. They are settings of the run.
type Sizes struct {
	// ExperienceBytes and ExperienceAge bound the training games that wait for the learner, in memory.
	// The oldest go first.
	ExperienceBytes int64         `yaml:"experience_bytes"`
	ExperienceAge   time.Duration `yaml:"experience_age"`
	// KeptBytes bounds the games on their way to the archive, in memory; the oldest go first.
	KeptBytes int64 `yaml:"kept_bytes"`
	// MatchBytes and ResultBytes bound the matches that wait and the results that the league has not
	// taken over into its snapshot. New ones are refused when they are full.
	MatchBytes  int64 `yaml:"match_bytes"`
	ResultBytes int64 `yaml:"result_bytes"`
	// CurveBytes bounds the learning curves; the oldest points go first.
	CurveBytes int64 `yaml:"curve_bytes"`
	// ObjectBytes bounds the weights of all versions, StateBytes what roles write for one another. New ones
	// are refused when they are full.
	ObjectBytes int64 `yaml:"object_bytes"`
	StateBytes  int64 `yaml:"state_bytes"`
}

// DefaultSizes returns the sizes of a run on one machine.
func DefaultSizes() Sizes {
	return Sizes{
		ExperienceBytes: 64 << 20,         // seconds of play of a dozen actors
		ExperienceAge:   60 * time.Second, // about ten updates of the learner
		KeptBytes:       8 << 20,          // minutes without an archive
		MatchBytes:      16 << 20,         // a hundred thousand matches
		ResultBytes:     1 << 30,          // millions of results
		CurveBytes:      256 << 20,        // weeks of training
		ObjectBytes:     4 << 30,          // thousands of frozen networks
		StateBytes:      64 << 20,
	}
}

// The least and the most that a stream may be allowed to hold, in bytes.
const (
	leastSize = 1 << 20
	mostSize  = 1 << 50
)

// Validate names the first size that is out of range.
func (s Sizes) Validate() error {
	for _, size := range []struct {
		name  string
		bytes int64
	}{
		{"experience_bytes", s.ExperienceBytes}, {"kept_bytes", s.KeptBytes}, {"match_bytes", s.MatchBytes},
		{"result_bytes", s.ResultBytes}, {"curve_bytes", s.CurveBytes}, {"object_bytes", s.ObjectBytes},
		{"state_bytes", s.StateBytes},
	} {
		if size.bytes < leastSize || size.bytes > mostSize {
			return strict.Errorf(size.name, "%d is not in %d..%d", size.bytes, leastSize, int64(mostSize))
		}
	}
	if s.ExperienceAge < time.Second || s.ExperienceAge > time.Hour {
		return strict.Errorf("experience_age", "%v is not in 1s..1h", s.ExperienceAge)
	}
	return nil
}

// Options are the limits with which streams and buckets are created. All roles of a
// run should have the same; the limits of what exists are changed to these.
type Options struct {
	Sizes
	BatchBytes   int           // largest batch of experience or of games for the archive
	ActorBatches int           // most batches of one actor kept in Experience, and in Kept
	Lease        time.Duration // time to acknowledge a fetched message
	MatchLease   time.Duration // the same for matches, which the actor that plays them renews while it lives
	MaxDeliver   int           // times a match or batch of experience is given out at most
	RoleTTL      time.Duration // how long a heartbeat stays, at least 1 s
	MaxMessage   int           // largest message in bytes
	MaxObject    int           // largest object in bytes
}

// RoleBytes bounds the Roles bucket: a thousand heartbeats of some kilobytes.
const RoleBytes = 8 << 20

// Contests and Outcomes hold what tournaments have under way: hundreds of matches, and their results until those who
// asked have them.
const (
	ContestBytes = 4 << 20
	OutcomeBytes = 32 << 20
	ContestAge   = 10 * time.Minute
)

// MarkerLife is about how long State remembers that a key was deleted, so that watchers see it.
const MarkerLife = 10 * time.Minute

// DefaultOptions returns the limits of a run on one machine.
func DefaultOptions() Options {
	return Options{
		Sizes:        DefaultSizes(),
		BatchBytes:   256 << 10, // a game of 40,000 steps
		ActorBatches: 128,       // tenths of a second of play; a flood of one actor fills half of the stream
		Lease:        30 * time.Second,
		MatchLease:   presence.Lifetime, // the gate waits for the sets of an actor that has died
		MaxDeliver:   5,
		RoleTTL:      presence.Lifetime,
		MaxMessage:   messages.MaxMessage,
		MaxObject:    256 << 20, // a network of 64 million weights
	}
}

// WithDefaults puts the default where a limit is zero.
func (o Options) WithDefaults() Options {
	d := DefaultOptions()
	orElse(&o.ExperienceBytes, d.ExperienceBytes)
	orElse(&o.ExperienceAge, d.ExperienceAge)
	orElse(&o.BatchBytes, min(d.BatchBytes, cmp.Or(o.MaxMessage, d.MaxMessage)))
	orElse(&o.ActorBatches, d.ActorBatches)
	orElse(&o.KeptBytes, d.KeptBytes)
	orElse(&o.MatchBytes, d.MatchBytes)
	orElse(&o.ResultBytes, d.ResultBytes)
	orElse(&o.CurveBytes, d.CurveBytes)
	orElse(&o.ObjectBytes, d.ObjectBytes)
	orElse(&o.StateBytes, d.StateBytes)
	orElse(&o.Lease, d.Lease)
	orElse(&o.MatchLease, d.MatchLease)
	orElse(&o.MaxDeliver, d.MaxDeliver)
	orElse(&o.RoleTTL, d.RoleTTL)
	orElse(&o.MaxMessage, d.MaxMessage)
	orElse(&o.MaxObject, d.MaxObject)
	return o
}

func orElse[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// Validate reports which limit makes no sense. Zero stands for the default.
func (o Options) Validate() error {
	o = o.WithDefaults()
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"experience_bytes", o.ExperienceBytes}, {"experience_age", int64(o.ExperienceAge)},
		{"batch_bytes", int64(o.BatchBytes)}, {"actor_batches", int64(o.ActorBatches)},
		{"kept_bytes", o.KeptBytes}, {"match_bytes", o.MatchBytes}, {"result_bytes", o.ResultBytes},
		{"curve_bytes", o.CurveBytes},
		{"object_bytes", o.ObjectBytes}, {"state_bytes", o.StateBytes}, {"lease", int64(o.Lease)},
		{"match_lease", int64(o.MatchLease)},
		{"max_deliver", int64(o.MaxDeliver)}, {"max_message", int64(o.MaxMessage)}, {"max_object", int64(o.MaxObject)},
	} {
		if limit.value < 0 {
			return fmt.Errorf("bus: %s is negative", limit.name)
		}
	}
	if o.RoleTTL < time.Second {
		return fmt.Errorf("bus: role_ttl %v is less than 1 s", o.RoleTTL)
	}
	if o.MaxMessage > messages.MaxMessage {
		return fmt.Errorf("bus: max_message %d is more than %d", o.MaxMessage, messages.MaxMessage)
	}
	if o.BatchBytes > o.MaxMessage {
		return fmt.Errorf("bus: batch_bytes %d is more than max_message, %d", o.BatchBytes, o.MaxMessage)
	}
	return nil
}

// CheckMessage reports why something cannot be published.
func (o Options) CheckMessage(stream Stream, subject string, data []byte) error {
	check := messages.CheckToken
	switch stream {
	case Results:
		check = messages.CheckResultSubject
	case Experience, Curves:
		check = messages.CheckAgentSubject
	case Contests:
		check = messages.CheckContestSubject
	case Outcomes:
		check = messages.CheckOutcomeSubject
	}
	if err := check(subject); err != nil {
		return fmt.Errorf("publish to %v: %w", stream, err)
	}
	if limit := o.Largest(stream); len(data) > limit {
		return fmt.Errorf("publish to %v: %d bytes is more than the limit of %d", stream, len(data), limit)
	}
	return nil
}

// Largest is the most bytes of a message in a stream.
func (o Options) Largest(stream Stream) int {
	if _, bounded := o.PerSubject(stream); bounded {
		return o.BatchBytes
	}
	return o.MaxMessage
}

// PerSubject is the most messages that a stream keeps of one subject, where actors could
// drive out one another: of an actor that sends more, only its own oldest go.
func (o Options) PerSubject(stream Stream) (most int, bounded bool) {
	return o.ActorBatches, stream == Experience || stream == Kept
}

// LeaseOf is the time to acknowledge a message of a stream.
func (o Options) LeaseOf(stream Stream) time.Duration {
	if stream == Matches || stream == Contests {
		return o.MatchLease
	}
	return o.Lease
}

// Dropped reports whether a message was given out too often and is to be dropped:
// the actor that took it failed each time. Results, outcomes and curves are never given up.
func (o Options) Dropped(log *slog.Logger, stream Stream, subject string, deliveries int) bool {
	if deliveries <= o.MaxDeliver || stream == Results || stream == Curves || stream == Outcomes {
		return false
	}
	log.Warn("message dropped: nobody acknowledged it", "stream", stream, "subject", subject, "deliveries", deliveries-1)
	return true
}

// checkFilter reports why a filter is none of a consumer: it needs tokens or "*", separated by ".".
func checkFilter(filter string) error {
	for token := range strings.SplitSeq(filter, ".") {
		if token == "*" || filter == "" {
			continue
		}
		if err := messages.CheckToken(token); err != nil {
			return fmt.Errorf("filter %.80q: %w", filter, err)
		}
	}
	return nil
}

// CheckConsumer reports why a consumer cannot have a name and a filter.
func CheckConsumer(name, filter string) error {
	return cmp.Or(messages.CheckToken(name), checkFilter(filter))
}

// Takes reports whether a consumer with a filter is given messages of a subject.
func Takes(filter, subject string) bool {
	return filter == "" || slices.EqualFunc(strings.Split(filter, "."), strings.Split(subject, "."),
		func(want, have string) bool {
			return want == "*" || want == have
		})
}

var (
	keyPattern    = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	objectPattern = regexp.MustCompile(`^[A-Za-z0-9_@.-]+(/[A-Za-z0-9_@.-]+)*$`)
)

const maxName = 256

// CheckKey reports why a key is none of a KV.
func CheckKey(key string) error {
	if len(key) > maxName || !keyPattern.MatchString(key) {
		return fmt.Errorf("invalid key %.80q: it needs tokens separated by \".\"", key)
	}
	return nil
}

// CheckPrefix accepts what KV.Watch can watch.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(strings.TrimSuffix(prefix, "."))
}

// CheckObject reports why a name is none of an object.
func CheckObject(name string) error {
	if len(name) > maxName || !objectPattern.MatchString(name) {
		return fmt.Errorf("%.80q is not the name of an object", name)
	}
	return nil
}

// CheckObjectSize reports when an object is too large to be put or got.
func (o Options) CheckObjectSize(size int) error {
	if size > o.MaxObject {
		return fmt.Errorf("%d bytes is more than the limit of %d", size, o.MaxObject)
	}
	return nil
}
