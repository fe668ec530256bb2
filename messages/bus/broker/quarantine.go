package broker

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"croupier/messages"
)

const (
	// quarantinedAfter is how long the key of an actor that was quarantined still counts: a program in good order reads
	// why, and ends by itself.
	quarantinedAfter = 3 * time.Second
	// quarantinedAgain is the time after which a run's State is looked for again.
	quarantinedAgain = time.Second
)

// followQuarantined has the keys of actors that are quarantined (State keys messages.QuarantineKey) count no more until
// they are lifted, until ctx ends. What they send would be stored and given out before it is thrown away unread, in the
// time of others.
func (b *Broker) followQuarantined(ctx context.Context, js jetstream.JetStream, run string) {
	defer js.Conn().Close()
	for ctx.Err() == nil {
		err := b.watchQuarantined(ctx, js, names{run}.stream("STATE"))
		b.opts.Log.Debug("who is quarantined is not known now", "run", run, "error", err) // also where no run is yet
		select {
		case <-ctx.Done():
		case <-time.After(quarantinedAgain):
		}
	}
}

// startFollowingQuarantined connects with the broker for that.
func (b *Broker) startFollowingQuarantined(ctx context.Context, run string) error {
	conn, err := b.dialItself("quarantined",
		nats.RetryOnFailedConnect(true), nats.ReconnectWait(quarantinedAgain), nats.IgnoreAuthErrorAbort())
	if err != nil {
		return err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return err
	}
	b.following.Go(func() { b.followQuarantined(ctx, js, run) })
	return nil
}

var errNotFollowed = errors.New("the bucket is no longer followed")

// watchQuarantined follows the bucket until ctx ends or it cannot be followed.
func (b *Broker) watchQuarantined(ctx context.Context, js jetstream.JetStream, bucket string) error {
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return err
	}
	entries, err := kv.Watch(ctx, messages.QuarantinePrefix+"*", jetstream.MetaOnly())
	if err != nil {
		return err
	}
	defer func() { _ = entries.Stop() }()
	since, known := map[string]time.Time{}, false
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-entries.Updates():
			switch {
			case !ok:
				return errNotFollowed
			case e == nil:
				known = true // all that there was
			case e.Operation() == jetstream.KeyValuePut:
				since[strings.TrimPrefix(e.Key(), messages.QuarantinePrefix)] = time.Now()
			default:
				delete(since, strings.TrimPrefix(e.Key(), messages.QuarantinePrefix))
			}
			continue
		case <-ticker.C:
		}
		if !known {
			continue
		}
		quarantined := map[string]bool{}
		for actor, at := range since {
			if time.Since(at) >= quarantinedAfter || b.opts.quarantined[actor] {
				quarantined[actor] = true
			}
		}
		if err := b.leaveOut(quarantined); err != nil {
			return err
		}
	}
}

// leaveOut has the keys of exactly these actors count no more.
func (b *Broker) leaveOut(quarantined map[string]bool) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	if maps.Equal(quarantined, b.opts.quarantined) {
		return nil
	}
	before := b.opts.quarantined
	b.opts.quarantined = quarantined
	if err := b.reload(true); err != nil {
		b.opts.quarantined = before
		return err
	}
	if len(quarantined) == 0 {
		b.opts.Log.Warn("no actor is quarantined any more: all keys count")
		return nil
	}
	b.opts.Log.Warn("keys of actors that are quarantined do not count", "actors", slices.Sorted(maps.Keys(quarantined)))
	return nil
}

// counts reports whether a key may be used, given the actors that are quarantined.
func (k *Key) counts(quarantined map[string]bool) bool {
	return k.Role != messages.ActorRole && k.Role != ContributorRole || !quarantined[k.Name]
}
