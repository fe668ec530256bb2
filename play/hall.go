package play

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"croupier/agents"
	"croupier/engine"
)

// Limits bound a [Hall].
type Limits struct {
	Tables int
	// Idle is how long a table may stand at which nobody does anything and nobody looks; Kept, how
	// long it may in any case. A finished one goes after Idle even if somebody looks.
	Idle, Kept time.Duration
	// WrongCodes is how many codes that no table has may be tried in a minute, by all together.
	WrongCodes int
}

// DefaultLimits suit one machine: a table takes some 100 kB.
func DefaultLimits() Limits {
	return Limits{Tables: 200, Idle: time.Hour, Kept: 24 * time.Hour, WrongCodes: 60}
}

// Source finds games and agents for a [Hall]. It is used by several goroutines at once. Its errors
// are the fault of who asks, and are told.
type Source interface {
	// Game returns a game under a rules document; "" means those of the run, else the usual ones.
	// seats, unless 0, is how many it is to have.
	Game(ctx context.Context, game, rules, run string, seats int) (engine.Game, error)
	// Agent finds an agent. It may take as long as solving the game does.
	Agent(ctx context.Context, game engine.Game, run, name string) (Agent, error)
	// Agents are those of a game without a run. The strongest bot takes the seat of a person who leaves.
	Agents(game engine.Game) *agents.Agents
}

// Options are what a [Hall] is made of.
type Options struct {
	Source Source
	Limits Limits
	Log    *slog.Logger
	// People keeps what persons have played; nil: nobody does.
	People *People
	// Assess finds who says what games are worth; nil: nobody does.
	Assess Assess
	// Metrics counts; nil: nothing is counted.
	Metrics *Metrics
}

// Hall is many tables. It may be shared by goroutines.
type Hall struct {
	Options
	ctx context.Context
	// working counts goroutines, and alarms of clocks that have gone off.
	working sync.WaitGroup

	mutex sync.Mutex
	rooms map[string]*room // by ID
	codes map[string]*room // with open seats
	wrong struct {
		since time.Time
		codes int
	}
}

// NewHall opens a hall, which is closed when ctx ends: nothing of it continues after that but what an
// agent is just thinking about.
func NewHall(ctx context.Context, o Options) *Hall {
	h := &Hall{Options: o, ctx: ctx, rooms: map[string]*room{}, codes: map[string]*room{}}
	h.working.Go(h.sweep)
	return h
}

// sweep closes tables that nobody needs, and in the end all.
func (h *Hall) sweep() {
	ticks := time.NewTicker(time.Minute)
	defer ticks.Stop()
	for {
		select {
		case <-h.ctx.Done():
			for _, r := range h.list() {
				h.close(r)
			}
			return
		case now := <-ticks.C:
			for _, r := range h.list() {
				if r.stale(now, h.Limits) {
					h.close(r)
				}
			}
		}
	}
}

// list returns all rooms.
func (h *Hall) list() (rooms []*room) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, r := range h.rooms {
		rooms = append(rooms, r)
	}
	return rooms
}

// close closes a table.
func (h *Hall) close(r *room) {
	h.mutex.Lock()
	if h.rooms[r.id] == r {
		delete(h.rooms, r.id)
		h.Metrics.tables(len(h.rooms))
	}
	delete(h.codes, r.code)
	h.mutex.Unlock()
	r.close()
}

// add enters a room, if there is space; the finished table that has been left alone for longest
// makes way for it.
func (h *Hall) add(r *room) error {
	h.mutex.Lock()
	full := len(h.rooms) >= h.Limits.Tables
	h.mutex.Unlock()
	if full {
		h.makeWay()
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.ctx.Err() != nil {
		return refuse(Full, "the tables are being closed")
	}
	if len(h.rooms) >= h.Limits.Tables {
		return refuse(Full, "all %d tables are taken: try again in a few minutes", h.Limits.Tables)
	}
	h.rooms[r.id] = r
	if r.code != "" {
		h.codes[r.code] = r
	}
	h.Metrics.tables(len(h.rooms))
	return nil
}

// makeWay closes the table at which nobody looks that has been finished, or else idle for a
// minute, for longest.
func (h *Hall) makeWay() {
	var oldest *room
	var since time.Time
	for _, r := range h.list() {
		if used, free := r.disposable(); free && (oldest == nil || used.Before(since)) {
			oldest, since = r, used
		}
	}
	if oldest != nil {
		h.close(oldest)
	}
}

// room returns the table of an ID.
func (h *Hall) room(id string) (*room, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	r := h.rooms[id]
	if r == nil {
		return nil, refuse(Unknown, "there is no such table; it may have been closed")
	}
	return r, nil
}

// coded returns the table of a code, and counts codes that no table has: they may be guesses.
func (h *Hall) coded(code string, now time.Time) (*room, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if now.Sub(h.wrong.since) >= time.Minute {
		h.wrong.since, h.wrong.codes = now, 0
	}
	if h.wrong.codes >= cmp.Or(h.Limits.WrongCodes, 1) {
		return nil, refuse(Full, "too many wrong codes were tried: wait a minute")
	}
	r := h.codes[code]
	if r == nil {
		h.wrong.codes++
		return nil, refuse(Unknown, "no table with open seats has the code %.20q", code)
	}
	return r, nil
}

// pass finds who has a key at a table.
func (h *Hall) pass(id, key string) (*room, pass, error) {
	r, err := h.room(id)
	if err != nil {
		return nil, pass{}, err
	}
	p, err := r.pass(key)
	return r, p, err
}
