package web

import (
	"context"
	"errors"
	"net/http"

	"croupier/catalog"
	"croupier/engine"
	"croupier/play"
)

// Trainer trains on this machine what people ask for on the page. It is used by several goroutines at once. An error
// that is about one field of what is asked for is a [strict.Error] of it.
type Trainer interface {
	// Begin begins a training and returns the ID of its run, once the run is there or ctx has ended.
	Begin(ctx context.Context, order TrainingOrder) (id string, err error)
	// Resume continues a run for a length of time as [TrainingOrder] has it.
	Resume(ctx context.Context, id, length string) error
	// Stop asks a training that Begin or Resume has begun to end in order. It does not wait for the end.
	Stop(id string) error
}

// TrainingOrder is a training that is asked for.
type TrainingOrder struct {
	Game   string `json:"game"`
	Preset string `json:"preset"` // of the game's rules; "": its usual ones
	Family bool   `json:"family"` // at all tables that people choose; no preset then
	Length string `json:"for"`    // as in 90s or 10m; "": until it is stopped
	Seed   string `json:"seed"`   // a number; "": 1
}

// TrainedGame is a game with the rules under which it can be trained.
type TrainedGame struct {
	Game    string          `json:"game"`
	Title   string          `json:"title"`
	Presets []TrainedPreset `json:"presets"`
	Family  bool            `json:"family"` // it can be trained at many tables
}

// TrainedPreset are rules that people play by.
type TrainedPreset struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// trainedGames lists what can be trained.
func trainedGames(games *catalog.Catalog) ([]TrainedGame, error) {
	list := []TrainedGame{}
	for _, entry := range games.Games() {
		game, err := games.New(entry.Name, nil)
		if err != nil {
			return nil, err
		}
		shown := TrainedGame{Game: entry.Name, Title: play.Describe(entry, game).Title, Presets: presetsOf(game)}
		_, err = games.New(entry.Name, []byte("family: usual"))
		shown.Family = err == nil
		list = append(list, shown)
	}
	return list, nil
}

func presetsOf(game engine.Game) []TrainedPreset {
	list := []TrainedPreset{}
	if book := game.Spec().Rules; book != nil {
		for _, p := range book.Presets {
			list = append(list, TrainedPreset{p.Name, p.Help})
		}
	}
	return list
}

// trainingAPI answers those who train on the page.
type trainingAPI struct {
	*runsAPI
	trainer Trainer
	games   *catalog.Catalog
}

// requests are those of a page on which people can train.
func (a *trainingAPI) requests() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /api/trainings":         http.HandlerFunc(a.offered),
		"POST /api/trainings":        http.HandlerFunc(a.begin),
		"POST /api/runs/{id}/resume": http.HandlerFunc(a.resume),
		"POST /api/runs/{id}/stop":   http.HandlerFunc(a.stop),
	}
}

func (a *trainingAPI) offered(w http.ResponseWriter, _ *http.Request) {
	games, err := trainedGames(a.games)
	if err != nil {
		a.log.Error("Cannot describe games", "error", err)
		refuse(w, http.StatusInternalServerError, errors.New("the games cannot be described"))
		return
	}
	writeJSON(w, a.log, map[string]any{"games": games})
}

func (a *trainingAPI) begin(w http.ResponseWriter, r *http.Request) {
	var order TrainingOrder
	if !readQuestion(w, r, &order) {
		return
	}
	id, err := a.trainer.Begin(r.Context(), order)
	if err != nil {
		refuse(w, orderStatus(err), err)
		return
	}
	a.log.Info("training begun on the page", "run", id)
	writeJSON(w, a.log, map[string]string{"id": id, "root": RootOf(id)})
}

func (a *trainingAPI) resume(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Length string `json:"for"`
	}
	if !readQuestion(w, r, &q) {
		return
	}
	id := r.PathValue("id")
	if err := a.trainer.Resume(r.Context(), id, q.Length); err != nil {
		refuse(w, orderStatus(err), err)
		return
	}
	a.log.Info("training resumed on the page", "run", id)
	w.WriteHeader(http.StatusNoContent)
}

func (a *trainingAPI) stop(w http.ResponseWriter, r *http.Request) {
	if !readQuestion(w, r, &struct{}{}) {
		return
	}
	id := r.PathValue("id")
	if err := a.trainer.Stop(id); err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	a.log.Info("training stopped on the page", "run", id)
	w.WriteHeader(http.StatusAccepted)
}

// orderStatus is the status of a refusal: what is neither about the run nor about the moment is about what was asked
// for.
func orderStatus(err error) int {
	if status := statusOf(err); status != http.StatusInternalServerError {
		return status
	}
	return http.StatusUnprocessableEntity
}
