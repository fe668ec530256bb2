package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/strict"
)

// testTrainer trains no chess, and notes what else it was asked for.
type testTrainer struct{ asked []string }

func (t *testTrainer) Begin(_ context.Context, o TrainingOrder) (string, error) {
	if o.Game == "chess" {
		return "", strict.Errorf("game", "there is no chess here")
	}
	t.asked = append(t.asked, fmt.Sprintf("begin %+v", o))
	return o.Game + "-1", nil
}

func (t *testTrainer) Resume(_ context.Context, id, length string) error {
	if id == "live" {
		return fmt.Errorf("%w: it is running", ErrNotNow)
	}
	t.asked = append(t.asked, "resume "+id+" "+length)
	return nil
}

func (t *testTrainer) Stop(id string) error {
	if id != "live" {
		return fmt.Errorf("%w: it is not training", ErrNotNow)
	}
	t.asked = append(t.asked, "stop "+id)
	return nil
}

// exported are runs of which one has a best version, that cannot be read where there is a problem.
type exported struct {
	*testRuns
	unread error
}

func (r exported) List(ctx context.Context) ([]RunSummary, error) {
	list, err := r.testRuns.List(ctx)
	for i := range list {
		list[i].Export = "live-main-2.safetensors"
	}
	return append(list, RunSummary{ID: "evening"}), err
}

func (r exported) Export(ctx context.Context, id string) ([]byte, error) {
	if r.unread != nil {
		return nil, r.unread
	}
	return r.testRuns.Export(ctx, id)
}

func trainingServer(t *testing.T, runs RunList, trainer Trainer) http.Handler {
	registry := prometheus.NewRegistry()
	return NewRunsServer(Options{Log: quiet, Registerer: registry, Gatherer: registry, Boards: standard.Games.Boards()},
		runs, []Page{RunsPage(runs, standard.Games, trainer, quiet)}, nil)
}

func order(h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTrainingRequests(t *testing.T) {
	trainer := &testTrainer{}
	h := trainingServer(t, newTestRuns(t), trainer)
	for _, c := range []struct {
		path, body string
		status     int
		answer     string
	}{
		{"/api/trainings", `{"game": "bank", "family": true, "for": "90s", "seed": "7"}`, 200, `{"id":"bank-1","root":"/runs/bank-1"}`},
		{"/api/trainings", `{"game": "chess"}`, 422, `"field":"game"`},
		{"/api/trainings", `{"gam": "bank"}`, 400, `gam`},
		{"/api/trainings", `[`, 400, `error`},
		{"/api/runs/evening/resume", `{"for": "10m"}`, 204, ``},
		{"/api/runs/evening/resume", `{"game": "bank"}`, 400, `game`},
		{"/api/runs/live/resume", `{}`, 409, `it is running`},
		{"/api/runs/live/stop", `{}`, 202, ``},
		{"/api/runs/live/stop", `{"now": true}`, 400, `now`},
		{"/api/runs/evening/stop", `{}`, 409, `it is not training`},
	} {
		w := order(h, c.path, c.body)
		require.Equal(t, c.status, w.Code, "%s %s: %s", c.path, c.body, w.Body)
		require.Contains(t, w.Body.String(), c.answer)
	}
	require.Equal(t, []string{"begin {Game:bank Preset: Family:true Length:90s Seed:7}", "resume evening 10m", "stop live"},
		trainer.asked)
	offered := get(h, "GET", "/api/trainings").Body.String()
	for _, name := range standard.Games.Names() {
		require.Contains(t, offered, `"game":"`+name+`"`)
	}

	none := trainingServer(t, newTestRuns(t), nil)
	require.Equal(t, http.StatusNotFound, get(none, "GET", "/api/trainings").Code, "nothing is trained without a trainer")
	require.NotContains(t, get(none, "GET", "/").Body.String(), `id="training"`)
	require.Contains(t, get(h, "GET", "/").Body.String(), `id="training"`)
}

func TestExportOfARun(t *testing.T) {
	runs := newTestRuns(t)
	h := trainingServer(t, exported{testRuns: runs}, nil)
	w := get(h, "GET", "/api/runs/live/export")
	require.Equal(t, "weights", w.Body.String())
	require.Equal(t, `attachment; filename=live-main-2.safetensors`, w.Header().Get("Content-Disposition"))
	w = get(h, "GET", "/api/runs/evening/export")
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Contains(t, w.Body.String(), "has no best version that can be exported")
	require.Equal(t, http.StatusNotFound, get(h, "GET", "/api/runs/nothing/export").Code)
	unread := trainingServer(t, exported{runs, errors.New("its file cannot be read")}, nil)
	require.Equal(t, http.StatusInternalServerError, get(unread, "GET", "/api/runs/live/export").Code)
	runs.problem = errors.New("the directory cannot be read")
	require.Equal(t, http.StatusInternalServerError, get(h, "GET", "/api/runs/live/export").Code)
}
