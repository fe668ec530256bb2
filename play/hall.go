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
	// Idle is how long a table may stand at which nobody does anything and nobody looks, or which is only in its file
	// then; Kept, how long it may in any case. A finished one goes after Idle even if somebody looks.
	Idle, Kept time.Duration
	// WrongCodes is how many codes that no table has may be tried in a minute, by all together.
	WrongCodes int
}

// DefaultLimits suit one machine: a table takes some 100 kB.
func DefaultLimits() Limits {
	return Limits{Tables: 200, Idle: time.Hour, Kept: 24 * time.Hour, WrongCodes: 60}
}

// Source finds games and agents for a [Hall]. It is used by several goroutines at once. Its errors
// are the caller's fault, and are shown.
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
	// Dir is the folder that keeps the tables for the next start of the server, which is made with the first one. Two
	// servers at work do not share one: the second keeps none. "": tables end with the hall.
	Dir string
}

// Hall is many tables. It may be shared by goroutines.
type Hall struct {
	Options
	ctx context.Context
	// working counts goroutines, and alarms of clocks that have gone off.
	working sync.WaitGroup

	mutex sync.Mutex
	rooms map[string]*room // by ID
	store *store           // nil: nothing is kept
	// sleeping are tables that are only in their files, by ID, and waking lets one at a time be read.
	sleeping map[string]asleep
	waking   sync.Mutex
	codes    map[string]*room // with open seats
	wrong    struct {
		since time.Time
		codes int
	}
}

// NewHall opens a hall, which is closed when ctx ends: nothing of it continues after that but what an
// agent is just thinking about.
func NewHall(ctx context.Context, o Options) *Hall {
	h := &Hall{Options: o, ctx: ctx, rooms: map[string]*room{}, codes: map[string]*room{}}
	if o.Dir != "" {
		h.store = &store{dir: o.Dir, most: o.Limits.Kept, log: o.Log}
		h.sleeping = h.store.open()
	}
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
				h.rest(r)
			}
			h.store.close()
			return
		case now := <-ticks.C:
			for _, r := range h.list() {
				if stale, idle := r.stale(now, h.Limits); stale {
					h.close(r)
				} else if idle {
					h.rest(r)
				}
			}
			h.forgetOld(now)
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

// close closes a table for ever.
func (h *Hall) close(r *room) {
	h.take(r)
	r.close()
	h.store.remove(r.id)
}

// rest closes a table that is then only in its file, from which it continues as soon as somebody asks for it.
func (h *Hall) rest(r *room) {
	r.mutex.Lock()
	r.keep()
	kept, a := r.kept, asleep{used: r.used, code: r.code, over: r.table.Over()}
	r.mutex.Unlock()
	if kept {
		h.mutex.Lock()
		h.sleeping[r.id] = a
		h.mutex.Unlock()
	}
	h.take(r)
	r.close()
}

// forgetOld removes the files of tables that nobody has used for too long.
func (h *Hall) forgetOld(now time.Time) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for id, a := range h.sleeping {
		if unused := now.Sub(a.used); unused >= h.Limits.Kept || a.over && unused >= h.Limits.Idle {
			delete(h.sleeping, id)
			h.store.remove(id)
		}
	}
}

// take takes a table out of the hall.
func (h *Hall) take(r *room) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.rooms[r.id] == r {
		delete(h.rooms, r.id)
		h.Metrics.tables(len(h.rooms))
	}
	delete(h.codes, r.code)
}

// add enters a room, if there is space; the finished table that has been left alone for longest
// makes way for it.
func (h *Hall) add(r *room) error {
	h.mutex.Lock()
	full := len(h.rooms)+len(h.sleeping) >= h.Limits.Tables
	h.mutex.Unlock()
	if full {
		h.makeWay()
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.ctx.Err() != nil {
		return refuse(Full, "the tables are being closed")
	}
	if len(h.rooms)+len(h.sleeping) >= h.Limits.Tables {
		return refuse(Full, "all %d tables are taken: try again in a few minutes", h.Limits.Tables)
	}
	h.enter(r)
	return nil
}

// enter gives a room its place in the hall, whose mutex the caller holds.
func (h *Hall) enter(r *room) {
	h.rooms[r.id] = r
	if r.code != "" {
		h.codes[r.code] = r
	}
	h.Metrics.tables(len(h.rooms))
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
	if !h.forgetOldest(oldest != nil, since) && oldest != nil {
		h.close(oldest)
	}
}

// forgetOldest removes the file of the table that has been idle for longest, and reports whether there was one. It
// leaves those used later than since, where that matters, and within the last minute.
func (h *Hall) forgetOldest(matters bool, since time.Time) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	oldest, used := "", time.Now().Add(-time.Minute)
	if matters && since.Before(used) {
		used = since
	}
	for id, a := range h.sleeping {
		if !a.used.After(used) {
			oldest, used = id, a.used
		}
	}
	if oldest == "" {
		return false
	}
	delete(h.sleeping, oldest)
	h.store.remove(oldest)
	return true
}

// noTable is the answer to a client that asks for a table that is not there, or with a wrong key.
const noTable = "there is no such table; it may have been closed"

// missing is why a table is not there: the server ends, and a table that is kept comes again with it, or for ever.
func (h *Hall) missing() error {
	if h.ctx.Err() != nil && h.store != nil {
		return refuse(Full, "the server is ending: the table is there again when it is started again")
	}
	return refuse(Unknown, noTable)
}

// room returns the table of an ID, from its file, if it is only there.
func (h *Hall) room(id string) (*room, error) {
	if r, found := h.awake(id); r != nil || !found {
		if r == nil {
			return nil, refuse(Unknown, noTable)
		}
		return r, nil
	}
	h.waking.Lock()
	defer h.waking.Unlock()
	r, found := h.awake(id)
	switch {
	case r != nil:
		return r, nil
	case h.ctx.Err() != nil || !found:
		return nil, h.missing()
	}
	k, err := h.store.read(id)
	if err == nil {
		r, err = h.wake(h.ctx, k, time.Now())
	}
	if err != nil {
		h.Log.Error("A table cannot be continued", "file", h.store.path(id), "error", err)
		return nil, refuse(Wrong, "this table cannot be continued: %v", err)
	}
	r.kept = true
	h.mutex.Lock()
	delete(h.sleeping, id)
	h.enter(r)
	h.mutex.Unlock()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.keep()
	r.goOn()
	return r, nil
}

// awake returns the room of an ID, nil if it sleeps or there is none.
func (h *Hall) awake(id string) (r *room, found bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	_, sleeps := h.sleeping[id]
	r = h.rooms[id]
	return r, r != nil || sleeps
}

// sleeper returns the ID of the sleeping table with a code. The caller holds the mutex.
func (h *Hall) sleeper(code string) string {
	for id, a := range h.sleeping {
		if a.code != "" && a.code == code {
			return id
		}
	}
	return ""
}

// coded returns the table of a code, and counts codes that no table has: they may be guesses.
func (h *Hall) coded(code string, now time.Time) (*room, error) {
	h.mutex.Lock()
	id := h.sleeper(code)
	h.mutex.Unlock()
	if id != "" {
		return h.room(id)
	}
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
