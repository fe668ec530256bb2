package tests

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/testport"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// apart is a run whose roles are separate processes, and a reader of its bus.
type apart struct {
	*cluster
	page    string
	bus     bus.Bus
	roles   map[string]*role
	results *results
}

// launch starts a role under the name by which the test calls it.
func (a *apart) launch(name string) {
	a.t.Helper()
	switch name {
	case "broker":
		a.roles[name] = a.broker()
	case "learner":
		// The broker keeps all results, however many a fast machine makes of them: they are compared in the end.
		set := []string{"kuhn", "--set", "league.outstanding=32", "--set", "league.journal_bytes=1073741824"}
		a.roles[name] = a.role("learner", append(set, quick[2:]...)...)
	case "web":
		a.roles[name] = a.role("web", "--listen", a.page)
	case "league":
		a.roles[name] = a.role("league")
	default:
		a.roles[name] = a.role("actor", "--actors", "1")
	}
}

func (a *apart) progress() (reached, error) {
	p, err := readProgress(a.t.Context(), a.bus)
	for _, name := range []string{"actor 1", "actor 2"} {
		p.decisions[name] = a.roles[name].value("croupier_actor_decisions_total")
	}
	return p, err
}

// goesOn waits until the learner has published, results have come, both actors have
// played, and the page answers.
func (a *apart) goesOn(after string) {
	a.t.Helper()
	var before reached
	eventually(a.t, "the state after "+after, func() (err error) {
		before, err = a.progress()
		return err
	})
	eventually(a.t, "the run continues after "+after, func() error {
		now, err := a.progress()
		if err == nil {
			err = now.since(before)
		}
		if err == nil {
			err = pageAnswers(a.page, "")
		}
		return err
	})
}

// fates are the roles that are killed, and those that are asked to end, in this order. Each change takes one of each
// kind of state: tests/faults kills all roles at random besides. The broker is killed last: see inFlight.
func fates() (killed, ended []string) {
	if nightly.On {
		return []string{"actor 1", "web", "league", "learner", "actor 2", "broker"},
			[]string{"league", "actor 2", "broker", "learner", "web", "actor 1"}
	}
	return []string{"actor 1", "learner", "broker"}, []string{"league"}
}

// A run continues whatever happens to one of its roles, and in the end every episode
// and every result is accounted for.
func TestRolesApart(t *testing.T) {
	t.Parallel()
	a := &apart{cluster: newCluster(t, "apart"), page: testport.Free(t), roles: map[string]*role{}}
	for _, name := range []string{"web", "actor 1", "league", "learner", "actor 2", "broker"} {
		a.launch(name)
	}
	var err error
	a.bus, err = bus.Connect(t.Context(), bus.NATSOptions{
		URL: a.nats, Run: "apart", Role: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	defer a.bus.Close()
	a.results = follow(t, a.bus)
	a.goesOn("the start")

	killed, ended := fates()
	for _, name := range killed {
		a.roles[name].kill()
		a.restart(name)
		a.goesOn("kill -9 of " + name)
	}
	for _, name := range ended {
		a.roles[name].stop()
		if strings.HasPrefix(name, "actor") {
			drained(t, a.bus, a.run)
		}
		a.restart(name)
		a.goesOn("SIGTERM to " + name)
	}

	// In good order: no more experience, then no process to take it.
	a.roles["actor 1"].terminate()
	a.roles["actor 2"].terminate()
	a.roles["actor 1"].ended()
	a.roles["actor 2"].ended()
	checkAccounts(t, a.bus, a.run)
	require.Zero(t, a.roles["league"].value("croupier_league_results_total", "outcome", "refused"))
	a.roles["learner"].stop()
	checkOptimiser(t, a.run)
	a.frozen()
	a.roles["league"].stop()
	a.roles["web"].stop()
	a.checkResults()
	require.NoError(t, a.bus.Close())
	a.roles["broker"].stop()
}

// frozen waits until the league has frozen the last weights, if they are due: else the league that begins again in the
// end would freeze one version more. It decides at each tick, which also speaks with the broker, so that it has heard
// before of what the learner published last; the next tick sees the version written.
func (a *apart) frozen() {
	a.t.Helper()
	ticks := func() uint64 {
		return a.roles["league"].scrape()["croupier_league_tick_seconds"].GetMetric()[0].GetHistogram().GetSampleCount()
	}
	ended := ticks()
	eventually(a.t, "the league has heard of the last weights", func() error {
		return above(float64(ticks()), float64(ended+3))
	})
}

// restart launches a role again. A learner must continue from its newest checkpoint.
func (a *apart) restart(name string) {
	a.t.Helper()
	saved, err := newest(a.run)
	require.NoError(a.t, err)
	a.launch(name)
	if name == "learner" {
		a.roles[name].says("msg=resuming")
		require.Equal(a.t, number(saved.Samples), a.roles[name].resumedFrom())
	}
}

// checkOptimiser makes sure that Adam has counted every update of the run: a resumed
// learner has not begun with a new optimiser.
func checkOptimiser(t *testing.T, run string) {
	t.Helper()
	last, err := newest(run)
	require.NoError(t, err)
	file, err := os.ReadFile(filepath.Join(run, "checkpoints", last.File))
	require.NoError(t, err)
	metadata, _, err := nn.DecodeTensors(file)
	require.NoError(t, err)
	var counted struct{ Updates uint64 }
	require.NoError(t, json.Unmarshal([]byte(metadata["progress"]), &counted))
	require.Positive(t, counted.Updates)
	require.Equal(t, number(counted.Updates), metadata["adam_steps"])
}

// checkResults compares what the league has made of the results with the results,
// and lets a new league make it of them again.
func (a *apart) checkResults() {
	t := a.t
	t.Helper()
	games := a.results.check(t, a.bus)
	path := filepath.Join(a.run, "ladder.json")
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	var ladder struct {
		Agents []struct {
			Name  string
			Games uint64
		}
	}
	require.NoError(t, json.Unmarshal(doc, &ladder))
	rated := map[string]uint64{}
	for _, agent := range ladder.Agents {
		if agent.Games > 0 {
			rated[agent.Name] = agent.Games
		}
	}
	require.Equal(t, games, rated)
	require.Greater(t, len(rated), nightly.Cases(4, 8), "few versions were frozen")

	require.NoError(t, os.Remove(filepath.Join(a.run, "league.json")))
	require.NoError(t, os.Remove(path))
	again := a.role("league")
	eventually(t, "a ladder of all results", func() error {
		_, err := os.Stat(path)
		return err
	})
	again.stop()
	replayed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, fromResults(t, doc), fromResults(t, replayed))
}

// fromResults is a ladder without the exploitability of the best, which a league computes again when it starts.
func fromResults(t testing.TB, doc []byte) *messages.Ladder {
	t.Helper()
	ladder, err := messages.ParseLadder(doc)
	require.NoError(t, err)
	for i := range ladder.Agents {
		ladder.Agents[i].Exploitability = nil
	}
	return ladder
}
