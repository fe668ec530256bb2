package tests

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// never has an exploiter go on for ever.
const never = "reset_above: 1, reset_updates: 1000000"

// exploiters are the learning agents of leagueFile beside the main one.
var exploiters = []string{"hunter", "scout"}

// leagueFile writes a league of three learning agents with equal shares, with what more there is to say of the first
// exploiter.
func leagueFile(t *testing.T, hunter string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "league.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`freeze_updates: 200
setback_loss: 0
agents:
  - {name: main, role: main}
  - {name: hunter, role: main_exploiter, `+hunter+`}
  - {name: scout, role: league_exploiter, `+never+`}
`), 0o644))
	return path
}

// agentDir is where an agent has its checkpoints.
func agentDir(run, agent string) string {
	if agent == messages.LearningAgent {
		return run
	}
	return filepath.Join(run, "agents", agent)
}

// samplesOf are those that all agents were trained on, as their checkpoints say.
func samplesOf(run string) (samples [3]uint64, err error) {
	for i, agent := range append([]string{messages.LearningAgent}, exploiters...) {
		p, err := newest(agentDir(run, agent))
		if err != nil {
			return samples, fmt.Errorf("%s: %w", agent, err)
		}
		samples[i] = p.Samples
	}
	return samples, nil
}

// learnMore waits until every agent has learnt more than that.
func learnMore(t *testing.T, run string, than [3]uint64) (now [3]uint64) {
	t.Helper()
	eventually(t, "all agents learn", func() (err error) {
		now, err = samplesOf(run)
		for i := range now {
			if err == nil && now[i] <= than[i] {
				err = fmt.Errorf("%d samples, from %d", now, than)
			}
		}
		return err
	})
	return now
}

// One command trains a main agent and two exploiters, and goes on after kill -9 with all of them; their curves are
// told apart, one begins again with new weights, and a run that has only a main agent gets others when it is resumed
// with a league.
func TestLeagueInOneProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := startTrain(t, dir, "bank", "--listen", "off")
	eventually(t, "main learns", func() error {
		_, err := newest(dir)
		return err
	})
	p.interrupt()
	require.NoDirExists(t, filepath.Join(dir, "agents"))

	p = startTrain(t, dir, "--resume", "--league", leagueFile(t, "reset_updates: 1"), "--listen", "off")
	first := learnMore(t, dir, [3]uint64{})
	p.kill()
	p = startTrain(t, dir, "--resume", "--listen", "off")
	learnMore(t, dir, first)
	for file, words := range map[string][]string{
		"curves.jsonl": {`"learner"`, `"learner-hunter"`, `"learner-scout"`}, filepath.Join("population", "members.jsonl"): {`"resets":2`},
	} {
		eventually(t, file, func() error {
			content, err := os.ReadFile(filepath.Join(dir, file))
			for _, word := range words {
				if err == nil && !strings.Contains(string(content), word) {
					err = fmt.Errorf("no %s in it", word)
				}
			}
			return err
		})
	}
	p.interrupt()
}

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
// accounted for, and each goes on from its newest checkpoint.
func TestLeagueApart(t *testing.T) {
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
	roles["scout"].stop() // it leaves, and the others go on
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
