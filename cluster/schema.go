package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
)

// The processes of a run can be of different versions while they are upgraded one by one. All
// write in one schema, the run's (State key "schema"), which all of them read. The learner
// raises it once every process that is there reads a newer one.

// settled is how long all processes must read a newer schema before it becomes the run's: one
// that is started again stays away for less.
const settled = 3 * presence.Lifetime

// adoptSchema has this process write in the run's schema from now on until ctx ends; it returns
// once it does. end is called when the run's schema becomes one that this program does not read.
func adoptSchema(ctx context.Context, b bus.Bus, end func(error)) error {
	entries, err := b.State().Watch(ctx, messages.SchemaKey)
	if err != nil {
		return fmt.Errorf("read the run's schema: %w", err)
	}
	for e := range entries {
		if e.Key == "" {
			go func() {
				for e := range entries {
					if err := adopt(e); err != nil {
						end(err)
					}
				}
			}()
			return nil
		}
		if err := adopt(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// adopt takes over the run's schema. A run without one is of the oldest.
func adopt(e bus.Entry) error {
	if e.Value == nil {
		return messages.WriteSchema(messages.OldestSchema)
	}
	version, err := strconv.ParseUint(string(e.Value), 10, 32)
	if err != nil {
		return fmt.Errorf("the run's schema: %w", err)
	}
	return messages.WriteSchema(uint32(version))
}

// readers are the processes of a run and the newest schemas that they read.
type readers struct {
	reads map[string]uint32 // by key of the heartbeat
	since time.Time         // from when on all have read a newer schema than the run's; zero: they do not
}

// note takes in a heartbeat, or that there is none any more. Leases in the same bucket are not
// for it.
func (r *readers) note(e bus.Entry) error {
	if strings.HasPrefix(e.Key, messages.LeasePrefix) {
		return nil
	}
	if e.Value == nil {
		delete(r.reads, e.Key)
		return nil
	}
	var s messages.Status
	if err := messages.Decode(e.Value, &s); err != nil {
		return err
	}
	r.reads[e.Key] = max(s.Reads, 1) // processes that do not say so read the first schema alone
	return nil
}

// next returns the schema that is to be the run's: the present one until all processes have
// read a newer one for long enough.
func (r *readers) next(now time.Time, present uint32) uint32 {
	newest := messages.NewestSchema()
	for _, reads := range r.reads {
		newest = min(newest, reads)
	}
	if newest <= present {
		r.since = time.Time{}
		return present
	}
	if r.since.IsZero() {
		r.since = now
	}
	if now.Sub(r.since) < settled {
		return present
	}
	return newest
}

// schemaRole raises the run's schema. Only the learner's process has it.
func (s *node) schemaRole() role {
	return role{run: func(ctx context.Context) error { return raiseSchema(ctx, s.bus, s.log) }}
}

// raiseSchema raises the run's schema when all its processes can read a newer one, until ctx
// ends. A process that cannot is then refused by [adoptSchema].
func raiseSchema(ctx context.Context, b bus.Bus, log *slog.Logger) error {
	beats, err := b.Roles().Watch(ctx, "")
	if err != nil {
		return fmt.Errorf("watch the processes of the run: %w", err)
	}
	r := readers{reads: map[string]uint32{}}
	ticker := time.NewTicker(presence.Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-beats:
			if !ok {
				return nil
			}
			if err := r.note(e); err != nil {
				log.Warn("heartbeat refused", "key", e.Key, "error", err)
			}
		case now := <-ticker.C:
			present := messages.WrittenSchema()
			next := r.next(now, present)
			if next == present {
				continue
			}
			if err := raise(ctx, b, next); err != nil {
				log.Warn("the run's schema is not raised", "to", next, "error", err)
				continue
			}
			log.Info("all processes read a newer schema, which is the run's from now on", "schema", next)
		}
	}
}

// raise makes version the run's schema.
func raise(ctx context.Context, b bus.Bus, version uint32) error {
	ctx, cancel := context.WithTimeout(ctx, presence.Lifetime)
	defer cancel()
	e, err := b.State().Get(ctx, messages.SchemaKey)
	if err != nil && !errors.Is(err, bus.ErrNotFound) {
		return err
	}
	_, err = b.State().Update(ctx, messages.SchemaKey, strconv.AppendUint(nil, uint64(version), 10), e.Revision)
	return err
}
