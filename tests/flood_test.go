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

// TestAFloodLeavesTheOthersTheirShare has one actor, with a key of its own, send as much as the broker takes while honest ones
// play. It is set aside, and soon after that the broker takes nothing of it any more, until it is lifted: what the learner
// learns from in equal times says how much of the machine the others have.
func TestAFloodLeavesTheOthersTheirShare(t *testing.T) {
	const length = 6 * time.Second
	g := &guarded{cluster: newCluster(t, "evening"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("credentials", "create", g.set, "--run", g.run, "--actors", "2")
	g.command("credentials", "add", g.set, "flood")
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"))
	g.with("learner", "learner", "kuhn")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("actor-2", "actor", "--actors", "1")
	g.reaches("learner", "croupier_learner_episodes_total", 10_000, "outcome", "consumed")
	learnt := func() float64 {
		games := func() float64 {
			return g.roles["learner"].value("croupier_learner_episodes_total", "outcome", "consumed")
		}
		before := games()
		time.Sleep(length)
		return games() - before
	}
	quiet := learnt()

	connect := func(key string) (bus.Bus, error) {
		return bus.Connect(t.Context(), bus.NATSOptions{
			URL: g.nats, Run: "evening", Role: "test", Credentials: g.seed(key), Log: slog.New(slog.DiscardHandler),
		})
	}
	b, err := connect("flood")
	require.NoError(t, err)
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	sent := make(chan int)
	go func() {
		bytes, garbage := 0, make([]byte, b.MaxMessage(bus.Experience))
		for ctx.Err() == nil {
			if b.Publish(ctx, bus.Experience, "flood", garbage) == nil {
				bytes += len(garbage)
			}
		}
		sent <- bytes
	}()
	flooded := learnt()
	refused := func() error {
		b, err := connect("flood")
		if err == nil {
			return errors.Join(errors.New("the broker still lets it in"), b.Close())
		}
		return nil
	}
	eventually(t, "the flood is cut off", refused)
	after := learnt()
	stop()
	t.Logf("games learnt in %v: %.0f; %.0f beside a flood of %d MiB; %.0f once it is cut off", length, quiet, flooded, <-sent>>20, after)
	require.Greater(t, flooded, quiet/6, "until then it drives out only its own batches")
	require.Greater(t, after, quiet/2)
	require.Contains(t, server.output(), "keys of actors that are set aside do not count")

	operator, err := connect("operator")
	require.NoError(t, err)
	defer operator.Close()
	records, err := conduct.List(t.Context(), operator.State())
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Equal(t, "flood", records[0].Actor)
	require.Equal(t, "decode", records[0].Reason)
	g.command("actors", "lift", "flood", "--nats", g.nats, "--run", "evening", "--creds", g.seed("operator"))
	eventually(t, "it is let in again", func() error {
		b, err := connect("flood")
		if err != nil {
			return err
		}
		return b.Close()
	})
}

// above says that a value has not come far enough.
func above(value, least float64) error {
	if value < least {
		return fmt.Errorf("%v, not yet %v", value, least)
	}
	return nil
}
