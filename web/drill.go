package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"croupier/advice"
	"croupier/internal/seed"
	"croupier/play"
)

// Driller deals decisions to practise on. It is used by several goroutines at once. Its errors are
// the caller's fault, and are shown; ctx ends when an answer would be late.
type Driller interface {
	// Games lists what can be practised; the game of the run ID, unless it is "", under its rules.
	Games(ctx context.Context, run string) ([]DrillGame, error)
	Deal(ctx context.Context, q DrillQuestion) (*DealtDrill, error)
}

// DrillGame is a game about which somebody knows what its actions are worth.
type DrillGame struct {
	Name  string `json:"name"`
	Title string `json:"title"` // for people
	Rules string `json:"rules"` // under which it is drilled: a document, "" for the usual ones
	About string `json:"about"` // what these rules are, "" for the usual ones
}

// The difficulties of a drill.
const (
	EasyDrill = "easy" // mistakes of simple rules of thumb
	HardDrill = "hard" // mistakes of the best rule of thumb
)

// DrillQuestion asks for a decision. The same question gets the same one.
type DrillQuestion struct {
	Run        string     `json:"run"`
	Game       string     `json:"game"`
	Rules      string     `json:"rules"`      // a document, "" for those of the run or the usual ones
	Difficulty string     `json:"difficulty"` // "": HardDrill
	Seed       seed.Asked `json:"seed"`
	Position   string     `json:"position"` // to decide in instead of one that is dealt; "": deal
}

// DealtDrill is a decision as its seat sees it, with what each action is worth.
type DealtDrill struct {
	Show     *play.Show      `json:"show"`
	Answer   *advice.Answer  `json:"answer"`
	Rule     string          `json:"rule"`    // the rule of thumb, a bot
	Help     string          `json:"help"`    // what the bot does
	Obvious  int             `json:"obvious"` // action that it takes
	Right    []int           `json:"right"`   // actions of which none can be distinguished from the best
	Seed     seed.Number     `json:"seed"`
	Position json.RawMessage `json:"position"` // as advice reads it; null where positions cannot be written down
}

// DrillPage is the page on which decisions are practised.
func DrillPage(driller Driller, log *slog.Logger) Page {
	a := &drillAPI{driller, log.With("role", "web")}
	return Page{
		Name: "drill", Path: "/drill", Title: "Drill", Group: Playing, Topic: "guide/practice#drill", Template: ownTemplate("drill"),
		API: map[string]http.Handler{
			"GET /api/drill":  http.HandlerFunc(a.games),
			"POST /api/drill": answered(newDesk(log, maxQuestions), a.deal),
		},
	}
}

type drillAPI struct {
	driller Driller
	log     *slog.Logger
}

// games answers with what can be practised.
func (a *drillAPI) games(w http.ResponseWriter, r *http.Request) {
	list, err := a.driller.Games(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, a.log, list)
}

func (a *drillAPI) deal(ctx context.Context, q *DrillQuestion) (any, error) {
	switch q.Difficulty {
	case "":
		q.Difficulty = HardDrill
	case EasyDrill, HardDrill:
	default:
		return nil, fmt.Errorf("difficulty is %s or %s, not %.20q", EasyDrill, HardDrill, q.Difficulty)
	}
	return a.driller.Deal(ctx, *q)
}
