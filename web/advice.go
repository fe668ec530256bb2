package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"croupier/advice"
)

// maxQuestions is how many questions of an Advisor are answered at the same time: each takes
// processor time.
const maxQuestions = 2

// AdvisedGame is a game that an Advisor knows.
type AdvisedGame struct {
	Name    string          `json:"name"`
	Rules   any             `json:"rules"`   // the usual ones, or those of the run
	Example json.RawMessage `json:"example"` // a position
	Agents  []string        `json:"agents"`  // to ask, the best one first
}

// Advisor answers questions of the page. It is used by several goroutines at once. Its
// errors are the caller's fault, and are shown; ctx ends when an answer would be late.
type Advisor interface {
	// Games lists what can be asked about. Here and below, run is the ID of the run whose rules are the
	// usual ones and whose versions can be asked; "" is the run that the server is about, if any.
	Games(ctx context.Context, run string) ([]AdvisedGame, error)
	// Advise answers for a position of a game under a rules document, "" for the usual
	// ones; agent "" is the strongest.
	Advise(ctx context.Context, run, game, rules, agent string, position []byte) (*advice.Answer, error)
	// Think tells how an agent comes to its move in the position that is asked about in the same way.
	Think(ctx context.Context, run, game, rules, agent string, position []byte) (*advice.Thoughts, error)
	// Review judges the decisions of histories, one a line, within a span of each game.
	Review(ctx context.Context, run, agent string, histories []byte, span advice.Span) (*advice.Report, error)
}

// AdvicePage is the page on which the advisor is asked. Its questions are POST, because they can be long and
// take time; they change nothing.
func AdvicePage(advisor Advisor, log *slog.Logger) Page {
	a := &adviceAPI{advisor, newDesk(log, maxQuestions)}
	return Page{
		Name: "advice", Path: "/advice", Title: "Advice", Topic: "guide/advice", Template: ownTemplate("advice"),
		API: map[string]http.Handler{
			"GET /api/advice":  http.HandlerFunc(a.games),
			"POST /api/advice": answered(a.desk, a.advise),
			"POST /api/review": answered(a.desk, a.review),
		},
	}
}

// adviceAPI answers the questions of the advice page.
type adviceAPI struct {
	advisor Advisor
	desk    *desk
}

// games answers with what can be asked.
func (a *adviceAPI) games(w http.ResponseWriter, r *http.Request) {
	games, err := a.advisor.Games(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, a.desk.log, games)
}

// question is the body of both requests. Histories are text, because they are lines.
type question struct {
	Run       string          `json:"run"`
	Game      string          `json:"game"`
	Rules     string          `json:"rules"` // YAML or JSON
	Agent     string          `json:"agent"`
	Position  json.RawMessage `json:"position"`
	Histories string          `json:"histories"`
	advice.Span
}

func (a *adviceAPI) advise(ctx context.Context, q *question) (any, error) {
	return a.advisor.Advise(ctx, q.Run, q.Game, q.Rules, q.Agent, q.Position)
}

func (a *adviceAPI) review(ctx context.Context, q *question) (any, error) {
	return a.advisor.Review(ctx, q.Run, q.Agent, []byte(q.Histories), q.Span)
}
