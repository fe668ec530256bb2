package web

import (
	"context"
	"log/slog"
	"net/http"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/play"
)

// maxReplays is how many windows of recorded games are made at the same time.
const maxReplays = 8

// ReplayPage is the page on which recorded games are looked at again, on the boards of their games.
// find makes the games, and assess says what they are worth; nil: nobody does.
func ReplayPage(find history.Find, assess play.Assess, log *slog.Logger) Page {
	d := newDesk(log, maxReplays)
	return Page{
		Name: "replay", Path: "/replay", Title: "Replay", Topic: "guide/replay", Template: ownTemplate("replay"),
		API: map[string]http.Handler{
			"POST /api/replay": answered(d, func(ctx context.Context, q *replayQuestion) (any, error) {
				window := play.Window{Game: q.Game, Eye: engine.Everything, From: q.From, Count: q.Count, Open: q.Open}
				if q.Eye != nil {
					window.Eye = *q.Eye
				}
				return play.NewReplay(ctx, []byte(q.Histories), find, window, q.Names)
			}),
			"POST /api/outlook": answered(d, func(ctx context.Context, q *outlookQuestion) (any, error) {
				return play.OutlookOf(ctx, []byte(q.History), find, assess, q.Run)
			}),
		},
	}
}

// replayQuestion asks for the steps of a recorded game; see [play.Window].
type replayQuestion struct {
	Histories string   `json:"histories"` // lines
	Game      int      `json:"game"`
	Eye       *int     `json:"eye"` // nil: all open
	From      int      `json:"from"`
	Count     int      `json:"count"`
	Names     []string `json:"names"` // of the agents and people by seat
	Open      bool     `json:"open"`  // also tells what the cards allowed
}

// outlookQuestion asks what a recorded game was worth to its seats, step by step.
type outlookQuestion struct {
	Run     string `json:"run"`
	History string `json:"history"` // a line
}
