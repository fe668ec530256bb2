package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
)

const (
	// maxSearches bounds how many archives are read through at a time, and searchTimeout how long each.
	maxSearches   = 2
	searchTimeout = 20 * time.Second
	// reviewTimeout is how long a game may take to be judged. It ends earlier when nobody waits for it.
	reviewTimeout = 10 * time.Minute
	// shownGames is how many games are listed unless the question says otherwise, and mostGames at most.
	shownGames = 50
	mostGames  = 500
	// mostFound is how far a search reaches.
	mostFound = 10_000
)

// KeptGames is the archive of a run.
type KeptGames struct {
	Run        string
	Game       string
	Unit       string // of returns
	Coin       engine.Coin
	Money      bool  // returns are money; else games are won or lost
	LimitBytes int64 // 0: no games are kept
	Archive    *archive.Reader
	Catalog    *catalog.Catalog // of the games that can be opened
	Judging    *Judging         // nil: games are judged by people alone
}

// Judging reports how far games are judged while processor cores are idle.
type Judging struct {
	Best    string `json:"best"`    // the version whose lost games are judged; "": none is best yet
	Most    int    `json:"most"`    // of them, at most
	Working bool   `json:"working"` // a process does it, or waits for an idle core
	Trains  bool   `json:"trains"`  // so that it waits while no core is idle
	Problem string `json:"problem"` // why it failed; "" if it did not
}

// Archives finds archives. It is used by several goroutines at once; its errors are shown.
type Archives interface {
	// Archive returns the archive of the run with that ID, of the server's own run for "".
	Archive(ctx context.Context, run string) (*KeptGames, error)
	// Review judges a game of the run's archive and stores its most expensive decision next to it.
	Review(ctx context.Context, run string, id archive.ID) (*archive.Review, error)
}

// GamesPage is the page on which games that were kept are found.
func GamesPage(archives Archives, log *slog.Logger) Page {
	a := &gamesAPI{archives: archives, log: log.With("role", "web"), searches: make(chan struct{}, maxSearches),
		reviews: make(chan struct{}, 1)}
	return Page{
		Name: "games", Path: "/games", Title: "Kept games", Topic: "guide/archive", Template: ownTemplate("games"),
		API: map[string]http.Handler{
			"GET /api/games":              a.handle(a.searches, searchTimeout, a.list),
			"GET /api/games/{id}":         a.handle(a.searches, searchTimeout, a.open),
			"POST /api/games/{id}/review": a.post(a.handle(a.reviews, reviewTimeout, a.review)),
		},
	}
}

type gamesAPI struct {
	archives Archives
	log      *slog.Logger
	// Slots for questions that are being answered. A review takes a processor for seconds.
	searches, reviews chan struct{}
}

// handle answers with what find returns within a time, as many questions at a time as there are slots.
func (a *gamesAPI) handle(
	slots chan struct{}, within time.Duration, find func(context.Context, *http.Request) (any, error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		// Other answers have less time to be written. (What only records an answer has no deadline.)
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(within + searchTimeout)); err != nil &&
			!errors.Is(err, http.ErrNotSupported) {
			return // the connection is gone
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-ctx.Done():
			refuse(w, http.StatusServiceUnavailable, errors.New("too many requests at the moment: try again in a few seconds"))
			return
		}
		value, err := find(ctx, r)
		switch {
		case errors.Is(err, archive.ErrNoGame):
			refuse(w, http.StatusNotFound, err)
		case errors.Is(err, context.DeadlineExceeded):
			refuse(w, http.StatusGatewayTimeout, fmt.Errorf("no answer within %v", within))
		case err != nil:
			refuse(w, http.StatusUnprocessableEntity, err)
		default:
			writeJSON(w, a.log, value)
		}
	})
}

// post lets questions pass that are JSON, though they say nothing: a form of another page cannot ask.
func (a *gamesAPI) post(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if readQuestion(w, r, &struct{}{}) {
			next.ServeHTTP(w, r)
		}
	})
}

// gamesView is a part of an archive's games.
type gamesView struct {
	Run   string `json:"run"`
	Game  string `json:"game"`
	Unit  string `json:"unit"`
	Money bool   `json:"money"`
	// Judging is null where games are judged by people alone.
	Judging *Judging `json:"judging"`
	*archive.Listing
}

func (a *gamesAPI) list(ctx context.Context, r *http.Request) (any, error) {
	query, err := parseQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	kept, err := a.archives.Archive(ctx, r.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	found, err := kept.Archive.Find(ctx, query)
	if err != nil {
		return nil, err
	}
	used, err := kept.Archive.Usage()
	if err != nil {
		return nil, err
	}
	unit, scale := kept.Coin.Shown(kept.Unit)
	for _, game := range found.Games {
		for seat := range game.Returns {
			game.Returns[seat] *= scale
		}
	}
	return gamesView{kept.Run, kept.Game, unit, kept.Money, kept.Judging, found.Listing(used, kept.LimitBytes)}, nil
}

// parseQuery reads which games are looked for.
func parseQuery(values url.Values) (archive.Query, error) {
	q := archive.Query{
		Agent: values.Get("agent"), Against: values.Get("against"), Result: values.Get("result"),
		Purpose: values.Get("purpose"), Match: values.Get("match"), Sort: values.Get("sort"), Limit: shownGames,
	}
	for _, n := range []struct {
		key   string
		value *int
	}{{"longer", &q.Longer}, {"shorter", &q.Shorter}, {"limit", &q.Limit}, {"offset", &q.Offset}} {
		text := values.Get(n.key)
		if text == "" {
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil {
			return q, fmt.Errorf("%s: %.40q is not a whole number", n.key, text)
		}
		*n.value = value
	}
	if q.Limit < 1 || q.Limit > mostGames {
		return q, fmt.Errorf("limit: %d is not in 1..%d", q.Limit, mostGames)
	}
	if q.Offset > mostFound-q.Limit {
		return q, fmt.Errorf("offset and limit: they must be at most %d together", mostFound)
	}
	return q, q.Validate()
}

// gameView is a game that is opened.
type gameView struct {
	Run  string `json:"run"`
	Unit string `json:"unit"`
	*archive.Opened
}

func (a *gamesAPI) open(ctx context.Context, r *http.Request) (any, error) {
	id, err := archive.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	kept, err := a.archives.Archive(ctx, r.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	game, err := kept.Archive.Game(id)
	if err != nil {
		return nil, err
	}
	opened, err := game.Opened(kept.Catalog)
	return gameView{kept.Run, kept.Unit, opened}, err
}

func (a *gamesAPI) review(ctx context.Context, r *http.Request) (any, error) {
	id, err := archive.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return a.archives.Review(ctx, r.URL.Query().Get("run"), id)
}
