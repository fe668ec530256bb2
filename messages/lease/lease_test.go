package lease

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/presence"
)

var quiet = slog.New(slog.DiscardHandler)

// outage is a bucket that can be cut off: renewals fail as if the process were frozen.
type outage struct {
	bus.KV
	cut atomic.Bool
}

func (o *outage) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if o.cut.Load() {
		return 0, fmt.Errorf("update %s: %w", key, context.DeadlineExceeded)
	}
	return o.KV.Update(ctx, key, value, revision)
}

// within runs a test on a memory bus in a bubble of false time.
func within(t *testing.T, test func(t *testing.T, roles *outage)) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(bus.Options{})
		defer func() { require.NoError(t, b.Close()) }()
		test(t, &outage{KV: b.Roles()})
	})
}

func acquire(t *testing.T, roles bus.KV, id string) *Lease {
	t.Helper()
	l, err := Acquire(t.Context(), roles, messages.LeagueRole, id, quiet)
	require.NoError(t, err)
	return l
}

func TestSecondIsRefusedAtOnceForAsLongAsTheFirstLives(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		first := acquire(t, roles, "league-a")
		defer first.Release()
		for range 30 {
			time.Sleep(7 * time.Second)
			began := time.Now()
			_, err := Acquire(t.Context(), roles, messages.LeagueRole, "league-b", quiet)
			require.ErrorIs(t, err, ErrHeld)
			require.ErrorContains(t, err, "this run has a league already: league-a, process ")
			require.ErrorContains(t, err, " on host ")
			require.LessOrEqual(t, time.Since(began), 2*Period)
		}
		other, err := Acquire(t.Context(), roles, messages.LearnerRole, "learner-a", quiet)
		require.NoError(t, err, "another role")
		other.Release()
	})
}

func TestReleasedIsFreeAtOnce(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		for range 3 {
			began := time.Now()
			l := acquire(t, roles, "league-a")
			require.Zero(t, time.Since(began))
			time.Sleep(time.Minute)
			l.Release()
			require.NoError(t, l.Wait(t.Context()))
		}
	})
}

func TestSuccessorWaitsForTheExpiryAndTheFrozenHolderEnds(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		frozen := acquire(t, roles, "league-a")
		roles.cut.Store(true)
		began := time.Now()
		successor := acquire(t, roles.KV, "league-b")
		require.LessOrEqual(t, time.Since(began), presence.Lifetime+Period)
		require.GreaterOrEqual(t, time.Since(began), presence.Lifetime-Period)
		roles.cut.Store(false)
		err := frozen.Wait(t.Context())
		require.ErrorIs(t, err, ErrLost)
		require.ErrorContains(t, err, "no longer the run's league, which is now league-b, process ")
		frozen.Release() // takes nothing from the successor
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.NoError(t, successor.Wait(ctx), "no ping-pong")
		successor.Release()
	})
}

// behind is a bucket that is read from a broker which is behind: it shows what the others have let go.
type behind struct {
	bus.KV
	shown bus.Entry
}

func (b behind) Get(context.Context, string) (bus.Entry, error) { return b.shown, nil }

func TestALeaseThatTheBrokerNeverLetsGoIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// So it is when the wall clock of the broker that leads is years behind that of the one before it.
		b := memory.New(bus.Options{RoleTTL: 10 * 365 * 24 * time.Hour})
		defer func() { require.NoError(t, b.Close()) }()
		roles := &outage{KV: b.Roles()}
		frozen := acquire(t, roles, "league-a")
		roles.cut.Store(true)
		time.Sleep(time.Hour)
		began := time.Now()
		soon, cancel := context.WithTimeout(t.Context(), presence.Lifetime+Period)
		defer cancel()
		successor, err := Acquire(soon, roles.KV, messages.LeagueRole, "league-b", quiet)
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(began), presence.Lifetime)
		roles.cut.Store(false)
		require.ErrorIs(t, frozen.Wait(t.Context()), ErrLost)

		shown, err := b.Roles().Get(t.Context(), messages.LeaseKey(messages.LeagueRole))
		require.NoError(t, err)
		stale := behind{b.Roles(), shown}
		waiting, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = Acquire(waiting, stale, messages.LeagueRole, "league-c", quiet)
		require.ErrorIs(t, err, context.DeadlineExceeded, "its holder lives, whatever the copy shows")
		successor.stop()
		<-successor.done
		require.NoError(t, b.Roles().Delete(t.Context(), messages.LeaseKey(messages.LeagueRole)))
		acquire(t, stale, "league-d").Release()
	})
}

func TestLeaseOutlivesABrokerThatForgotIt(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		l := acquire(t, roles, "league-a")
		roles.cut.Store(true)
		time.Sleep(time.Hour)
		roles.cut.Store(false)
		time.Sleep(2 * Period)
		_, err := Acquire(t.Context(), roles, messages.LeagueRole, "league-b", quiet)
		require.ErrorIs(t, err, ErrHeld)
		require.NoError(t, roles.Delete(t.Context(), messages.LeaseKey(messages.LeagueRole)))
		time.Sleep(2 * Period)
		_, err = Acquire(t.Context(), roles, messages.LeagueRole, "league-b", quiet)
		require.ErrorIs(t, err, ErrHeld)
		l.Release()
	})
}

func TestAValueThatIsNoLeaseBlocksNobodyForEver(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		for _, value := range []string{"", "{", "null", "[]", `{"owner":1}`} {
			_, err := roles.Put(t.Context(), messages.LeaseKey(messages.LeagueRole), []byte(value))
			require.NoError(t, err)
			acquire(t, roles, "league-a").Release()
		}
	})
}

func TestTwoNewcomersAfterAKill(t *testing.T) {
	within(t, func(t *testing.T, roles *outage) {
		acquire(t, roles, "league-a")
		roles.cut.Store(true)
		type outcome struct {
			lease *Lease
			err   error
		}
		outcomes := make(chan outcome)
		for i := range 2 {
			go func() {
				l, err := Acquire(t.Context(), roles.KV, messages.LeagueRole, fmt.Sprintf("league-%d", i), quiet)
				outcomes <- outcome{l, err}
			}()
		}
		one, two := <-outcomes, <-outcomes
		if one.err != nil {
			one, two = two, one
		}
		require.NoError(t, one.err)
		require.ErrorIs(t, two.err, ErrHeld)
		one.lease.Release()
		roles.cut.Store(false)
		time.Sleep(time.Minute) // the first finds the key gone or the winner's
	})
}
