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
	next, before := r.following()
	if next == nil {
		if next, err = r.again(exchange, p, before); err != nil {
			return nil, err
		}
	}
	next.mutex.Lock()
	defer next.mutex.Unlock()
	made := &Made{Table: next.id, Keys: make([]string, len(next.locks)), Watch: next.watch, Code: next.code}
	for seat, lock := range next.locks {
		if lock == lockOf(p.key) {
			made.Keys[seat] = p.key
		}
	}
	if p.host {
		made.Host = p.key
	}
	return made, nil
}

// following returns the room of the next table and its ID: nil if there is none yet, or none any more.
func (r *room) following() (next *room, id string) {
	r.mutex.Lock()
	id = r.next
	r.mutex.Unlock()
	if id != "" {
		next, _ = r.hall.room(id)
	}
	return next, id
}

// again lays the next table, in the place of the one before that is not there any more, and returns its room.
func (r *room) again(exchange bool, p pass, before string) (*room, error) {
	next, err := r.follow(exchange, p)
	if err != nil {
		return nil, err
	}
	if err := r.hall.add(next); err != nil { // without r's mutex: another table may have to make way
		return nil, err
	}
	next.begin()
	if !r.leadTo(next, before) {
		r.hall.close(next)
		if next, _ = r.following(); next == nil {
			return nil, refuse(Unknown, noTable)
		}
	}
	return next, nil
}

// leadTo makes a table the next one, unless another one has become it since.
func (r *room) leadTo(next *room, before string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.next != before {
		return false
	}
	r.next = next.id
	r.tellAll()
	r.keep()
	return true
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
	next, _ := r.hall.newRoom(table, now)
	next.host, next.watch, next.run, next.pace, next.speed = r.host, r.watch, r.run, r.pace, r.speed
	next.locks = slices.Clone(r.locks)
	if last := len(next.locks) - 1; exchange {
		next.locks = slices.Concat(next.locks[last:], next.locks[:last])
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
	next, made, err := r.retry(steps)
	if err != nil {
		return nil, err
	}
	if err := h.add(next); err != nil {
		return nil, err
	}
	next.begin()
	return made, nil
}

// retry returns a room for this game from after that many steps, and the keys to it.
func (r *room) retry(steps int) (*room, *Made, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.table.Over() || r.table.People() > 1 {
		return nil, nil, refuse(Forbidden, "a moment is tried again when the game is over, by a person who played against agents")
	}
	plan, err := r.table.Retry(steps)
	if err != nil {
		return nil, nil, refuse(Wrong, "%v", err)
	}
	now := time.Now()
	table, err := NewTable(plan, now)
	if err != nil {
		return nil, nil, refuse(Wrong, "%v", err)
	}
	next, made := r.hall.newRoom(table, now)
	next.run, next.pace = r.run, r.pace
	return next, made, nil
}
