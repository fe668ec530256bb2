//go:build nightly || long

package tests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// Each change asks of the parts what these tests ask of whole runs: an actor knows which waiting batches are its own
// (TestOwnExperienceThatWaits, messages/bus), and who is quarantined is let in no more (TestKeysOfActorsInQuarantine,
// messages/bus/broker).

// watched is how many games are counted: how long that takes depends on how busy the machine is; which share of them is
// learnt from does not. A batch has some hundred games, so that a share of 100,000 is one of some hundred batches.
const watched = 100_000

// TestAFloodLeavesTheOthersTheirShare has an actor with a key of its own send as much as the broker takes, while honest
// ones play. Soon after it is quarantined the broker takes nothing of it any more, until it is lifted.
// TestAFloodWithoutAKey is the same where the broker can keep no client out.
func TestAFloodLeavesTheOthersTheirShare(t *testing.T) {
	t.Parallel()
	g := &guarded{cluster: newCluster(t, "evening"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("broker", "credentials", "create", g.set, "--run", g.run, "--actors", "2")
	g.command("broker", "credentials", "add", g.set, "flood")
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"))
	g.with("learner", "learner", "kuhn")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("actor-2", "actor", "--actors", "1")
	for _, key := range []string{"learner", "actor-1", "actor-2"} {
		g.roles[key].hurry()
	}
	learner := g.roles["learner"]
	watch(t, learner)
	begun := outcomes(learner)
	sent := flood(t, connect(t, g.cluster, g.seed("flood")))
	eventually(t, "the flood is cut off", func() error {
		b, err := dial(t, g.cluster, g.seed("flood"))
		switch {
		case err == nil:
			return errors.Join(errors.New("the broker still lets it in"), b.Close())
		case strings.Contains(err.Error(), "Authorization Violation"):
			return nil
		}
		return err // it was let in a moment before, or the broker is slow
	})
	cut, flooded := sent(), outcomes(learner).since(begun)
	// The learner misses what the flood drove out when the next batch of the same worker comes.
	watch(t, learner)
	flooded.gone = outcomes(learner).since(begun).gone
	after := watch(t, learner)
	t.Logf("%v next to a flood of %d MiB; %v once it is cut off", flooded, cut>>20, after)
	require.Greater(t, flooded.share(), 0.5, "until then it drives out its own batches, and the others wait for theirs")
	require.Greater(t, after.share(), 0.9)
	require.Contains(t, server.output(), "keys of actors that are quarantined do not count")

	requireAside(t, connect(t, g.cluster, g.seed("operator")))
	g.command("runs", "actors", "lift", "flood", "--nats", g.nats, "--run", "evening", "--creds", g.seed("operator"))
	eventually(t, "it is let in again", func() error {
		b, err := dial(t, g.cluster, g.seed("flood"))
		if err != nil {
			return err
		}
		return b.Close()
	})
}

// dial connects to a cluster's broker with the key of a file, or with none. It gives up after ten seconds: whose key
// is taken back while it connects tries for as long as it may.
func dial(t *testing.T, c *cluster, key string) (bus.Bus, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return bus.Connect(ctx, bus.NATSOptions{
		URL: c.nats, Run: "evening", Role: "test", Credentials: key, Log: slog.New(slog.DiscardHandler),
	})
}

// connect is dial, which must succeed; the connection ends with the test.
func connect(t *testing.T, c *cluster, key string) bus.Bus {
	t.Helper()
	b, err := dial(t, c, key)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// outcome is how many games of honest actors were learnt from, and how many were not.
type outcome struct{ learnt, gone float64 }

func (o outcome) share() float64 { return o.learnt / (o.learnt + o.gone) }

func (o outcome) String() string {
	return fmt.Sprintf("%.0f games learnt from, %.0f lost or stale", o.learnt, o.gone)
}

// watch reports what becomes of the next games.
func watch(t *testing.T, learner *role) outcome {
	t.Helper()
	eventually(t, "games are learnt from", func() error { return above(outcomes(learner).learnt, 1000) })
	before := outcomes(learner)
	var more outcome
	eventually(t, "games are counted", func() error {
		more = outcomes(learner).since(before)
		return above(more.learnt+more.gone, watched)
	})
	return more
}

// outcomes are those of all games so far.
func outcomes(learner *role) outcome { return outcome{tally(learner, "consumed"), gone(learner)} }

func (o outcome) since(before outcome) outcome {
	return outcome{o.learnt - before.learnt, o.gone - before.gone}
}

// tally counts the games of which this became.
func tally(learner *role, outcome string) float64 {
	return learner.value("croupier_learner_episodes_total", "outcome", outcome)
}

// gone counts the games that were not learnt from.
func gone(learner *role) float64 { return tally(learner, "lost") + tally(learner, "stale") }

// flood has an actor named flood publish garbage as fast as the broker takes it, until stop, which returns the number
// of bytes, or the test's end.
func flood(t *testing.T, b bus.Bus) (stop func() (bytes int)) {
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan int, 1)
	go func() {
		bytes, garbage := 0, make([]byte, b.MaxMessage(bus.Experience))
		for ctx.Err() == nil {
			if b.Publish(ctx, bus.Experience, "flood", garbage) == nil {
				bytes += len(garbage)
			}
		}
		sent <- bytes
	}()
	return func() int {
		cancel()
		return <-sent
	}
}

// requireAside has the run know of the flood, and of no other actor, that it is quarantined for what cannot be read.
func requireAside(t *testing.T, b bus.Bus) {
	t.Helper()
	records, err := conduct.List(t.Context(), b.State())
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Equal(t, "flood", records[0].Actor)
	require.Equal(t, "decode", records[0].Reason)
}

// TestAFloodWithoutAKey has one actor send as much as a broker without keys takes while honest ones play. Such a broker
// cannot keep anybody out, but the flood is quarantined, and others still get through.
func TestAFloodWithoutAKey(t *testing.T) {
	c := newCluster(t, "evening")
	c.broker()
	learner := c.role("learner", "kuhn")
	for range 2 {
		c.role("actor", "--actors", "1").hurry()
	}
	learner.hurry()
	quiet := watch(t, learner)
	b := connect(t, c, "")
	sent := flood(t, b)
	flooded := watch(t, learner)
	t.Logf("%v; %v next to a flood of %d MiB", quiet, flooded, sent()>>20)
	require.Greater(t, flooded.share(), 0.5, "the others wait for the learner to come to what they sent")
	requireAside(t, b)
}
