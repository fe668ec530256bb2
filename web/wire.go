package web

import (
	"time"

	"croupier/messages"
	"croupier/messages/presence"
)

// The JSON of the API, described in docs/reference/api.md.

// runView is what /api/run answers.
type runView struct {
	Run       string      `json:"run"`
	Game      string      `json:"game"`
	Title     string      `json:"title"` // of the game, for people
	Connected bool        `json:"connected"`
	CaughtUp  bool        `json:"caught_up"`
	Newest    *newestView `json:"newest"`
	Config    string      `json:"config"`
	Goals     []string    `json:"goals"`  // that end the run, and how far off they are; empty where none are known
	Course    *Course     `json:"course"` // null where the process of the page does not train
	Ending    *Ending     `json:"ending"` // null while the run continues
}

type newestView struct {
	Version uint64 `json:"version"`
	Updates uint64 `json:"updates"`
	Samples uint64 `json:"samples"`
}

// curveView holds the points of one series from the index From on; what a reader
// has there is replaced.
type curveView struct {
	Series string  `json:"series"`
	From   int     `json:"from"`
	Points []Point `json:"points"`
}

type curvesView struct {
	ID     string      `json:"id"`
	Full   bool        `json:"full"`
	Curves []curveView `json:"curves"`
}

type leagueView struct {
	Population []memberView   `json:"population"`
	SelfPlay   float64        `json:"self_play"`
	Opponents  []opponentView `json:"opponents"`
}

type memberView struct {
	Name    string `json:"name"`
	Updates uint64 `json:"updates"`
	Samples uint64 `json:"samples"`
	Order   uint64 `json:"order"`
}

type opponentView struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of all training games
}

// roleView gives ages next to the times of other clocks, which need not agree.
type roleView struct {
	presence.Heartbeat
	Present bool    `json:"present"`
	Uptime  float64 `json:"uptime_seconds"`
	Age     float64 `json:"age_seconds"` // of the last heartbeat
}

// update is the data of a server-sent event: the parts that changed since the
// reader's position, or all of them where Full.
type update struct {
	ID     string            `json:"id"`
	Full   bool              `json:"full"`
	Run    *runView          `json:"run,omitempty"`
	Series []messages.Series `json:"series,omitempty"` // where Full: they do not change
	Curves []curveView       `json:"curves,omitempty"`
	League *leagueView       `json:"league,omitempty"`
	Ladder *messages.Ladder  `json:"ladder,omitempty"`
	Roles  *[]roleView       `json:"roles,omitempty"`
}

// follows says whether the snapshot is reached from the position by changes alone.
func (s *Snapshot) follows(p position) bool {
	return p.epoch == s.position.epoch && p.version <= s.position.version
}

// since returns what changed after the position, and whether anything did.
func (s *Snapshot) since(p position, now time.Time) (update, bool) {
	if p == s.position {
		return update{}, false
	}
	full := !s.follows(p)
	if full {
		p = position{}
	}
	u := update{ID: s.position.String(), Full: full, Curves: s.curvesSince(p)}
	if full || s.changed.run > p.version {
		u.Run = s.runView()
	}
	if full || s.changed.league > p.version {
		u.League = s.leagueView()
	}
	if full || s.changed.ladder > p.version {
		u.Ladder = s.ladderView()
	}
	if full || s.changed.roles > p.version {
		roles := s.roleViews(now)
		u.Roles = &roles
	}
	return u, true
}

func (s *Snapshot) curvesSince(p position) []curveView {
	curves := []curveView{}
	for _, series := range s.Series {
		if series.version > p.version {
			from, points := series.since(p.version)
			curves = append(curves, curveView{series.Name, from, points})
		}
	}
	return curves
}

func (s *Snapshot) runView() *runView {
	v := &runView{Run: s.Run, Game: s.Game, Title: s.Title, Connected: s.Connected, CaughtUp: s.CaughtUp, Config: s.Config,
		Goals: append([]string{}, s.Goals...), Course: s.Course, Ending: s.Ending}
	if s.Newest != nil {
		v.Newest = &newestView{s.Newest.Version, s.Newest.Updates, s.Newest.Samples}
	}
	return v
}

func (s *Snapshot) leagueView() *leagueView {
	v := &leagueView{SelfPlay: 1, Population: []memberView{}, Opponents: []opponentView{}}
	for _, m := range s.Population {
		v.Population = append(v.Population, memberView{m.Name, m.Updates, m.Samples, m.Order})
	}
	if s.Matchmaking != nil {
		v.SelfPlay = s.Matchmaking.SelfPlay
		v.Opponents = opponentViews(s.Matchmaking)
	}
	return v
}

// opponentViews turns the weights into shares of all training games.
func opponentViews(table *messages.Matchmaking) []opponentView {
	var total float64
	for _, o := range table.Opponents {
		total += o.Weight
	}
	views := []opponentView{}
	for _, o := range table.Opponents {
		if share := (1 - table.SelfPlay) * o.Weight / total; finite(share) {
			views = append(views, opponentView{o.Name, share})
		}
	}
	return views
}

// ladderView is the ladder, an empty one before the first rating.
func (s *Snapshot) ladderView() *messages.Ladder {
	v := messages.Ladder{Game: s.Game}
	if s.Ladder != nil {
		v = *s.Ladder
	}
	if v.Agents == nil {
		v.Agents = []messages.LadderAgent{}
	}
	if v.Payoff == nil {
		v.Payoff = []messages.Payoff{}
	}
	return &v
}

func (s *Snapshot) roleViews(now time.Time) []roleView {
	views := make([]roleView, 0, len(s.Roles))
	for _, r := range s.Roles {
		views = append(views, roleView{
			Heartbeat: r.Heartbeat,
			Present:   r.Gone.IsZero(),
			Uptime:    max(0, r.Seen.Sub(r.Started).Seconds()),
			Age:       max(0, now.Sub(r.Seen).Seconds()),
		})
	}
	return views
}
