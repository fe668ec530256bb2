package croupier_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier"
	"croupier/cluster"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/testport"
)

// few are settings with which a training is over soon.
var few = []string{"learner.ppo.samples=2048", "league.reference_sets=10", "league.final_sets=10",
	"league.gate_sets=10"}

// An agent of Kuhn poker is trained and rated, and its best version asked.
func ExampleApp_Train() {
	dir, err := os.MkdirTemp("", "croupier-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	app := croupier.New(standard.Games)
	run, err := app.Train(context.Background(), croupier.Run{
		Game: "kuhn", Dir: filepath.Join(dir, "run"), Games: 5000, Workers: 1, Set: few,
	})
	if err != nil {
		log.Fatal(err)
	}
	ladder, err := run.Ladder()
	if err != nil {
		log.Fatal(err)
	}
	best, err := run.Best(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	decision, err := best.Choose([]byte(`{"card": "K", "moves": ["check", "bet"]}`), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rated:", ladder.Game, len(ladder.Agents) > 2)
	fmt.Println("decided:", decision.Name == "call" || decision.Name == "fold")
	// Output:
	// rated: kuhn true
	// decided: true
}

// What was begun is resumed, and read by a program that has not trained it.
func TestRunsGoOn(t *testing.T) {
	app, dir := croupier.New(standard.Games), filepath.Join(t.TempDir(), "run")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err := app.Train(stopped, croupier.Run{Game: "kuhn", Dir: dir, Set: few, Seed: 7})
	require.ErrorIs(t, err, context.Canceled)
	run, err := app.Train(t.Context(), croupier.Run{Game: "kuhn", Dir: dir, Set: few, Seed: 7, Games: 1000, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, dir, run.Dir())
	_, err = app.Train(t.Context(), croupier.Run{Dir: dir, Resume: true, Games: 2000, Workers: 1})
	require.NoError(t, err)
	again, err := croupier.New(standard.Games).Open(dir)
	require.NoError(t, err)
	require.Equal(t, engine.RulesHash(run.Game()), engine.RulesHash(again.Game()))
	best, err := again.Best(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `^main@\d+$`, best.Name())
	require.NotNil(t, best.Policy())

	_, err = croupier.New(nil).Open(dir)
	require.ErrorContains(t, err, `unknown game "kuhn"`)
	require.NoError(t, os.Remove(filepath.Join(dir, "ladder.json")))
	_, err = again.Best(t.Context())
	require.ErrorIs(t, err, croupier.ErrNoBest)
}

// Agents choose in positions; a fault of the caller is reported.
func TestAgentsChoose(t *testing.T) {
	app := croupier.New(standard.Games)
	require.Contains(t, app.Games().Names(), "leduc")
	game, err := app.Games().New("pig", nil)
	require.NoError(t, err)
	agent, err := app.Agent(t.Context(), game, "solver:optimal")
	require.NoError(t, err)
	decision, err := agent.Choose([]byte(`{"scores": [80, 0], "turn": 20, "seat": 0}`), 1)
	require.NoError(t, err)
	require.Equal(t, "hold", decision.Name)
	_, err = agent.Choose([]byte(`{"scores": [80], "turn": 20, "seat": 0}`), 1)
	require.EqualError(t, err, "scores: 1 entries for 2 seats")
	_, err = app.Agent(t.Context(), game, "hold")
	require.ErrorContains(t, err, "hold(N)")
}

// A network with a memory gets the seat's earlier decisions: two pasts of one situation may differ in what it
// does, and one is the same each time.
func TestAgentsRemember(t *testing.T) {
	app := croupier.New(standard.Games)
	game, err := app.Games().New("tysiac", nil)
	require.NoError(t, err)
	agent, err := app.Agent(t.Context(), game, "greedy:trained")
	require.NoError(t, err)
	position := game.(engine.Positioned).ExamplePosition()
	first, err := agent.Choose(position, 1)
	require.NoError(t, err)
	second, err := agent.Choose(position, 1)
	require.NoError(t, err)
	require.Equal(t, first, second)
}

func TestWrongRuns(t *testing.T) {
	app := croupier.New(standard.Games)
	var wrong *cluster.Invalid
	for _, r := range []croupier.Run{{}, {Game: "chess"}, {Game: "kuhn", Set: []string{"learner.ppo.epochs=none"}}} {
		r.Dir = filepath.Join(t.TempDir(), "run")
		_, err := app.Train(t.Context(), r)
		require.ErrorAs(t, err, &wrong, "%+v", r)
		require.NoDirExists(t, r.Dir)
	}
	_, err := app.Train(t.Context(), croupier.Run{Game: "kuhn", Dir: filepath.Join(t.TempDir(), "run"), Listen: "nowhere"})
	require.ErrorContains(t, err, "the page: ")
	require.Error(t, app.Serve(t.Context(), t.TempDir(), "nowhere", nil))
}

// Runs are shown, and the page ends with the context.
func TestServe(t *testing.T) {
	address := testport.Free(t)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- croupier.New(standard.Games).Serve(ctx, t.TempDir(), address, nil) }()
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://" + address + "/assets/board-bank.js")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond)
	end()
	require.NoError(t, <-served)
}

// A solution of a game is asked what it does.
func ExampleAgent_Choose() {
	app := croupier.New(standard.Games)
	game, err := app.Games().New("pig", nil)
	if err != nil {
		log.Fatal(err)
	}
	agent, err := app.Agent(context.Background(), game, "solver:optimal")
	if err != nil {
		log.Fatal(err)
	}
	decision, err := agent.Choose([]byte(`{"scores": [0, 0], "turn": 20, "seat": 0}`), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(decision.Name)
	// Output: roll
}
