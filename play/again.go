package play

import (
	"math/rand/v2"
	"slices"
	"time"

	"croupier/internal/seed"
)

// Again lays the next table for those who sit at a finished one: with the same cards and dice and
// everybody a seat further, or with new ones. A player who asks later than another is led to the same table.
func (h *Hall) Again(id, key string, exchange bool) (*Made, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	next := r.following()
	if next == nil {
		if next, err = r.again(exchange, p); err != nil {
			return nil, err
		}
	}
	next.mutex.Lock()
	defer next.mutex.Unlock()
	made := next.made()
	for seat, k := range made.Keys {
		if k != key {
			made.Keys[seat] = ""
		}
	}
	if !p.host {
		made.Host = ""
	}
	return made, nil
}

// following returns the room of the next table, nil if there is none yet.
func (r *room) following() *room {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.next
}

// again lays the next table and returns its room.
func (r *room) again(exchange bool, p pass) (*room, error) {
	next, err := r.follow(exchange, p)
	if err != nil {
		return nil, err
	}
	if err := r.hall.add(next); err != nil { // without r's mutex: another table may have to make way
		return nil, err
	}
	r.mutex.Lock()
	first := r.next == nil
	if first {
		r.next = next
		r.tellAll()
	}
	r.mutex.Unlock()
	if !first {
		r.hall.close(next)
		return r.following(), nil
	}
	next.mutex.Lock()
	defer next.mutex.Unlock()
	next.goOn()
	return next, nil
}

// follow returns a room for the game after this one.
func (r *room) follow(exchange bool, p pass) (*room, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case len(p.seats) == 0 && !p.host:
		return nil, refuse(Forbidden, "spectators do not play")
	case !r.table.Over() && !r.table.together():
		return nil, refuse(Forbidden, "the next game begins when this one is over")
	}
	now := time.Now()
	table, err := NewTable(r.table.Again(exchange, rand.Uint64N(seed.MaxExact+1)), now)
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	next := r.hall.newRoom(table, now)
	next.host, next.watch, next.run, next.pace, next.speed = r.host, r.watch, r.run, r.pace, r.speed
	next.keys = slices.Clone(r.keys)
	if last := len(next.keys) - 1; exchange {
		next.keys = slices.Concat(next.keys[last:], next.keys[:last])
	}
	return next, nil
}

// Retry lays a table that continues after that many steps of a finished game, for the only person at
// it. It does not follow the finished one, so that several moments can be tried again.
func (h *Hall) Retry(id, key string, steps int) (*Made, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if err := p.seated(); err != nil {
		return nil, err
	}
	next, err := r.retry(steps)
	if err != nil {
		return nil, err
	}
	if err := h.add(next); err != nil {
		return nil, err
	}
	next.mutex.Lock()
	defer next.mutex.Unlock()
	next.goOn()
	return next.made(), nil
}

// retry returns a room for this game from after that many steps.
func (r *room) retry(steps int) (*room, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.table.Over() || r.table.People() > 1 {
		return nil, refuse(Forbidden, "a moment is tried again when the game is over, by a person who played against agents")
	}
	plan, err := r.table.Retry(steps)
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	now := time.Now()
	table, err := NewTable(plan, now)
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	next := r.hall.newRoom(table, now)
	next.run, next.pace = r.run, r.pace
	return next, nil
}
