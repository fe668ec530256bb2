package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/lease"
	"croupier/settings"
)

// roleNode is a process of a run on a broker in memory.
func roleNode(t *testing.T) *node {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { b.Close() })
	return &node{bus: b, registry: newRegistry(), log: slog.New(slog.DiscardHandler),
		config: &settings.Config{Run: "evening"}}
}

// takeOver gives the lease of a role to another process.
func (s *node) takeOver(t *testing.T, role string) {
	other, err := json.Marshal(lease.Holder{Owner: "another", ID: role + "-other"})
	require.NoError(t, err)
	_, err = s.bus.Roles().Put(t.Context(), messages.LeaseKey(role), other)
	require.NoError(t, err)
}

// held reports whether somebody has the lease of a role.
func (s *node) held(t *testing.T, role string) bool {
	e, err := s.bus.Roles().Get(t.Context(), messages.LeaseKey(role))
	if errors.Is(err, bus.ErrNotFound) {
		return false
	}
	require.NoError(t, err)
	var h lease.Holder
	require.NoError(t, json.Unmarshal(e.Value, &h))
	return !h.Released
}

// Roles are made in their order, each once all leases are held; those that train end first, then comes what is last,
// and then the others end.
func TestRolesBeginAndEndInOrder(t *testing.T) {
	s := roleNode(t)
	events, running := make(chan string, 16), make(chan string, 2)
	next := func() string { return <-events }
	part := func(name string, trains bool) role {
		return role{
			lease: name, trains: trains,
			make: func(context.Context) error {
				require.True(t, s.held(t, "learner") && s.held(t, "league"), "all leases are held")
				events <- "make " + name
				return nil
			},
			run: func(ctx context.Context) error { running <- name; <-ctx.Done(); events <- "end " + name; return nil },
		}
	}
	w, err := s.start(t.Context(), true, part("learner", true), part("league", false))
	require.NoError(t, err)
	require.Equal(t, []string{"make learner", "make league"}, []string{next(), next()})
	over := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- w.run(t.Context(), func(context.Context) bool { <-over; return true }, func(all context.Context) error {
			events <- "last"
			return all.Err()
		})
	}()
	require.ElementsMatch(t, []string{"learner", "league"}, []string{<-running, <-running})
	close(over)
	require.Equal(t, []string{"end learner", "last", "end league"}, []string{next(), next(), next()})
	require.NoError(t, <-done)
	w.release()
	require.False(t, s.held(t, "learner"))
	require.False(t, s.held(t, "league"))
}

// A process that is stopped does not wait for what is last.
func TestRolesThatAreStopped(t *testing.T) {
	s := roleNode(t)
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan struct{})
	r := role{trains: true, run: func(ctx context.Context) error { close(began); <-ctx.Done(); return nil }}
	w, err := s.start(ctx, false, r)
	require.NoError(t, err)
	go func() { <-began; cancel() }()
	require.NoError(t, w.run(ctx, nil, func(context.Context) error { return errors.New("nobody waits for this") }))
}

// A role that cannot be made gives the leases back, and a role that fails or loses its lease ends the others.
func TestRolesThatFail(t *testing.T) {
	s, broken := roleNode(t), errors.New("it is broken")
	_, err := s.start(t.Context(), false, role{lease: "league", make: func(context.Context) error { return broken }})
	require.ErrorIs(t, err, broken)
	require.False(t, s.held(t, "league"))

	ended := make(chan struct{})
	long := role{run: func(ctx context.Context) error { <-ctx.Done(); close(ended); return nil }}
	require.ErrorIs(t, s.work(t.Context(), long, role{run: func(context.Context) error { return broken }}), broken)
	<-ended
}

// A role whose lease another process takes over ends, with all others.
func TestRolesThatLoseTheirLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a lease is looked at every few seconds
		s := roleNode(t)
		ended := 0
		run := func(ctx context.Context) error { <-ctx.Done(); ended++; return nil }
		lost := role{lease: "league", trains: true, run: func(ctx context.Context) error {
			s.takeOver(t, "league")
			return run(ctx)
		}}
		require.ErrorIs(t, s.work(t.Context(), lost), lease.ErrLost)
		require.Equal(t, 1, ended)
		require.True(t, s.held(t, "league"), "by the other")
	})
}

// A new run is not begun where the broker knows one of its name, and nothing of it is made.
func TestRolesOfARunThatIsKnown(t *testing.T) {
	s := roleNode(t)
	_, err := s.bus.State().Put(t.Context(), messages.ConfigKey, []byte("{}"))
	require.NoError(t, err)
	_, err = s.start(t.Context(), true, role{lease: "league", make: func(context.Context) error {
		t.Error("made")
		return nil
	}})
	require.ErrorContains(t, err, "the broker already has a run evening")
	require.False(t, s.held(t, "league"))
}

// What a role waited for in vain is in the error when its time is over.
func TestTheEndOfAWaitSaysWhatWasWaitedFor(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	err := endable(ctx, func(ctx context.Context, _ func(error)) error {
		return fmt.Errorf("connect: %w (before that: nothing listens there)", ctx.Err())
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "nothing listens there")
}
