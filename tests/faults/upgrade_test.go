//go:build linux

package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// newer builds the program of the next schema version.
func newer(t testing.TB) (program string, version string) {
	t.Helper()
	now := fmt.Sprintf("SchemaVersion = %d\n", messages.SchemaVersion)
	version = fmt.Sprint(messages.SchemaVersion + 1)
	source, err := os.ReadFile("../../messages/schema.go")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), now))
	path := filepath.Join(scratch, "schema.go")
	changed := strings.Replace(string(source), now, "SchemaVersion = "+version+"\n", 1)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o644))
	overlay := map[string]string{"messages/schema.go": path}
	for file, by := range clock() {
		overlay[file] = by
	}
	program, err = build("newer", overlay)
	require.NoError(t, err)
	return program, version
}

// A run is upgraded to a program with a newer schema role by role, with a step back, and
// no message is refused; nor is one when all are new and write the newer schema, which an
// old program then refuses to join.
func TestRollingUpgrade(t *testing.T) {
	hosts(t)
	t.Parallel()
	program, version := newer(t)
	r := newRun(t, 1, 1)
	change := func(x *role, to string) {
		t.Helper()
		require.NoError(t, x.stop())
		x.program = to
		x.start()
		require.NoError(t, r.recovers(), "%s as %s", x.name, filepath.Base(to))
		require.NoError(t, r.understood())
	}
	written := func() string {
		e, err := r.bus.State().Get(t.Context(), messages.SchemaKey)
		if err != nil {
			return err.Error()
		}
		return string(e.Value)
	}
	change(r.actors[0], program)
	change(r.learner, program)
	change(r.learner, "") // back
	change(r.actors[0], "")
	for _, x := range []*role{r.league, r.learner, r.brokers[0], r.actors[1], r.web} {
		change(x, program)
		require.NotEqual(t, version, written(), "an actor is still old")
	}
	change(r.actors[0], program)
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
	old.program, old.name = "", "old"
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
