package bus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// objectTimeout bounds one transfer of an object of some megabytes.
const objectTimeout = 30 * time.Second

// missingChunkPause is the time after which a chunk that was not there is asked for again.
const missingChunkPause = 50 * time.Millisecond

// objectStream is the stream below an object store.
func objectStream(bucket string) string { return "OBJ_" + bucket }

// object runs a request about one object until it succeeds or fails for good.
func (b *natsBus) object(ctx context.Context, what, name string, request func(ctx context.Context) error) error {
	what = fmt.Sprintf("%s object %.80s", what, name)
	if err := CheckObject(name); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return b.doWithin(ctx, objectTimeout, what, func(ctx context.Context) error {
		err := request(ctx)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return ErrNotFound
		}
		return err
	})
}

// PutObject implements Bus.
func (b *natsBus) PutObject(ctx context.Context, name string, data []byte) error {
	digest := sha256.New()
	digest.Write(data)
	tried := false
	return b.object(ctx, "put", name, func(ctx context.Context) error {
		if err := b.opts.Limits.CheckObjectSize(len(data)); err != nil {
			return err
		}
		info, err := b.objects.GetInfo(ctx, name)
		switch {
		case errors.Is(err, jetstream.ErrObjectNotFound):
			tried = true
			_, err = b.objects.PutBytes(ctx, name, data)
			return err
		case err != nil:
			return err
		case tried && info.Digest == jetstream.GetObjectDigestValue(digest):
			return nil // of the attempt before this one only the answer was lost
		}
		return ErrTaken
	})
}

// GetObject implements Bus. It reads the chunks itself: the library's reader, if an
// object is deleted while it is read, waits for the rest whatever becomes of ctx.
func (b *natsBus) GetObject(ctx context.Context, name string) (data []byte, err error) {
	err = b.object(ctx, "get", name, func(ctx context.Context) error {
		info, err := b.objects.GetInfo(ctx, name)
		if err != nil {
			return err
		}
		data, err = b.readChunks(ctx, info)
		return err
	})
	return data, err
}

// readChunks returns the bytes of an object.
func (b *natsBus) readChunks(ctx context.Context, info *jetstream.ObjectInfo) ([]byte, error) {
	bucket := b.bucket("OBJECTS")
	stream, err := b.js.Stream(ctx, objectStream(bucket))
	if err != nil {
		return nil, err
	}
	var data []byte
	for next := uint64(1); uint64(len(data)) < info.Size; {
		chunk, err := stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject("$O."+bucket+".C."+info.NUID))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			// The object is gone, or the broker that was asked has not got all of it yet.
			if _, err = b.objects.GetInfo(ctx, info.Name); err == nil {
				b.pause(ctx, missingChunkPause)
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		data, next = append(data, chunk.Data...), chunk.Sequence+1
		// The size that the object claims may be a lie.
		if err := b.opts.Limits.CheckObjectSize(len(data)); err != nil {
			return nil, err
		}
	}
	digest := sha256.New()
	digest.Write(data)
	if info.Digest != jetstream.GetObjectDigestValue(digest) {
		return nil, errors.New("its digest is not that of its bytes")
	}
	return data, nil
}

// DeleteObject implements Bus. It leaves no trace of the name, so that a learner that
// replaces its weights every second does not fill the bucket with markers.
func (b *natsBus) DeleteObject(ctx context.Context, name string) error {
	bucket := b.bucket("OBJECTS")
	marker := "$O." + bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
	deleted := false
	return b.object(ctx, "delete", name, func(ctx context.Context) error {
		if !deleted {
			if _, err := b.objects.GetInfo(ctx, name); err != nil {
				return err
			}
			if err := b.objects.Delete(ctx, name); err != nil {
				return err
			}
			deleted = true
		}
		stream, err := b.js.Stream(ctx, objectStream(bucket))
		if err != nil {
			return err
		}
		return stream.Purge(ctx, jetstream.WithPurgeSubject(marker))
	})
}

// ListObjects implements Bus.
func (b *natsBus) ListObjects(ctx context.Context) (names []string, err error) {
	err = b.do(ctx, "list objects", func(ctx context.Context) error {
		names = nil
		return b.objectInfos(ctx, func(o *jetstream.ObjectInfo) {
			if !o.Deleted {
				names = append(names, o.Name)
			}
		})
	})
	slices.Sort(names)
	return names, err
}

// objectInfos calls see for what is known of each object, markers of deleted ones included.
func (b *natsBus) objectInfos(ctx context.Context, see func(*jetstream.ObjectInfo)) error {
	bucket := b.bucket("OBJECTS")
	var bad error
	f := &follower{bus: b, stream: objectStream(bucket), filter: "$O." + bucket + ".M.*", next: 1}
	f.deliver = func(_ context.Context, m *storedMessage) bool {
		info := &jetstream.ObjectInfo{}
		if bad = json.Unmarshal(m.data, info); bad != nil {
			bad = fmt.Errorf("%s: %w", m.subject, bad)
			return false
		}
		see(info)
		return true
	}
	f.reached = func(context.Context) bool { return true }
	err := f.all(ctx)
	return cmp.Or(bad, err)
}
