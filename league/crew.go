package league

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"croupier/messages"
)

// All actors take matches from one queue, and the broker does not say who took which. So an actor's key can take
// them all and bring nothing. Once matches vanish from the queue, they are given to actors by name as well: each
// holds as many as it has shown to bring. One that does not bring a match within the time that the others need gets
// half as many, at last none for a while, and another actor gets the match. An actor that takes from the queue then
// costs the others next to nothing.

const (
	// thefts within theftWindow make the league give matches by name, until none has vanished for namedFor. Single
	// matches vanish in good order, where a broker was killed.
	thefts      = 4
	theftWindow = time.Minute
	namedFor    = 5 * time.Minute
	// leastDue is the time that an actor has for a match at least, and dueFactor how many times what the others need.
	leastDue  = 5 * time.Second
	dueFactor = 4
	// restFor is how long an actor without a match to its credit gets none; each time in a row twice as long, up to
	// maxRests times.
	restFor  = 30 * time.Second
	maxRests = 6
	// silentFor is how long an actor stays in the crew of which nothing is received.
	silentFor = time.Minute
	// maxCrew bounds the crew: names are cheap where actors have no keys.
	maxCrew = 1024
)

// crew is to whom matches are given by name.
type crew struct {
	works  bool
	until  time.Duration   // it works unless more matches vanish
	losses []time.Duration // when matches vanished
	mates  map[string]*mate
	takes  time.Duration // how long a match is held that is brought, on average
}

// mate is an actor of the crew.
type mate struct {
	seen     time.Duration
	limit    int             // of the matches that it holds
	held     map[string]held // by the id of the first attempt
	missed   uint64          // in a row
	rests    time.Duration   // until then it gets none
	assigned []string        // the ids that it was given last
}

// held is when an actor was given a match, and when another one gets it.
type held struct{ since, due time.Duration }

func newCrew() *crew { return &crew{mates: map[string]*mate{}} }

// lost notes that a match has vanished from the queue without a result.
func (c *crew) lost(now time.Duration) {
	c.losses = slices.DeleteFunc(append(c.losses, now), func(at time.Duration) bool { return now-at > theftWindow })
	if c.works || len(c.losses) >= thefts {
		c.works, c.until = true, now+namedFor
	}
}

// mate returns the actor, of which a message has come. It is nil if the crew is full.
func (c *crew) mate(actor string, now time.Duration) *mate {
	m := c.mates[actor]
	if m == nil && (len(c.mates) == maxCrew || messages.CheckToken(actor) != nil) {
		return nil
	}
	if m == nil {
		m = &mate{limit: 1, held: map[string]held{}}
		c.mates[actor] = m
	}
	m.seen = now
	return m
}

// see notes which actors say that they are there.
func (c *crew) see(actors []string, now time.Duration) {
	for _, actor := range actors {
		c.mate(actor, now)
	}
}

// holder returns the actor that holds a match; nil for none.
func (c *crew) holder(id string) *mate {
	for _, m := range c.mates {
		if _, holds := m.held[id]; holds {
			return m
		}
	}
	return nil
}

// brought notes that the result of a match has come from an actor.
func (c *crew) brought(actor, id string, now time.Duration) {
	m := c.mate(actor, now)
	if m == nil {
		return
	}
	if h, holds := m.held[id]; holds {
		m.limit = min(2*m.limit, messages.MaxAssigned)
		c.takes += (now - h.since - c.takes) / 8
	} else if m.missed > 0 { // it is slow, not silent
		c.takes = max(2*c.takes, leastDue/2)
	}
	m.missed, m.rests = 0, 0
}

// patience is how long an actor may hold a match.
func (c *crew) patience(longest time.Duration) time.Duration {
	return min(max(leastDue, dueFactor*c.takes), longest)
}

// miss takes a match from an actor that has not brought it.
func (m *mate) miss(id string, now time.Duration) {
	delete(m.held, id)
	m.missed++
	if m.limit /= 2; m.limit == 0 {
		m.limit = 1
		m.rests = now + restFor<<min(m.missed-1, maxRests)
	}
}

// free returns who can take one more match: the one that holds the smallest share of what it may hold.
func (c *crew) free(now time.Duration) (best *mate) {
	for _, name := range slices.Sorted(maps.Keys(c.mates)) {
		m := c.mates[name]
		switch {
		case len(m.held) >= m.limit || now < m.rests || now-m.seen > silentFor:
		case best == nil || len(m.held)*best.limit < len(best.held)*m.limit:
			best = m
		}
	}
	return best
}

// deal gives the matches without result that no actor holds to actors by name, while that is necessary.
func (c *core) deal() []effect {
	if !c.crew.works || !c.ready {
		return nil
	}
	var effects []effect
	if c.now >= c.crew.until {
		c.crew.works = false
		for _, m := range c.crew.mates {
			clear(m.held)
		}
	} else {
		effects = c.takeBack()
		for _, id := range c.outstandingIDs() {
			if c.crew.holder(id) != nil {
				continue
			}
			m := c.crew.free(c.now)
			if m == nil {
				break
			}
			m.held[id] = held{c.now, c.now + c.crew.patience(c.config.MatchTimeout)}
		}
	}
	return append(effects, c.assign()...)
}

// takeBack takes matches from actors that have not brought them in time, or do not need to any more.
func (c *core) takeBack() (effects []effect) {
	for _, name := range slices.Sorted(maps.Keys(c.crew.mates)) {
		m := c.crew.mates[name]
		for _, id := range slices.Sorted(maps.Keys(m.held)) {
			switch o, asked := c.outstanding[id]; {
			case !asked:
				delete(m.held, id)
			case c.now >= m.held[id].due && !c.claimed(id):
				m.miss(id, c.now)
				effects = append(effects, unbrought{name, o.key.MatchID(o.sets, o.attempt), m.missed})
			}
		}
		if c.now-m.seen > silentFor && c.now >= m.rests && len(m.held) == 0 && len(m.assigned) == 0 {
			delete(c.crew.mates, name)
		}
	}
	return effects
}

// assign gives the actors what has changed of what they hold.
func (c *core) assign() (effects []effect) {
	for _, name := range slices.Sorted(maps.Keys(c.crew.mates)) {
		m := c.crew.mates[name]
		var ids []string
		given := assign{actor: name}
		for _, id := range slices.SortedFunc(maps.Keys(m.held), func(x, y string) int {
			return cmp.Or(cmp.Compare(m.held[x].since, m.held[y].since), cmp.Compare(x, y))
		}) {
			o := c.outstanding[id]
			match := c.Match(o.key, o.sets, o.attempt)
			ids, given.matches = append(ids, match.Id), append(given.matches, match)
		}
		if !slices.Equal(ids, m.assigned) {
			m.assigned = ids
			effects = append(effects, given)
		}
	}
	return effects
}
