package conduct

import (
	"cmp"
	"slices"
	"strings"

	"croupier/messages"
)

// Games says the outcome of training games that were sent to the learner.
type Games struct {
	Consumed uint64 `json:"consumed"` // received, and learnt from or about to be
	Stale    uint64 `json:"stale"`    // too old to learn from
	Refused  uint64 `json:"refused"`  // not credible
	Lost     uint64 `json:"lost"`     // on the way, or by a kill of the learner
}

// Add adds the games of a worker's ledger.
func (g *Games) Add(l *messages.Ledger) {
	g.Consumed, g.Stale, g.Refused, g.Lost = g.Consumed+l.Consumed, g.Stale+l.Stale, g.Refused+l.Refused, g.Lost+l.Lost
}

// Contribution is what an actor has given to a run, by the learner's ledgers of its workers.
type Contribution struct {
	Actor   string `json:"actor"`
	Name    string `json:"name,omitempty"` // what its owner calls it
	Present bool   `json:"present"`
	Games
	// Quarantine reports why nothing of the actor is read, if that is so.
	Quarantine *Quarantine `json:"aside,omitempty"`
}

// Contributions are those of all actors of a run.
type Contributions struct {
	Actors []Contribution `json:"actors"`
	Others Games          `json:"others"` // of actors that are gone, or too many to name, or not booked yet
}

// NewContributions returns the contributions of the actors with the most consumed games, at most that many, and of
// all those that are quarantined. The games of the rest join the others.
func NewContributions(all []Contribution, others Games, most int) *Contributions {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(b.Consumed, a.Consumed), strings.Compare(a.Actor, b.Actor))
	})
	c := &Contributions{Actors: []Contribution{}, Others: others}
	for i, a := range list {
		if i < most || a.Quarantine != nil {
			c.Actors = append(c.Actors, a)
			continue
		}
		g := &c.Others
		g.Consumed, g.Stale, g.Refused, g.Lost = g.Consumed+a.Consumed, g.Stale+a.Stale, g.Refused+a.Refused, g.Lost+a.Lost
	}
	return c
}
