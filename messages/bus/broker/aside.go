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
	// asideAfter is how long the key of an actor that was set aside still counts: a program in good order reads why,
	// and ends by itself.
	asideAfter = 3 * time.Second
	// asideAgain is the time after which a run's State is looked for again.
	asideAgain = time.Second
)

// followAside has the keys of actors that are set aside (State keys messages.AsideKey) count no more until they are
// lifted, until ctx ends. What they send would be stored and given out before it is thrown away unread, in the time of
// others.
func (b *Broker) followAside(ctx context.Context, js jetstream.JetStream, run string) {
	defer js.Conn().Close()
	for ctx.Err() == nil {
		err := b.watchAside(ctx, js, names{run}.stream("STATE"))
		b.opts.Log.Debug("who is set aside is not known now", "run", run, "error", err) // also where no run is yet
		select {
		case <-ctx.Done():
		case <-time.After(asideAgain):
		}
	}
}

// startFollowingAside connects with the broker for that.
func (b *Broker) startFollowingAside(ctx context.Context, run string) error {
	conn, err := b.dialItself("set aside",
		nats.RetryOnFailedConnect(true), nats.ReconnectWait(asideAgain), nats.IgnoreAuthErrorAbort())
	if err != nil {
		return err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return err
	}
	b.following.Go(func() { b.followAside(ctx, js, run) })
	return nil
}

var errNotFollowed = errors.New("the bucket is followed no more")

// watchAside follows the bucket until ctx ends or it cannot be followed.
func (b *Broker) watchAside(ctx context.Context, js jetstream.JetStream, bucket string) error {
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return err
	}
	entries, err := kv.Watch(ctx, messages.AsidePrefix+"*", jetstream.MetaOnly())
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
				since[strings.TrimPrefix(e.Key(), messages.AsidePrefix)] = time.Now()
			default:
				delete(since, strings.TrimPrefix(e.Key(), messages.AsidePrefix))
			}
			continue
		case <-ticker.C:
		}
		if !known {
			continue
		}
		aside := map[string]bool{}
		for actor, at := range since {
			if time.Since(at) >= asideAfter || b.opts.aside[actor] {
				aside[actor] = true
			}
		}
		if err := b.leaveOut(aside); err != nil {
			return err
		}
	}
}

// leaveOut has the keys of exactly these actors count no more.
func (b *Broker) leaveOut(aside map[string]bool) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	if maps.Equal(aside, b.opts.aside) {
		return nil
	}
	before := b.opts.aside
	b.opts.aside = aside
	if err := b.reload(true); err != nil {
		b.opts.aside = before
		return err
	}
	if len(aside) == 0 {
		b.opts.Log.Warn("no actor is set aside any more: all keys count")
		return nil
	}
	b.opts.Log.Warn("keys of actors that are set aside do not count", "actors", slices.Sorted(maps.Keys(aside)))
	return nil
}

// counts reports whether a key may be used, given the actors that are set aside.
func (k *Key) counts(aside map[string]bool) bool {
	return k.Role != messages.ActorRole && k.Role != ContributorRole || !aside[k.Name]
}
