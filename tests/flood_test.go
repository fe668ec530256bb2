package tests

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// TestAFloodLeavesTheOthersTheirShare has one actor send as much as the broker takes while
// honest ones play, and compares what the learner learns from in equal times.
func TestAFloodLeavesTheOthersTheirShare(t *testing.T) {
	const length = 6 * time.Second
	c := newCluster(t, "evening")
	c.broker()
	learner := c.role("learner", "kuhn")
	for range 2 {
		c.role("actor", "--actors", "1")
	}
	games := func() float64 { return learner.value("croupier_learner_episodes_total", "outcome", "consumed") }
	eventually(t, "games are learnt from", func() error { return above(games(), 10_000) })
	learnt := func() float64 {
		before := games()
		time.Sleep(length)
		return games() - before
	}
	quiet := learnt()

	b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: c.nats, Run: "evening", Role: "test"})
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
	stop()
	t.Logf("games learnt in %v: %.0f, and %.0f beside a flood of %d MiB", length, quiet, flooded, <-sent>>20)
	// All share the cores of this machine, so some is lost to the flood itself.
	require.Greater(t, flooded, quiet/6)
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
