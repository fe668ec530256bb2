//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"croupier/messages"
	"croupier/messages/bus"
)

// stranger is the name of an actor's key that has come into wrong hands.
const stranger = "stranger"

// forbidden are subjects to which no actor may publish: what deletes streams, writes what the learner and the
// league own, or speaks for another actor.
var forbidden = []string{
	"$JS.API.STREAM.DELETE.CROUPIER_run_RESULTS", "$JS.API.STREAM.DELETE.KV_CROUPIER_run_STATE",
	"$JS.API.STREAM.PURGE.CROUPIER_run_EXPERIENCE", "$JS.API.STREAM.PURGE.OBJ_CROUPIER_run_OBJECTS",
	"$JS.API.STREAM.UPDATE.CROUPIER_run_RESULTS", "$JS.API.STREAM.MSG.DELETE.CROUPIER_run_RESULTS",
	"$JS.API.CONSUMER.DELETE.CROUPIER_run_MATCHES." + messages.ArenaConsumer,
	"$KV.CROUPIER_run_STATE." + messages.PointerKey("main"), "$KV.CROUPIER_run_STATE." + messages.ConfigKey,
	"$KV.CROUPIER_run_STATE." + messages.LedgerPrefix + "actor1", "$KV.CROUPIER_run_STATE." + messages.LadderKey,
	"$KV.CROUPIER_run_STATE." + messages.QuarantinePrefix + "actor1",
	"$KV.CROUPIER_run_ROLES." + messages.LeaseKey(messages.LearnerRole),
	"$KV.CROUPIER_run_ROLES." + messages.RoleKey(messages.ActorRole, "actor1"),
	"croupier.run.experience.actor1", "croupier.run.results.m.actor1", "croupier.run.matches.m",
}

// trespass has a stranger with an actor's key try all that it does not allow, and send what it allows with
// numbers after which no honest batch could follow. The brokers refuse and count the first, the learner the second.
func trespass(r *run, rng *rand.Rand) (string, func() error, error) {
	before, err := r.refusals()
	if err != nil {
		return stranger, nil, err
	}
	var violations atomic.Int32
	conn, err := nats.Connect(r.url, nats.CustomInboxPrefix("_INBOX_"+stranger),
		func(o *nats.Options) error {
			option, err := nats.NkeyOptionFromSeed(r.keys.Seed(stranger))
			if err != nil {
				return err
			}
			return option(o)
		},
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				violations.Add(1)
			}
		}))
	if err != nil {
		return stranger, nil, err
	}
	defer conn.Close()
	for _, subject := range forbidden {
		err = errors.Join(err, conn.Publish(subject, []byte(strings.Repeat("x", rng.IntN(1000)))))
	}
	err = errors.Join(err, conn.FlushTimeout(recoverWithin), within(recoverWithin, func() error {
		if n := int(violations.Load()); n != len(forbidden) {
			return fmt.Errorf("%d of %d subjects were refused to an actor's key", n, len(forbidden))
		}
		return nil
	}), r.jump(rng))
	return fmt.Sprintf("%d subjects", len(forbidden)), func() error {
		after, err := r.refusals()
		if err == nil && after < before+float64(len(forbidden)) {
			err = fmt.Errorf("the brokers count %.0f refusals, after %.0f", after, before)
		}
		return err
	}, err
}

// refusals is how often the brokers have refused something.
func (r *run) refusals() (sum float64, err error) {
	for _, b := range r.brokers {
		n, wrong := b.value("croupier_broker_refused_total")
		sum, err = sum+n, errors.Join(err, wrong)
	}
	return sum, err
}

// jump publishes batches of the stranger with huge numbers.
func (r *run) jump(rng *rand.Rand) error {
	ctx, cancel := context.WithTimeout(context.Background(), recoverWithin)
	defer cancel()
	b, err := bus.Connect(ctx, bus.NATSOptions{URL: r.url, Credentials: r.keys.Seed(stranger), Run: "run",
		Role: messages.ActorRole,
		Log:  slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return err
	}
	defer b.Close()
	for range 5 {
		data, err := messages.Encode(&messages.Experience{
			Run: "run", Actor: fmt.Sprintf("%s-%x-0", stranger, rng.Uint32()), Sequence: 1 << 60,
			EpisodesBefore: 1<<60 + rng.Uint64N(1<<60),
			Episodes:       []*messages.Episode{{Seed: rng.Uint64(), Seats: []byte{0, 0}, History: []byte{1, 1}}},
			Agents:         []*messages.Agent{{Name: "main"}},
		})
		if err == nil {
			err = b.Publish(ctx, bus.Experience, stranger, data)
		}
		if err != nil && !errors.As(err, new(*bus.UnacknowledgedError)) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}
