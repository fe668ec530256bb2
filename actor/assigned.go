package actor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
)

// While somebody takes matches from the queue and brings no results, the league gives them to the actors by name as
// well (league/crew.go): it writes the matches of an actor under a key of its own, which no other actor can take. A
// match may so come twice, by name and from the queue. Each actor plays it once.

// assignedMatch is a match that was given by name. It has no lease: after some time the league gives it to another
// actor.
type assignedMatch struct {
	id     string
	data   []byte
	forget func() // it is not played after all
}

func (m assignedMatch) Data() []byte              { return m.data }
func (m assignedMatch) Subject() string           { return m.id }
func (m assignedMatch) Sequence() uint64          { return 0 }
func (m assignedMatch) Deliveries() int           { return 1 }
func (m assignedMatch) Ack(context.Context) error { return nil }
func (m assignedMatch) Nak(time.Duration) error   { m.forget(); return nil }
func (m assignedMatch) InProgress() error         { return nil }

var _ bus.Message = assignedMatch{}

// maxRecent bounds the matches that an actor remembers.
const maxRecent = 4 * messages.MaxAssigned

// recentMatches are the ids of the last matches of the league that an actor has begun.
type recentMatches struct {
	mu  sync.Mutex
	ids []string
}

// begin notes a match, and returns false if it was begun before.
func (r *recentMatches) begin(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.ids, id) {
		return false
	}
	if r.ids = append(r.ids, id); len(r.ids) > maxRecent {
		r.ids = slices.Delete(r.ids, 0, 1)
	}
	return true
}

// forget takes a match back that this actor has not played.
func (r *recentMatches) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = slices.DeleteFunc(r.ids, func(known string) bool { return known == id })
}

// followAssigned plays the matches that the league gives to this actor by name, until ctx ends.
func (a *Actor) followAssigned(ctx context.Context) error {
	entries, err := a.opts.Bus.State().Watch(ctx, messages.AssignedKey(a.opts.ID))
	if err != nil {
		return fmt.Errorf("watch assigned matches: %w", err)
	}
	hash := engine.RulesHash(a.opts.Game)
	var preparing errgroup.Group
	preparing.SetLimit(maxPrepared)
	for e := range entries {
		if e.Value == nil {
			continue
		}
		list, err := messages.DecodeAssigned(e.Value)
		if err != nil {
			a.opts.Log.Warn("assigned matches refused", "error", err)
		}
		for _, data := range list {
			a.playAssigned(ctx, &preparing, data, hash)
		}
	}
	return preparing.Wait()
}

// playAssigned has a match played, unless this actor has begun it before.
func (a *Actor) playAssigned(ctx context.Context, preparing *errgroup.Group, data []byte, rules [8]byte) {
	m := assignedMatch{data: data}
	match := a.check(ctx, m, rules)
	if match == nil || !a.recent.begin(match.Id) {
		return
	}
	m.id, m.forget = match.Id, func() { a.recent.forget(match.Id) }
	preparing.Go(func() error {
		a.prepare(ctx, m, match)
		return nil
	})
}
