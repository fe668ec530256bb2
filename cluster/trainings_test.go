package cluster

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/strict"
	"croupier/web"
)

// newTrainer returns trainings whose process is a script, and what the script was called with.
func newTrainer(t *testing.T, script string) (*trainings, func() string) {
	var called []string
	runs := newRunList(standard.Games, filepath.Join(t.TempDir(), "runs"), true,
		slog.New(slog.DiscardHandler))
	runs.trainings = newTrainings(runs, func(args ...string) *exec.Cmd {
		called = args
		return exec.Command("sh", "-c", script)
	})
	t.Cleanup(runs.trainings.end)
	return runs.trainings, func() string { return strings.Join(called, " ") }
}

func TestTrainingsRefuse(t *testing.T) {
	trainer, _ := newTrainer(t, "exit 1")
	for field, orders := range map[string][]web.TrainingOrder{
		"game": {{}, {Game: "chess"}, {Game: "../kuhn"}},
		"preset": {{Game: "kuhn", Preset: "usual"}, {Game: "bank", Preset: "no such"}, {Game: "kuhn", Family: true},
			{Game: "bank", Preset: "no such", Family: true}},
		"for":  {{Game: "kuhn", Length: "5"}, {Game: "kuhn", Length: "-5s"}, {Game: "kuhn", Length: "0s"}},
		"seed": {{Game: "kuhn", Seed: "-1"}, {Game: "kuhn", Seed: "1.5"}, {Game: "kuhn", Seed: "--run /etc"}},
	} {
		for _, order := range orders {
			_, err := trainer.Begin(t.Context(), order)
			var wrong *strict.Error
			require.ErrorAs(t, err, &wrong, "%+v", order)
			require.Equal(t, field, wrong.Field, "%+v", order)
		}
	}
	require.ErrorIs(t, trainer.Stop("kuhn-1"), web.ErrNotNow)
	require.ErrorIs(t, trainer.Resume(t.Context(), "../kuhn-1", ""), web.ErrNoSuchRun)
}

// Every preset of every game, and its family, are trained by the rules that they name.
func TestTrainingsTakeAllPresets(t *testing.T) {
	trainer, called := newTrainer(t, "exit 0")
	for _, name := range standard.Games.Names() {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		orders := []web.TrainingOrder{{Game: name, Length: " 90s ", Seed: " 7 "}}
		if book := game.Spec().Rules; book != nil {
			for _, p := range book.Presets {
				orders = append(orders, web.TrainingOrder{Game: name, Preset: p.Name})
			}
		}
		if _, err := standard.Games.New(name, []byte("family: usual")); err == nil {
			orders = append(orders, web.TrainingOrder{Game: name, Family: true})
		}
		for i, order := range orders {
			_, err := trainer.Begin(t.Context(), order)
			require.NoError(t, err, "%+v", order)
			require.Contains(t, called(), "train "+name)
			require.Equal(t, order.Preset != "", strings.Contains(called(), "--rules "), "%+v", order)
			require.Equal(t, order.Family, strings.Contains(called(), "--family"), "%+v", order)
			require.Equal(t, i == 0, strings.Contains(called(), "--for 1m30s --seed 7"), "%+v", order)
		}
	}
}

// One trains at a time; one that fails reports why; when the page ends nothing is begun any more.
func TestTrainingsOneAtATime(t *testing.T) {
	failing, _ := newTrainer(t, `echo "croupier: the disk is full" >&2; exit 1`)
	_, err := failing.Begin(t.Context(), web.TrainingOrder{Game: "kuhn"})
	require.EqualError(t, err, "the disk is full")

	trainer, _ := newTrainer(t, `trap "exit 0" TERM; while :; do sleep 0.01; done`)
	r, err := trainer.start(func() (string, []string) { return "kuhn-1", nil }, "")
	require.NoError(t, err)
	_, err = trainer.Begin(t.Context(), web.TrainingOrder{Game: "kuhn"})
	require.ErrorIs(t, err, web.ErrNotNow)
	require.ErrorContains(t, err, "run kuhn-1 is training here, and one trains at a time: stop it first")
	require.True(t, trainer.account(web.RunSummary{ID: "kuhn-1", State: "running"}).Stoppable)
	require.False(t, trainer.account(web.RunSummary{ID: "kuhn-2", State: "running"}).Stoppable)
	require.True(t, trainer.account(web.RunSummary{ID: "kuhn-2", State: "ended"}).Resumable)
	require.ErrorIs(t, trainer.Stop("kuhn-2"), web.ErrNotNow)
	require.NoError(t, trainer.Stop("kuhn-1"))
	require.NoError(t, trainer.Stop("kuhn-1"), "twice is once")
	<-r.ended
	trainer.end()
	_, err = trainer.Begin(t.Context(), web.TrainingOrder{Game: "kuhn"})
	require.ErrorIs(t, err, web.ErrNotNow)
	require.ErrorContains(t, err, "the page is being closed")
}

// Pages of others cannot begin trainings, and what is wrong with an order is answered with its field.
func TestTrainingsAreAskedForOnThisPage(t *testing.T) {
	trainer, _ := newTrainer(t, `echo "croupier: the disk is full" >&2; exit 1`)
	server := RunsServer{Catalog: standard.Games, Log: slog.New(slog.DiscardHandler)}
	handler := server.handler(t.Context(), trainer.runs, nil)
	post := func(origin, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/trainings", bytes.NewBufferString(body))
		r.Header.Set("Content-Type", "application/json")
		if origin != "" {
			r.Header.Set("Origin", origin)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	status, _ := post("http://evil.example", `{"game": "kuhn"}`)
	require.Equal(t, http.StatusForbidden, status)
	status, answer := post("", `{"game": "chess"}`)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, answer, `"field":"game"`)
	status, answer = post("", `{"game": "kuhn"}`)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, answer, "the disk is full")
}
