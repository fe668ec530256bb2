package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"croupier/advice"
	"croupier/internal/strict"
)

// Limits of the questions that are asked of an Advisor: each takes processor time.
const (
	maxQuestionBytes = 1 << 20
	maxQuestions     = 2 // at the same time
	answerTimeout    = 20 * time.Second
)

// AdvisedGame is a game that an Advisor knows.
type AdvisedGame struct {
	Name    string          `json:"name"`
	Example json.RawMessage `json:"example"` // a position
	Agents  []string        `json:"agents"`  // to ask, the best one first
}

// Advisor answers questions of the page. It is used by several goroutines at once. Its
// errors are the fault of who asks, and are told; ctx ends when an answer would be late.
type Advisor interface {
	// Games lists what can be asked about. Here and below, run is the ID of the run whose rules are the
	// usual ones and whose versions can be asked; "" is the run that the server is about, if any.
	Games(ctx context.Context, run string) ([]AdvisedGame, error)
	// Advise answers for a position of a game under a rules document, "" for the usual
	// ones; agent "" is the best there is.
	Advise(ctx context.Context, run, game, rules, agent string, position []byte) (*advice.Answer, error)
	// Review judges the decisions of histories, one a line.
	Review(ctx context.Context, run, agent string, histories []byte) (*advice.Report, error)
}

// AdvicePage is the page on which the advisor is asked. Its questions are POST, because they can be long and
// take time; they change nothing.
func AdvicePage(advisor Advisor, log *slog.Logger) Page {
	a := &adviceAPI{advisor: advisor, log: log.With("role", "web"), questions: make(chan struct{}, maxQuestions)}
	return Page{
		Name: "advice", Path: "/advice", Title: "Advice", Template: ownTemplate("advice"),
		API: map[string]http.Handler{
			"GET /api/advice":  http.HandlerFunc(a.games),
			"POST /api/advice": http.HandlerFunc(a.advise),
			"POST /api/review": http.HandlerFunc(a.review),
		},
	}
}

// adviceAPI answers the questions of the advice page.
type adviceAPI struct {
	advisor   Advisor
	log       *slog.Logger
	questions chan struct{} // a slot for each question that is being answered
}

// games answers with what can be asked.
func (a *adviceAPI) games(w http.ResponseWriter, r *http.Request) {
	games, err := a.advisor.Games(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, a.log, games)
}

// question is the body of both requests. Histories are text, because they are lines.
type question struct {
	Run       string          `json:"run"`
	Game      string          `json:"game"`
	Rules     string          `json:"rules"` // YAML or JSON
	Agent     string          `json:"agent"`
	Position  json.RawMessage `json:"position"`
	Histories string          `json:"histories"`
}

func (a *adviceAPI) advise(w http.ResponseWriter, r *http.Request) {
	a.answer(w, r, func(ctx context.Context, q *question) (any, error) {
		return a.advisor.Advise(ctx, q.Run, q.Game, q.Rules, q.Agent, q.Position)
	})
}

func (a *adviceAPI) review(w http.ResponseWriter, r *http.Request) {
	a.answer(w, r, func(ctx context.Context, q *question) (any, error) {
		return a.advisor.Review(ctx, q.Run, q.Agent, []byte(q.Histories))
	})
}

// problem is the answer to a question that cannot be answered.
type problem struct {
	Error string `json:"error"`
	Field string `json:"field,omitempty"` // of the position
}

// answer reads a question and writes its answer, a few at a time.
func (a *adviceAPI) answer(w http.ResponseWriter, r *http.Request, find func(context.Context, *question) (any, error)) {
	var q question
	if r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "questions are application/json", http.StatusUnsupportedMediaType)
		return
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestionBytes)).Decode(&q); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("the question: %w", err))
		return
	}
	select {
	case a.questions <- struct{}{}:
		defer func() { <-a.questions }()
	default:
		refuse(w, http.StatusServiceUnavailable, errors.New("others are asking at the moment: try again in a few seconds"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	value, err := find(ctx, &q)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("no answer within %v: ask a faster agent, such as a solver or a bot, or in a terminal, which has no such limit", answerTimeout))
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, err)
	default:
		writeJSON(w, a.log, value)
	}
}

// refuse tells what is wrong with a question.
func refuse(w http.ResponseWriter, status int, err error) {
	p := problem{Error: err.Error()}
	var wrong *strict.Error
	if errors.As(err, &wrong) {
		p.Field = wrong.Field
	}
	writeStatus(w, status, p)
}

// writeStatus answers with a document that says what is wrong.
func writeStatus(w http.ResponseWriter, status int, document any) {
	data, err := json.Marshal(document)
	if err != nil {
		panic(err) // these always marshal
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
