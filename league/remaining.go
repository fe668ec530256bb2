package league

import (
	"time"

	"croupier/league/rating"
)

// lastRating is how far the rating of the newest version has come at the end of a run.
type lastRating struct {
	played uint64        // games whose results have come since
	left   uint64        // games still to be played, at most: the gate may decide sooner
	length time.Duration // since its beginning
}

// lastRating returns how far the last rating has come; false before the end of a run.
func (c *core) lastRating() (r lastRating, ok bool) {
	if !c.finishing {
		return r, false
	}
	return lastRating{c.games() - c.gamesBefore, c.remaining(), c.now - c.finishingSince}, true
}

// timeIsUp reports whether finishing has taken as long as it may, and what is there is rated.
func (c *core) timeIsUp() bool {
	return c.late() && !c.dirty && c.freezing == 0
}

// late says whether finishing has taken as long as it may.
func (c *core) late() bool { return c.finishWithin > 0 && c.now-c.finishingSince >= c.finishWithin }

// games returns how many games all results together are.
func (c *core) games() (games uint64) {
	for _, p := range c.Pairs {
		for _, s := range p.Done {
			games += c.Games(s.End - s.First)
		}
	}
	return games
}

// remaining returns how many games are to be played before the end, at most.
func (c *core) remaining() (games uint64) {
	limits := map[rating.Key]uint64{}
	for _, w := range c.wants() {
		for _, k := range w.pairs {
			limits[k] = max(limits[k], w.sets)
		}
	}
	for k, limit := range limits {
		games += c.lacking(k, 0, limit)
	}
	if k, _ := c.nextTrial(); k != (rating.Key{}) && c.testOf(k.A, k.B) == rating.Undecided {
		games += c.lacking(k, rating.FirstGateSet, min(c.Gate.Most, c.config.FinalSets))
	}
	return games
}

// lacking returns how many games a pair has yet to play until it has as many sets of the kind of
// set number first.
func (c *core) lacking(k rating.Key, first, sets uint64) (games uint64) {
	limit := rating.Span{First: first}.Limit()
	for _, s := range c.Pair(k.A, k.B).Done {
		if first <= s.First && s.First < limit {
			sets -= min(sets, s.End-s.First)
		}
	}
	return c.Games(sets)
}
