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

// counted is how long the games beside a flood are counted. All share the cores of this machine, so fewer are played.
const counted = 6 * time.Second

// TestAFloodWithoutAKey has one actor send as much as a broker without keys takes while honest ones play. Such a broker
// cannot keep anybody out, but the flood is set aside, and others still get through.
func TestAFloodWithoutAKey(t *testing.T) {
	c := newCluster(t, "evening")
	c.broker()
	learner := c.role("learner", "kuhn")
	for range 2 {
		c.role("actor", "--actors", "1")
	}
	quiet := watch(t, learner)
	b := connect(t, c, "")
	sent := flood(t, b)
	flooded := watch(t, learner)
	t.Logf("in %v: %v; %v beside a flood of %d MiB", counted, quiet, flooded, sent()>>20)
	require.Greater(t, flooded.share(), 0.5, "the others wait for the learner to come to what they sent")
	requireAside(t, b)
}

// TestAFloodLeavesTheOthersTheirShare has an actor with a key of its own do so. Soon after it is set aside the broker
// takes nothing of it any more, until it is lifted.
func TestAFloodLeavesTheOthersTheirShare(t *testing.T) {
	g := &guarded{cluster: newCluster(t, "evening"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("credentials", "create", g.set, "--run", g.run, "--actors", "2")
	g.command("credentials", "add", g.set, "flood")
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"))
	g.with("learner", "learner", "kuhn")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("actor-2", "actor", "--actors", "1")
	quiet := watch(t, g.roles["learner"])
	sent := flood(t, connect(t, g.cluster, g.seed("flood")))
	flooded := watch(t, g.roles["learner"])
	eventually(t, "the flood is cut off", func() error {
		b, err := dial(t, g.cluster, g.seed("flood"))
		if err == nil {
			return errors.Join(errors.New("the broker still lets it in"), b.Close())
		}
		return nil
	})
	eventually(t, "what the flood drove out, or has made too old, is counted", func() error {
		before := gone(g.roles["learner"])
		time.Sleep(2 * time.Second)
		return above(before, gone(g.roles["learner"]))
	})
	after := watch(t, g.roles["learner"])
	t.Logf("in %v: %v; %v beside a flood of %d MiB; %v once it is cut off", counted, quiet, flooded, sent()>>20, after)
	require.Greater(t, flooded.share(), 0.5, "until then it drives out its own batches, and the others wait for theirs")
	require.Greater(t, after.share(), 0.9)
	require.Contains(t, server.output(), "keys of actors that are set aside do not count")

	requireAside(t, connect(t, g.cluster, g.seed("operator")))
	g.command("actors", "lift", "flood", "--nats", g.nats, "--run", "evening", "--creds", g.seed("operator"))
	eventually(t, "it is let in again", func() error {
		b, err := dial(t, g.cluster, g.seed("flood"))
		if err != nil {
			return err
		}
		return b.Close()
	})
}

// dial connects to a cluster's broker with the key of a file, or with none.
func dial(t *testing.T, c *cluster, key string) (bus.Bus, error) {
	return bus.Connect(t.Context(), bus.NATSOptions{
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

// outcome is what became of the games of honest actors in a while.
type outcome struct{ learnt, gone float64 }

func (o outcome) share() float64 { return o.learnt / (o.learnt + o.gone) }

func (o outcome) String() string {
	return fmt.Sprintf("%.0f games learnt from, %.0f lost or stale", o.learnt, o.gone)
}

// watch says what becomes of games in a while, once the learner has begun. How many they are depends on how busy the
// machine is; which share of them is learnt from does not.
func watch(t *testing.T, learner *role) outcome {
	t.Helper()
	now := func() outcome { return outcome{tally(learner, "consumed"), gone(learner)} }
	eventually(t, "games are learnt from", func() error { return above(now().learnt, 10_000) })
	before := now()
	time.Sleep(counted)
	after := now()
	return outcome{after.learnt - before.learnt, after.gone - before.gone}
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

// requireAside has the run know of the flood, and of nobody else, that it is set aside for what cannot be read.
func requireAside(t *testing.T, b bus.Bus) {
	t.Helper()
	records, err := conduct.List(t.Context(), b.State())
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Equal(t, "flood", records[0].Actor)
	require.Equal(t, "decode", records[0].Reason)
}

// above says that a value has not come far enough.
func above(value, least float64) error {
	if value < least {
		return fmt.Errorf("%v, not yet %v", value, least)
	}
	return nil
}
