package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"croupier/messages"
)

// dedupWindow is how long a stream knows the ids of messages, so that one that is
// sent again after a lost acknowledgement is kept once.
const dedupWindow = 2 * time.Minute

// Names on the broker: CROUPIER_<run>_<STREAM>, croupier.<run>.<stream>.<subject>.

func (b *natsBus) bucket(name string) string { return "CROUPIER_" + b.opts.Run + "_" + name }

func (b *natsBus) stream(s Stream) string { return b.bucket(strings.ToUpper(s.String())) }

func (b *natsBus) subjects(s Stream) string { return "croupier." + b.opts.Run + "." + s.String() + "." }

// announcements is before the subject of what a stream has stored, on which the stream itself says so. Followers
// listen there: what a key of its own publishes does not reach the subscriptions of another such key.
const announcements = "stored."

// announced has a stream that is followed announce what it has stored, by the headers.
func announced() *jetstream.RePublish {
	return &jetstream.RePublish{Source: ">", Destination: announcements + ">", HeadersOnly: true}
}

// asset is a stream, or the stream below a bucket, with the limits that may change
// during its life.
type asset struct {
	name    string
	storage jetstream.StorageType
	bytes   int64
	age     time.Duration // 0: for ever
	message int           // largest message, 0: any
	subject int           // most messages of one subject, 0: any number
	// subjects of a stream; nil: those of a bucket, which its kind knows
	subjects []string
	followed bool // by roles that announcements are for
	// optional: a role that does not create it does without, as in runs of older programs.
	optional bool
	create   func(ctx context.Context, replicas int) error
}

// assets lists everything that a run keeps on the broker (docs/reference/messages.md).
func (b *natsBus) assets() []asset {
	l := &b.opts.Limits
	return []asset{
		b.newStream(Experience, jetstream.MemoryStorage, l.ExperienceBytes, l.ExperienceAge),
		b.newStream(Kept, jetstream.MemoryStorage, l.KeptBytes, 0),
		b.newStream(Matches, jetstream.FileStorage, l.MatchBytes, 0),
		b.newStream(Results, jetstream.FileStorage, l.ResultBytes, 0),
		b.newStream(Curves, jetstream.FileStorage, l.CurveBytes, 0),
		b.newStream(Contests, jetstream.FileStorage, ContestBytes, ContestAge),
		b.newStream(Outcomes, jetstream.FileStorage, OutcomeBytes, ContestAge),
		b.newKV("STATE", jetstream.FileStorage, l.StateBytes, 0),
		b.newKV("ROLES", jetstream.MemoryStorage, RoleBytes, l.RoleTTL),
		b.newObjects(l.ObjectBytes),
	}
}

// filters are what the subjects of a stream look like: one token, in Results and Contests two, in Outcomes three, in
// those of several learning agents one or two.
func (b *natsBus) filters(s Stream) []string {
	one, two := b.subjects(s)+"*", b.subjects(s)+"*.*"
	switch s {
	case Results, Contests:
		return []string{two}
	case Outcomes:
		return []string{two + ".*"}
	case Experience, Curves:
		return []string{one, two}
	}
	return []string{one}
}

func (b *natsBus) newStream(s Stream, storage jetstream.StorageType, bytes int64, age time.Duration) asset {
	a := asset{
		name: b.stream(s), subjects: b.filters(s), storage: storage, bytes: bytes, age: age,
		message: b.opts.Limits.Largest(s) + headerBytes, followed: s == Results || s == Curves || s == Outcomes,
		optional: s == Contests || s == Outcomes,
	}
	if most, bounded := b.opts.Limits.PerSubject(s); bounded {
		a.subject = most
	}
	a.create = func(ctx context.Context, replicas int) error {
		cfg := jetstream.StreamConfig{
			Name: a.name, Subjects: a.subjects, Storage: storage, Replicas: replicas,
			MaxBytes: bytes, MaxAge: age, MaxMsgs: -1, MaxMsgSize: int32(a.message), MaxConsumers: 256,
			Discard: jetstream.DiscardOld, Duplicates: a.dedup(), AllowDirect: true,
		}
		switch s {
		case Matches, Contests:
			cfg.Retention, cfg.Discard = jetstream.WorkQueuePolicy, jetstream.DiscardNew
		case Experience, Kept:
			cfg.MaxMsgsPerSubject = int64(a.subject)
		case Results:
			cfg.Discard, cfg.DiscardNewPerSubject, cfg.MaxMsgsPerSubject = jetstream.DiscardNew, true, 1
			cfg.DenyDelete = true
		}
		if a.followed {
			cfg.RePublish = announced()
		}
		_, err := b.js.CreateStream(ctx, cfg)
		return err
	}
	return a
}

func (b *natsBus) newKV(name string, storage jetstream.StorageType, bytes int64, ttl time.Duration) asset {
	bucket := b.bucket(name)
	cfg := jetstream.KeyValueConfig{Bucket: bucket, Storage: storage, MaxBytes: bytes, TTL: ttl, History: 1,
		RePublish: announced()}
	if ttl > 0 {
		cfg.LimitMarkerTTL = ttl // watchers learn that a key expired
	}
	return asset{name: "KV_" + bucket, storage: storage, bytes: bytes, age: ttl, followed: true,
		create: func(ctx context.Context, replicas int) error {
			cfg.Replicas = replicas
			_, err := b.js.CreateKeyValue(ctx, cfg)
			return err
		}}
}

func (b *natsBus) newObjects(bytes int64) asset {
	bucket := b.bucket("OBJECTS")
	return asset{name: objectStream(bucket), storage: jetstream.FileStorage, bytes: bytes,
		create: func(ctx context.Context, replicas int) error {
			_, err := b.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
				Bucket: bucket, Storage: jetstream.FileStorage, MaxBytes: bytes, Replicas: replicas,
			})
			return err
		}}
}

// dedup is the window in which ids are known; it must not exceed the greatest age.
func (a *asset) dedup() time.Duration {
	if a.age > 0 {
		return min(a.age, dedupWindow)
	}
	return dedupWindow
}

// shared lists the consumers that roles share. Those of a stream in memory are gone with it.
func (b *natsBus) shared() []*natsConsumer {
	list := []*natsConsumer{
		{bus: b, stream: Matches, name: messages.ArenaConsumer}, {bus: b, stream: Contests, name: messages.ArenaConsumer},
		{bus: b, stream: Kept, name: messages.ArchiveConsumer},
	}
	for _, agent := range b.opts.Agents {
		list = append(list, &natsConsumer{
			bus: b, stream: Experience, name: messages.LearnerOf(agent), filter: messages.ExperienceFilter(agent),
		})
	}
	return list
}

// ensure creates the asset, or changes its limits to what they should be. It
// reports whether it had to be created. A role that does not create gives an error that
// can pass while the asset is not there.
func (b *natsBus) ensure(ctx context.Context, a asset) (created bool, err error) {
	stream, err := b.js.Stream(ctx, a.name)
	if err == nil && !b.opts.Create {
		return false, nil
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) && b.opts.Create {
		err = a.create(ctx, max(b.opts.Replicas, 1))
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	have := stream.CachedInfo().Config
	if have.Storage != a.storage {
		return false, fmt.Errorf("it exists with %v storage and needs %v: delete it, or name another run", have.Storage,
			a.storage)
	}
	want := have
	want.MaxBytes, want.MaxAge = a.bytes, a.age
	want.Duplicates = min(have.Duplicates, a.dedup())
	if a.message > 0 {
		want.MaxMsgSize, want.Subjects = int32(a.message), a.subjects
	}
	if a.subject > 0 {
		want.MaxMsgsPerSubject = int64(a.subject)
	}
	if b.opts.Replicas > 0 {
		want.Replicas = b.opts.Replicas
	}
	silent := a.followed && have.RePublish == nil // made by an older program
	if silent {
		want.RePublish = announced()
	}
	if !silent && want.MaxBytes == have.MaxBytes && want.MaxAge == have.MaxAge &&
		want.MaxMsgSize == have.MaxMsgSize && want.MaxMsgsPerSubject == have.MaxMsgsPerSubject &&
		want.Replicas == have.Replicas && slices.Equal(want.Subjects, have.Subjects) {
		return false, nil
	}
	b.log.Info("limits of a stream changed", "stream", a.name, "bytes", want.MaxBytes, "age", want.MaxAge,
		"message_bytes", want.MaxMsgSize, "replicas", want.Replicas)
	_, err = b.js.UpdateStream(ctx, want)
	return false, err
}

// restore makes sure of all assets and of the consumers that roles share: those in memory
// are gone after a restart of the broker. Everything that follows a stream or bucket begins again when one had to be
// created, or when always is set.
func (b *natsBus) restore(ctx context.Context, always bool) error {
	b.restoring.Lock()
	defer b.restoring.Unlock()
	recreated := always
	for _, a := range b.assets() {
		if a.optional && !b.opts.Create {
			continue
		}
		created, err := b.ensure(ctx, a)
		if err != nil {
			return fmt.Errorf("stream %s: %w", a.name, err)
		}
		recreated = recreated || created
	}
	if b.opts.Create {
		for _, c := range b.shared() {
			if err := c.open(ctx); err != nil {
				return fmt.Errorf("consumer %s of %v: %w", c.name, c.stream, err)
			}
		}
	}
	if recreated {
		b.epochs.begin(b.ctx)
	}
	return nil
}

// suspectLoss has keep look after the assets.
func (b *natsBus) suspectLoss() {
	select {
	case b.lost <- struct{}{}:
	default:
	}
}

// keep restores the assets whenever they may have been lost.
func (b *natsBus) keep() {
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-b.lost:
		}
		err := b.do(b.ctx, "restore streams", func(ctx context.Context) error { return b.restore(ctx, true) })
		if err != nil && b.ctx.Err() == nil {
			b.log.Error("streams not restored", "error", err)
		}
	}
}

// epochs cuts time where the assets may have been made again: whatever follows a
// stream does so under the context of an epoch, and starts again in the next.
type epochs struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
}

// begin ends the present epoch and begins one that lasts as long as parent at most.
func (e *epochs) begin(parent context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cancel != nil {
		e.cancel()
	}
	e.ctx, e.cancel = context.WithCancel(parent)
}

// present returns a context that ends with the present epoch.
func (e *epochs) present() context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ctx
}

// within returns a context that ends with ctx or with the present epoch.
func (e *epochs) within(ctx context.Context) (context.Context, context.CancelFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
