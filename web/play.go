package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"croupier/play"
)

// Lobby reports what can be played, and against whom. It is used by several goroutines at once.
type Lobby interface {
	// Games lists the games; those of the run ID, unless it is "", under the run's rules.
	Games(ctx context.Context, run string) ([]play.PlayedGame, error)
	// Levels lists opponents, weakest first, those of the run last, at a game under a rules document
	// (see play.Request) with that many seats; 0: as the rules say.
	Levels(ctx context.Context, game, rules, run string, seats int) ([]play.Level, error)
}

// PlayPage is the page on which people sit at tables. A client that knows a key of a table may do what
// it allows; keys cannot be guessed, and are in the query of requests.
func PlayPage(hall *play.Hall, lobby Lobby, advisor Advisor, log *slog.Logger) Page {
	a := &playAPI{
		hall: hall, lobby: lobby, advisor: advisor, log: log.With("role", "web"),
		questions: make(chan struct{}, maxQuestions), streams: make(chan struct{}, maxPlayStreams()), pace: defaultPace,
	}
	page := Page{
		Name: "play", Path: "/play", Title: "Play", Group: Playing, Topic: "guide/play#on-the-page", Template: ownTemplate("play"),
		API: map[string]http.Handler{
			"GET /api/play":                http.HandlerFunc(a.games),
			"GET /api/levels":              http.HandlerFunc(a.levels),
			"GET /api/qr":                  http.HandlerFunc(qrCode),
			"GET /api/person":              http.HandlerFunc(a.statistics),
			"DELETE /api/person":           http.HandlerFunc(a.forget),
			"GET /api/tables/{id}":         http.HandlerFunc(a.show),
			"GET /api/tables/{id}/events":  http.HandlerFunc(a.events),
			"GET /api/tables/{id}/outlook": http.HandlerFunc(a.outlook),
		},
	}
	for path, handle := range a.requests() {
		page.API["POST /api/tables"+path] = handle
	}
	return page
}

// maxPlayStreams is how many people may be connected to tables.
func maxPlayStreams() int { return connections() * 3 / 4 }

// playAPI answers what the page Play asks.
type playAPI struct {
	hall      *play.Hall
	lobby     Lobby
	advisor   Advisor
	log       *slog.Logger
	questions chan struct{} // a slot for each hint that is being computed
	streams   chan struct{} // a slot for each event stream
	pace      pace
}

// requests are the changes that can be asked for, by what follows /api/tables.
func (a *playAPI) requests() map[string]http.Handler {
	h := a.hall
	return map[string]http.Handler{
		"": request(a, func(r *tableRequest, q *play.Request) (any, error) { return h.Lay(r.ctx, *q) }),
		"/join": request(a, func(_ *tableRequest, q *struct {
			Code string
			play.Guest
		}) (any, error) {
			return h.JoinByCode(q.Code, q.Guest)
		}),
		"/{id}/join": request(a, func(r *tableRequest, q *play.Guest) (any, error) { return h.Join(r.id, r.key, *q) }),
		"/{id}/act": request(a, func(r *tableRequest, q *struct{ Step, Action *int }) (any, error) {
			if q.Step == nil || q.Action == nil {
				return nil, errors.New(`{"step": N, "action": N} is needed`)
			}
			return shown(h.Act(r.id, r.key, *q.Step, *q.Action))
		}),
		"/{id}/poll": request(a, func(r *tableRequest, q *struct {
			Step  *int
			Seats []int
		}) (any, error) {
			if q.Step == nil {
				return nil, errors.New(`{"step": N, "seats": [N, …]} is needed`)
			}
			return shown(h.Answer(r.id, r.key, *q.Step, q.Seats))
		}),
		"/{id}/undo": request(a, func(r *tableRequest, _ *struct{}) (any, error) { return shown(h.Undo(r.id, r.key)) }),
		"/{id}/again": request(a, func(r *tableRequest, q *again) (any, error) {
			if q.From != nil {
				return h.Retry(r.id, r.key, *q.From)
			}
			return h.Again(r.id, r.key, q.Exchange)
		}),
		"/{id}/bet": request(a, func(r *tableRequest, q *struct {
			Units *float64
			Seat  *int
		}) (any, error) {
			if q.Units == nil {
				return nil, errors.New(`{"units": N} is needed`)
			}
			return shown(h.Bet(r.id, r.key, q.Seat, *q.Units))
		}),
		"/{id}/leave": request(a, func(r *tableRequest, _ *struct{}) (any,
			error) {
			return shown(h.Leave(r.ctx, r.id, r.key))
		}),
		"/{id}/fill": request(a, func(r *tableRequest, q *struct{ Agent string }) (any, error) {
			return shown(h.Fill(r.ctx, r.id, r.key, q.Agent))
		}),
		"/{id}/speed": request(a, func(r *tableRequest, q *play.Speed) (any, error) {
			return shown(h.SetSpeed(r.id, r.key, *q))
		}),
		"/{id}/save": request(a, func(r *tableRequest, _ *struct{}) (any, error) {
			line, err := h.Save(r.id, r.key)
			return map[string]string{"history": line}, err
		}),
		"/{id}/accuracy": request(a, func(r *tableRequest, q *struct{ Accuracy *float64 }) (any, error) {
			if q.Accuracy == nil {
				return nil, errors.New(`{"accuracy": N} is needed`)
			}
			return struct{}{}, h.Judge(r.id, r.key, *q.Accuracy)
		}),
		"/{id}/hint": request(a, func(r *tableRequest, _ *struct{}) (any, error) { return a.hint(r) }),
		"/{id}/thoughts": request(a, func(r *tableRequest, q *struct{ Agent string }) (any, error) {
			return a.thoughts(r, q.Agent)
		}),
	}
}

// again asks for the next game: with the same cards and everybody a seat further, or with new ones; or
// for this one from after that many steps.
type again struct {
	Exchange bool
	From     *int
}

// tableRequest is a request about a table, or for one.
type tableRequest struct {
	ctx     context.Context
	id, key string
}

// shown makes one value of what a table shows and why it refused: a page that is late, or tried
// what is illegal, is sent the state of the game.
func shown(show *play.Show, err error) (any, error) {
	if show == nil {
		return nil, err
	}
	return show, err
}

// request reads a request with a JSON body and answers it.
func request[Body any](a *playAPI, do func(*tableRequest, *Body) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := new(Body)
		if !readQuestion(w, r, body) {
			return
		}
		value, err := do(&tableRequest{r.Context(), r.PathValue("id"), r.URL.Query().Get("key")}, body)
		if err != nil {
			refuseTable(w, value, err)
			return
		}
		writeJSON(w, a.log, value)
	})
}

// statuses of refusals.
var statuses = map[play.Kind]int{
	play.Wrong: http.StatusBadRequest, play.Illegal: http.StatusUnprocessableEntity, play.Late: http.StatusConflict,
	play.Forbidden: http.StatusForbidden, play.Unknown: http.StatusNotFound, play.Full: http.StatusServiceUnavailable,
}

// refuseTable tells why something cannot be done at a table, and the state of the game.
func refuseTable(w http.ResponseWriter, value any, err error) {
	var refusal *play.Refusal
	if !errors.As(err, &refusal) {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	status := statuses[refusal.Kind]
	show, ok := value.(*play.Show)
	if !ok {
		refuse(w, status, err)
		return
	}
	writeStatus(w, status, struct {
		problem
		Show *play.Show `json:"show"`
	}{problem{Error: err.Error()}, show})
}

func (a *playAPI) games(w http.ResponseWriter, r *http.Request) {
	list, err := a.lobby.Games(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, a.log, map[string]any{"games": list})
}

func (a *playAPI) levels(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	seats := 0
	if text := query.Get("seats"); text != "" {
		var err error
		if seats, err = strconv.Atoi(text); err != nil || seats < 1 {
			refuse(w, http.StatusBadRequest, fmt.Errorf("seats is %.20q, not a number from 1 on", text))
			return
		}
	}
	list, err := a.lobby.Levels(r.Context(), query.Get("game"), query.Get("rules"), query.Get("run"), seats)
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, a.log, map[string]any{"levels": list})
}

// show answers with what the key's eye sees, or ?open=1 with everything, where that is allowed.
func (a *playAPI) show(w http.ResponseWriter, r *http.Request) {
	show, err := a.hall.Show(r.PathValue("id"), r.URL.Query().Get("key"), r.URL.Query().Get("open") == "1")
	if err != nil {
		refuseTable(w, nil, err)
		return
	}
	writeJSON(w, a.log, show)
}
