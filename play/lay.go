package play

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/seed"
)

// Request asks for a table.
type Request struct {
	Game  string        `json:"game"`
	Rules string        `json:"rules"` // YAML or JSON; "": those of the run, or the usual ones
	Run   string        `json:"run"`
	Seats []SeatRequest `json:"seats"`
	Seed  *seed.Asked   `json:"seed"` // of chance; nil: drawn
	// TimeoutSeconds is how long a person may think; 0: as long as they like; nil: what is usual.
	TimeoutSeconds *float64 `json:"timeout_seconds"`
	Pace           Pace     `json:"pace"`
	Undo           *bool    `json:"undo"` // nil: yes
	// Entered: chance is not drawn, people say what it did.
	Entered bool   `json:"entered"`
	From    *Point `json:"from"`
	// Position joins a game in which chance is entered: one that engine.Positioned reads; "": the beginning.
	Position string `json:"position"`
}

// SeatRequest reports who is to sit in a seat: one of the three.
type SeatRequest struct {
	Person    string `json:"person"`
	PersonKey string `json:"person_key,omitempty"` // of the person's diary
	// Shared: the person shares the device of the person who lays the table with all others that have this set.
	Shared bool   `json:"shared,omitempty"`
	Agent  string `json:"agent"`
	Open   bool   `json:"open"`
	// Bet is what the person bets, in units, in games where people bet; 0: one unit.
	Bet float64 `json:"bet,omitempty"`
}

// Guest asks for an open seat.
type Guest struct {
	Name      string `json:"name"`
	PersonKey string `json:"person_key"`
}

// Point is a moment of a game that was played: a history and how many of its steps were made.
type Point struct {
	History string `json:"history"`
	Step    int    `json:"step"`
}

// Made is a table that has been laid.
type Made struct {
	Table string   `json:"table"`
	Keys  []string `json:"keys"`  // by seat; "" for agents
	Watch string   `json:"watch"` // for spectators
	Host  string   `json:"host"`  // for the person who opened the table: fills seats, sets the speed
	Code  string   `json:"code,omitempty"`
}

// Bounds of a request.
const (
	maxName    = 40 // characters
	maxTimeout = 24 * time.Hour
)

// Lay lays a table.
func (h *Hall) Lay(ctx context.Context, q Request) (*Made, error) {
	plan, err := h.plan(ctx, &q)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	table, err := NewTable(plan, now)
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	r, made := h.newRoom(table, now)
	r.run, r.pace = q.Run, q.Pace
	if err := h.add(r); err != nil {
		return nil, err
	}
	r.begin()
	return made, nil
}

// begin lets the game at a table begin.
func (r *room) begin() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.keep()
	r.goOn()
}

// plan checks a request and turns it into a plan.
func (h *Hall) plan(ctx context.Context, q *Request) (p Plan, err error) {
	if q.Pace == "" {
		q.Pace = NoPause
	}
	if q.Pace != NoPause && q.Pace != Short && q.Pace != Slow {
		return p, refuse(Wrong, "pace is none, short or slow, not %.20q", q.Pace)
	}
	var record *history.Record
	if q.From != nil {
		if record, err = q.From.read(); err != nil {
			return p, err
		}
		q.Game, q.Rules = record.Game, string(record.Rules)
		p.From = record.History[:q.From.Step]
		if q.Seed == nil {
			q.Seed = (*seed.Asked)(record.Seed)
		}
	}
	if p.Game, err = h.Source.Game(ctx, q.Game, q.Rules, q.Run, len(q.Seats)); err != nil {
		return p, refuse(Wrong, "%v", err)
	}
	p.Seed, p.Entered, p.Undo = rand.Uint64N(seed.MaxExact+1), q.Entered, q.Undo == nil || *q.Undo
	if q.Seed != nil {
		p.Seed = uint64(*q.Seed)
	}
	if p.Entered && !p.Game.Spec().PerfectInformation {
		return p, refuse(Wrong, "chance is entered only in games without hidden cards")
	}
	if p.Start, err = q.start(p.Game); err != nil {
		return p, err
	}
	if p.Timeout, err = q.timeout(p.Game); err != nil {
		return p, err
	}
	p.Chairs, err = h.chairs(ctx, p.Game, q)
	return p, err
}

// start returns the position in which a game is joined, nil for the beginning.
func (q *Request) start(game engine.Game) (engine.State, error) {
	switch {
	case q.Position == "":
		return nil, nil
	case !q.Entered:
		return nil, refuse(Wrong, "a position is joined only where chance is entered: the game is played elsewhere")
	case q.From != nil:
		return nil, refuse(Wrong, "from and position are two beginnings: give one")
	}
	start, _, _, err := engine.PositionOf(game, []byte(q.Position), engine.NewRNG(1, 0))
	if err != nil {
		return nil, refuse(Wrong, "position: %v", err)
	}
	return start, nil
}

// read reads the history and checks the number of steps; the steps themselves are checked when
// they are made.
func (f *Point) read() (*history.Record, error) {
	var record history.Record
	switch err := history.NewReader(strings.NewReader(f.History)).Read(&record); {
	case errors.Is(err, io.EOF):
		return nil, refuse(Wrong, "from.history is empty")
	case err != nil:
		return nil, refuse(Wrong, "from.history: %v", err)
	case f.Step < 0 || f.Step > len(record.History):
		return nil, refuse(Wrong, "from.step is %d, not in 0..%d", f.Step, len(record.History))
	}
	return &record, nil
}

// timeout returns how long people may think.
func (q *Request) timeout(game engine.Game) (time.Duration, error) {
	if q.TimeoutSeconds == nil {
		if timed, ok := game.(engine.Timed); ok {
			return timed.Patience(), nil
		}
		return 0, nil
	}
	seconds := *q.TimeoutSeconds
	if !(seconds >= 0 && seconds <= maxTimeout.Seconds()) {
		return 0, refuse(Wrong, "timeout_seconds is %v, not in 0..%v", seconds, maxTimeout.Seconds())
	}
	if seconds > 0 && seconds < 1 {
		return 0, refuse(Wrong, "timeout_seconds is %v: people need at least one", seconds)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// chairs finds who is to sit where.
func (h *Hall) chairs(ctx context.Context, game engine.Game, q *Request) (chairs []Chair, err error) {
	for seat, s := range q.Seats {
		if err := s.check(); err != nil {
			return nil, refuse(Wrong, "seats[%d]: %v", seat, err)
		}
		chair := Chair{Kind: Vacant}
		switch {
		case s.Person != "":
			chair, err = Guest{s.Person, s.PersonKey}.chair()
			chair.Shared = s.Shared
			if err == nil && s.Bet != 0 {
				chair.Bet, chair.Next, err = s.Bet, s.Bet, checkBet(game, s.Bet)
			}
		case s.Agent != "":
			chair.Kind = Robot
			chair.Agent, err = h.agent(ctx, game, q.Run, s.Agent)
		}
		if err != nil {
			return nil, refuse(Wrong, "seats[%d]: %v", seat, err)
		}
		chairs = append(chairs, chair)
	}
	shared := func(c Chair) bool { return c.Shared }
	if first := slices.IndexFunc(chairs, shared); first >= 0 && !slices.ContainsFunc(chairs[first+1:], shared) {
		chairs[first].Shared = false // with nobody
	}
	return chairs, nil
}

// check requires one of the three.
func (s *SeatRequest) check() error {
	given := 0
	for _, set := range []bool{s.Person != "", s.Agent != "", s.Open} {
		if set {
			given++
		}
	}
	if given != 1 {
		return errors.New(`one of {"person": NAME}, {"agent": NAME} and {"open": true} is needed`)
	}
	if s.PersonKey != "" && s.Person == "" {
		return errors.New("person_key is for a person")
	}
	if s.Bet != 0 && s.Person == "" {
		return errors.New("bet is for a person")
	}
	if s.Shared && s.Person == "" {
		return errors.New("shared is for a person")
	}
	return nil
}

// chair checks what a person says of themselves.
func (g Guest) chair() (Chair, error) {
	name, err := PersonName(g.Name)
	if err == nil && g.PersonKey != "" {
		err = CheckPersonKey(g.PersonKey)
	}
	return Chair{Kind: Person, Name: name, PersonKey: g.PersonKey}, err
}

// PersonName tidies the name of a person.
func PersonName(name string) (string, error) {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, name))
	switch {
	case name == "":
		return "", refuse(Wrong, "a person needs a name")
	case utf8.RuneCountInString(name) > maxName:
		return "", refuse(Wrong, "a name has at most %d characters", maxName)
	}
	return name, nil
}
