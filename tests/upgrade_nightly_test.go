//go:build nightly || long

package tests

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/bus"
)

// lastRelease is the tag of the last release, or its commit as long as it has none. What is released next moves it on.
const lastRelease = "20431b5"

// releasedProgram builds the program of the last release.
func releasedProgram(t *testing.T) string {
	t.Helper()
	source := t.TempDir()
	archive := filepath.Join(source, "source.tar")
	out, err := testproc.CombinedOutput(exec.Command("git", "-C", "..", "archive", "--output", archive, lastRelease))
	require.NoError(t, err, "the clone has no %s (git fetch --unshallow --tags): %s", lastRelease, out)
	out, err = testproc.CombinedOutput(exec.Command("tar", "-C", source, "-xf", archive))
	require.NoError(t, err, "%s", out)
	program := filepath.Join(source, "croupier")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./cmd/croupier")
	build.Dir = source
	out, err = testproc.CombinedOutput(build)
	require.NoError(t, err, "%s", out)
	return program
}

// mixed is a run whose roles are of two versions of the program.
type mixed struct {
	*guarded
	old, new string // programs
	store    string // of the broker
	page     string
	bus      bus.Bus
	at       map[string]*process // by the names of upgraded
	of       map[string]string   // the program of each
}

// upgraded are the roles in the order in which docs/reference/versions.md has them upgraded.
var upgraded = []string{"broker", "learner", "league", "actor", "contribute", "web"}

func newMixed(t *testing.T) *mixed {
	m := &mixed{
		guarded: &guarded{cluster: newCluster(t, "rolling"), set: filepath.Join(t.TempDir(), "set"),
			roles: map[string]*role{}},
		old: releasedProgram(t), new: croupier(t), store: t.TempDir(), page: testport.Free(t),
		at: map[string]*process{}, of: map[string]string{},
	}
	m.command("broker", "credentials", "create", m.set, "--run", m.run)
	m.command("broker", "credentials", "add", m.set, "anna", "--contributor")
	return m
}

// key is the name of a role's key.
func (m *mixed) key(role string) string {
	switch role {
	case "actor":
		return "actor-1"
	case "contribute":
		return "anna"
	}
	return role
}

// launch starts a role with a program, as it was before.
func (m *mixed) launch(role, program string) {
	m.t.Helper()
	m.of[role] = program
	creds := m.seed(m.key(role))
	var r *process
	switch role {
	case "broker":
		r = startRoleOf(m.t, program, role, "--dir", m.store, "--listen", strings.TrimPrefix(m.nats, "nats://"),
			"--credentials", filepath.Join(m.set, "broker.yaml")).process
	case "contribute":
		r = start(m.t, role, program, role, m.nats, "--key", creds, "--cores", "1")
	default:
		args := []string{"--nats", m.nats, "--run", m.run, "--creds", creds}
		switch _, err := os.Stat(filepath.Join(m.run, "run.json")); {
		case role == "learner" && err != nil:
			args = append(args, append([]string{"kuhn", "--set", "league.outstanding=8"}, quick[2:]...)...)
		case role == "actor":
			args = append(args, "--actors", "1")
		case role == "web":
			args = append(args, "--listen", m.page)
		}
		r = startRoleOf(m.t, program, role, args...).process
	}
	if role == "learner" || role == "actor" || role == "contribute" {
		r.hurry = r.holdBack()
	}
	m.at[role] = r
}

// change stops a role and starts it with another program, with which the run must continue.
func (m *mixed) change(role, program string) {
	m.t.Helper()
	m.at[role].stop()
	m.launch(role, program)
	m.goesOn(role)
}

// programs reports which program each role has.
func (m *mixed) programs() string {
	words := make([]string, len(upgraded))
	for i, role := range upgraded {
		words[i] = role + " " + map[string]string{m.old: "old", m.new: "new"}[m.of[role]]
	}
	return strings.Join(words, ", ")
}

// goesOn waits until every role has done something more, and none is refused anything.
func (m *mixed) goesOn(changed string) {
	m.t.Helper()
	what := fmt.Sprintf("after a change of the %s: %s", changed, m.programs())
	m.t.Log(what)
	var before reached
	eventually(m.t, "the state "+what, func() (err error) {
		before, err = m.reached()
		return err
	})
	eventually(m.t, "the run continues "+what, func() error {
		for name, p := range m.at {
			require.True(m.t, p.running(), "%s: %s ended: %s", what, name, p.tail())
		}
		now, err := m.reached()
		if err == nil {
			err = now.since(before)
		}
		if err == nil {
			err = pageAnswers(m.page, "")
		}
		return err
	})
	for name, p := range m.at {
		require.NotRegexp(m.t, refusedSomething, p.output(), "%s: %s", what, name)
		require.NotRegexp(m.t, "(?i)violation|permission|not allow", p.output(), "%s: %s", what, name)
	}
}

// refusedSomething finds whatever was refused, but not the count of contribute while it is 0.
var refusedSomething = regexp.MustCompile(`(^|[^ ]|[^ |0-9] | [1-9][0-9]* )refused`)

// reached is how far the run is. What an actor has played is what the learner has accounted for.
func (m *mixed) reached() (reached, error) {
	p, err := readProgress(m.t.Context(), m.bus)
	if err != nil {
		return p, err
	}
	for _, role := range []string{"actor", "contribute"} {
		p.decisions[role], err = m.consumed(m.key(role))
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// consumed is the number of games that were taken from all workers of an actor. None may be refused.
func (m *mixed) consumed(actor string) (games float64, err error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Second)
	defer cancel()
	entries, err := m.bus.State().Watch(ctx, messages.LedgerPrefix)
	if err != nil {
		return 0, err
	}
	for e := range entries {
		if e.Key == "" {
			return games, nil
		}
		var l messages.Ledger
		if err := messages.Decode(e.Value, &l); err != nil {
			return 0, err
		}
		if l.Refused > 0 {
			return 0, fmt.Errorf("games of %s are refused: %v", l.Actor, l.RefusedByReason)
		}
		if messages.ActorOf(l.Actor) == actor {
			games += float64(l.Consumed)
		}
	}
	return 0, ctx.Err()
}

// A run is upgraded from the last release to this program role by role and back again, while it continues. Each role
// has also been the only one that is new, and the only one that is old.
func TestUpgradeFromTheLastRelease(t *testing.T) {
	t.Parallel()
	m := newMixed(t)
	for _, role := range upgraded {
		m.launch(role, m.old)
	}
	var err error
	m.bus, err = bus.Connect(t.Context(), bus.NATSOptions{
		URL: m.nats, Run: "rolling", Role: "test", Credentials: m.seed("operator"),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	defer m.bus.Close()
	m.goesOn("whole run")
	for _, role := range upgraded {
		m.change(role, m.new)
		m.change(role, m.old)
	}
	for _, role := range upgraded {
		m.change(role, m.new)
	}
	for _, role := range upgraded {
		m.change(role, m.old)
		m.change(role, m.new)
	}
	for _, role := range upgraded {
		m.change(role, m.old)
	}
	for _, role := range []string{"web", "contribute", "actor", "league", "learner"} {
		m.at[role].stop()
	}
	require.NoError(t, m.bus.Close())
	m.at["broker"].stop()
}
