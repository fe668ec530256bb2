package bus

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// sweepEvery is the time between two sweeps, well above that of putting an object: an object that
// is being put, whose name comes after its bytes, is no leftover.
const sweepEvery = MarkerLife / 2

// leftovers are subjects of a stream that nothing refers to any more, with the sequence of their
// newest message where it matters.
type leftovers map[string]uint64

// sweep removes leftovers until the bus is closed: chunks of objects that were not put or deleted
// to the end because somebody was killed, markers of deleted objects, and markers of deleted keys
// of State, which watchers have seen by then. What is purged was a leftover already at the
// sweep before, and has not changed since.
func (b *natsBus) sweep(every time.Duration) {
	streams := map[string]func(context.Context) (leftovers, error){
		objectStream(b.bucket("OBJECTS")): b.leftoverObjects,
		"KV_" + b.bucket("STATE"):         b.leftoverKeys,
	}
	before := map[string]leftovers{}
	for {
		b.pause(b.ctx, every)
		if b.ctx.Err() != nil {
			return
		}
		for stream, find := range streams {
			found, err := find(b.ctx)
			if err == nil {
				err = b.removeLeftovers(stream, found, before[stream])
			}
			if err != nil && b.ctx.Err() == nil {
				b.log.Debug("leftovers not removed", "stream", stream, "error", err)
			}
			before[stream] = found
		}
	}
}

// leftoverObjects finds chunks of no object, and markers of deleted ones.
func (b *natsBus) leftoverObjects(ctx context.Context) (leftovers, error) {
	bucket := b.bucket("OBJECTS")
	chunks := "$O." + bucket + ".C."
	found := leftovers{}
	err := b.do(ctx, "list chunks", func(ctx context.Context) error {
		stream, err := b.js.Stream(ctx, objectStream(bucket))
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(chunks+">"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			found[subject] = 0
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// An object that was put meanwhile is known after its chunks.
	err = b.objectInfos(ctx, func(o *jetstream.ObjectInfo) {
		if o.Deleted {
			found["$O."+bucket+".M."+base64.URLEncoding.EncodeToString([]byte(o.Name))] = 0
		} else {
			delete(found, chunks+o.NUID)
		}
	})
	return found, err
}

// leftoverKeys finds the markers of deleted keys of State.
func (b *natsBus) leftoverKeys(ctx context.Context) (leftovers, error) {
	bucket, found := b.bucket("STATE"), leftovers{}
	f := &follower{bus: b, stream: "KV_" + bucket, filter: "$KV." + bucket + ".>", next: 1}
	f.deliver = func(_ context.Context, m *storedMessage) bool {
		if delete(found, m.subject); m.removed() {
			found[m.subject] = m.sequence
		}
		return true
	}
	f.reached = func(context.Context) bool { return true }
	return found, f.all(ctx)
}

// removeLeftovers removes from a stream what was a leftover before as it is now.
func (b *natsBus) removeLeftovers(stream string, now, before leftovers) error {
	for subject, sequence := range now {
		if seen, was := before[subject]; !was || seen != sequence {
			continue
		}
		options := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(subject)}
		if sequence > 0 {
			options = append(options, jetstream.WithPurgeSequence(sequence+1))
		}
		err := b.attempt(b.ctx, attemptTimeout, func(ctx context.Context) error {
			s, err := b.js.Stream(ctx, stream)
			if err != nil {
				return err
			}
			return s.Purge(ctx, options...)
		})
		if err != nil {
			return err
		}
		b.log.Debug("leftover removed", "stream", stream, "subject", subject)
	}
	return nil
}
