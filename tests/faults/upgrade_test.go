//go:build linux

package faults

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// A run is upgraded to a program with a newer schema role by role, with a step back, and
// no message is refused; nor is one when all are new and write the newer schema, which an
// old program then refuses to join.
func TestRollingUpgrade(t *testing.T) {
	hosts(t)
	t.Parallel()
	const newer, older = true, false
	version := fmt.Sprint(messages.SchemaVersion + 1)
	r := newRun(t, 1, 1)
	change := func(x *role, to bool) {
		t.Helper()
		require.NoError(t, x.stop())
		x.newer = to
		x.start()
		require.NoError(t, r.recovers(), "%s as newer: %v", x.name, to)
		require.NoError(t, r.understood())
	}
	written := func() string {
		e, err := r.bus.State().Get(t.Context(), messages.SchemaKey)
		if err != nil {
			return err.Error()
		}
		return string(e.Value)
	}
	change(r.actors[0], newer)
	change(r.learner, newer)
	change(r.learner, older) // back
	for _, x := range []*role{r.league, r.learner, r.peers[0], r.peers[1], r.brokers[0], r.web} {
		change(x, newer)
		require.NotEqual(t, version, written(), "an actor is still old")
	}
	change(r.actors[1], newer)
	require.NoError(t, within(2*time.Minute, func() error {
		if now := written(); now != version {
			return errors.New(now)
		}
		return nil
	}), "the run's schema is not raised")
	require.NoError(t, r.goesOn(recoverWithin))
	require.NoError(t, r.understood())

	require.NoError(t, r.actors[1].stop())
	old := *r.actors[1]
	old.newer, old.name = older, "old"
	old.start()
	<-old.exited
	require.Equal(t, 1, old.cmd.ProcessState.ExitCode(), old.output())
	require.Contains(t, old.output(), "croupier: the run has messages of schema "+version)
	r.actors[1].start()
	require.NoError(t, r.recovers())
	require.NoError(t, r.understood())
}

// understood makes sure that no role has refused a message.
func (r *run) understood() error {
	for _, x := range r.roles {
		if strings.Contains(x.output(), "refused") {
			return fmt.Errorf("%s refuses messages:\n%s", x.name, x.tail())
		}
	}
	for metric, x := range map[string]*role{
		"croupier_learner_refused_total": r.learner, "croupier_league_refused_total": r.league,
	} {
		if n, err := x.value(metric); err == nil && n > 0 {
			return fmt.Errorf("%s: %v", metric, n)
		}
	}
	return nil
}
