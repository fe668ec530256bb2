package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// never lets an exploiter run for ever.
const never = "reset_above: 1, reset_updates: 1000000"

// exploiters are the learning agents of leagueFile but for the main one.
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

// One command trains a main agent and two exploiters, and continues after kill -9 with all of them; their curves are
// distinguished, one begins again with new weights, and a run that has only a main agent gets others when it is resumed
// with a league.
func TestLeagueInOneProcess(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	p := startTrain(t, dir, "kuhn", "--listen", "off")
	eventually(t, "main learns", func() error {
		_, err := newest(dir)
		return err
	})
	p.interrupt()
	require.NoDirExists(t, filepath.Join(dir, "agents"))

	// Three agents share the games of one: with a quarter of the samples each learns as often as the one does.
	p = startTrain(t, dir, "--resume", "--league", leagueFile(t, "reset_updates: 1"), "--listen", "off",
		"--set", "learner.ppo.samples=512", "--set", "learner.ppo.minibatch=128")
	first := learnMore(t, dir, [3]uint64{})
	p.kill()
	p = startTrain(t, dir, "--resume", "--listen", "off")
	learnMore(t, dir, first)
	for file, words := range map[string][]string{
		"curves.jsonl": {`"learner"`, `"learner-hunter"`, `"learner-scout"`},
		filepath.Join("population", "members.jsonl"): {`"resets":2`},
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
