//go:build nightly || long

package tests

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// leagueApart is a run of three learning agents whose roles are processes.
func leagueApart(t *testing.T) (c *cluster, launch func(name string) *role) {
	c = newCluster(t, "league")
	file := leagueFile(t, never)
	return c, func(name string) *role {
		switch name {
		case "broker":
			return c.broker()
		case "learner":
			return c.role("learner", append([]string{"bank", "--league", file}, quick[2:]...)...)
		case "league":
			return c.role("league")
		case "hunter", "scout":
			return c.role("learner", "--agent", name)
		}
		return c.role("actor", "--actors", "3")
	}
}

// Learners of three agents, each a process of its own, are killed one after the other: what they have acknowledged is
// accounted for, and each continues from its newest checkpoint.
func TestLeagueApart(t *testing.T) {
	t.Parallel()
	c, launch := leagueApart(t)
	roles := map[string]*role{}
	for _, name := range []string{"broker", "learner", "hunter", "scout", "league", "actor 1", "actor 2"} {
		roles[name] = launch(name)
	}
	b, err := bus.Connect(t.Context(), bus.NATSOptions{
		URL: c.nats, Run: "league", Role: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	defer b.Close()
	samples := learnMore(t, c.run, [3]uint64{})
	for _, name := range []string{"learner", "hunter", "scout"} {
		roles[name].kill()
		saved, err := newest(agentDir(c.run, strings.Replace(name, "learner", messages.LearningAgent, 1)))
		require.NoError(t, err)
		roles[name] = launch(name)
		roles[name].says("msg=resuming")
		require.Equal(t, number(saved.Samples), roles[name].resumedFrom())
		samples = learnMore(t, c.run, samples)
	}
	roles["scout"].stop() // it leaves, and the others continue
	roles["actor 1"].kill()
	roles["scout"] = launch("scout")
	learnMore(t, c.run, samples)
	roles["actor 2"].stop()
	checkAccounts(t, b, c.run)
	for _, agent := range append([]string{messages.LearningAgent}, exploiters...) {
		require.Positive(t, consumedBy(t, b, agent), agent)
	}
	for _, name := range []string{"learner", "hunter", "scout", "league", "broker"} {
		if name == "broker" {
			require.NoError(t, b.Close())
		}
		roles[name].stop()
	}
	checkOptimiser(t, c.run)
	for _, agent := range exploiters {
		checkOptimiser(t, agentDir(c.run, agent))
	}
}

// consumedBy returns the games that an agent's learner has received.
func consumedBy(t *testing.T, b bus.Bus, agent string) (games uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	entries, err := b.State().Watch(ctx, messages.LedgersOf(agent))
	require.NoError(t, err)
	for e := range entries {
		if e.Key == "" {
			return games
		}
		l := &messages.Ledger{}
		if _, of, ok := messages.ParseLedgerKey(e.Key); ok && of == agent && messages.Decode(e.Value, l) == nil {
			games += l.Consumed
		}
	}
	return games
}
