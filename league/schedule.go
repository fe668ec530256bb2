package league

import (
	"maps"
	"math"
	"slices"
	"time"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/messages"
)

// schedule fills up the matches that actors have to choose from.
func (c *core) schedule() []effect {
	var effects []effect
	most := c.mostOutstanding()
	for c.standing != nil && len(c.outstanding) < most {
		k, first, ok := c.nextPair()
		if !ok {
			break
		}
		effects = append(effects, publishMatch{match: c.issue(k, first)})
	}
	return effects
}

// mostOutstanding is how many matches may be without a result. Actors take them in the order in which they were asked
// for, so that the first match of a new member, by which people see whether the agent learns, waits behind all of them:
// for half a minute where they are slow. There are as many as there are workers, and one more, which the first worker
// takes that has become free. Before there is a member there is one at a time.
func (c *core) mostOutstanding() int {
	switch {
	case c.newest() == nil:
		return 1
	case c.workers == 0:
		return c.config.Outstanding
	}
	return min(c.config.Outstanding, c.workers+1)
}

// leavesHalf reports whether one match more than n is at most half of the matches without a result.
func (c *core) leavesHalf(n int) bool { return 2*(n+1) <= c.mostOutstanding() }

// nextPair returns the pair that is to play next, and the number of the first set of the
// kind that it is to play:
//
//  0. of the newest member of the main agent one match with the reference of rating 0, by which people see at once
//     whether it learns; then the references against each other, as far as nothing is recorded of them, for a first
//     ground of the ratings, in at most half of the matches without a result, since they take long where one is slow;
//  1. of the newest member of the main agent one match with each reference, of those of exploiters one with their
//     target and with the reference of rating 0: what nothing is known of comes first, however little is played;
//  2. of the newest member of the main agent a match with a reference, where the last was asked for showEvery ago: its
//     strength is what people look at, and moves with each;
//  3. the candidate against the best, for the gate, in at most half of the matches without a result;
//  4. the candidate and the best against every reference, evenly, for the gate's second
//     condition, and longer where the candidate seems to have regressed;
//  5. the newest member, which mostly is the candidate, against every reference;
//  6. of each exploiter the newest member against its target, by which its reset is decided;
//  7. the best against the one before it, to measure what it gained;
//  8. the newest and the best against themselves as they play in training, if that is
//     another way to play, and that way against every reference;
//  9. at the end of a run, the newest member against every reference for longer;
//  10. of each exploiter the newest member against every reference;
//  11. the references against each other, for a firm ground of the ratings;
//  12. the pair whose next match is expected to lower the uncertainty most that the aim is about;
//  13. the candidate against the best, if there is nothing else to do.
//
// While finishing 2, 6 and 10 to 12 do not count.
func (c *core) nextPair() (k rating.Key, first uint64, ok bool) {
	if k, ok = c.least(c.firstSight(), c.config.MatchSets); ok {
		return k, 0, true
	}
	if k, ok = c.least(c.unrecorded(), groundSets); ok && (c.newest() == nil || c.leavesHalf(c.grounds())) {
		return k, 0, true
	}
	if k, ok = c.least(c.firstLooks(), c.config.MatchSets); ok {
		return k, 0, true
	}
	if k, ok = c.least(c.shown(), c.config.FinalSets); ok {
		return k, 0, true
	}
	trial, waits := c.nextTrial()
	if waits && c.leavesHalf(c.trials()) {
		return trial, rating.FirstGateSet, true
	}
	if k, ok = c.nextWanted(); !ok && !c.finishing {
		k, ok = c.nextUncertain()
	}
	if ok {
		return k, 0, true
	}
	return trial, rating.FirstGateSet, waits
}

// groundSets are enough sets of two references for their order to begin to show.
const groundSets = 30

// unrecorded are the pairs of references of which nothing is recorded.
func (c *core) unrecorded() (pairs []rating.Key) {
	for i, r := range c.references {
		for _, other := range c.references[:i] {
			if !c.IsRecorded(r, other) {
				pairs = append(pairs, c.Key(r, other))
			}
		}
	}
	return pairs
}

// grounds counts the matches of two references without a result.
func (c *core) grounds() int {
	n := 0
	for _, o := range c.outstanding {
		if slices.Contains(c.references, o.key.A) && slices.Contains(c.references, o.key.B) {
			n++
		}
	}
	return n
}

// wanted are pairs that are to play as many sets.
type wanted struct {
	pairs []rating.Key
	sets  uint64
}

// wants lists the kinds 4 to 10 of pairs that are to play.
func (c *core) wants() []wanted {
	newest, best := c.withReferences(c.player(c.newest())), c.withReferences(c.best)
	gain, gainSets := c.gainSets()
	sets, final := c.config.ReferenceSets, c.config.FinalSets
	list := []wanted{
		{slices.Concat(c.withReferences(c.player(c.candidate())), best), sets},
		{c.suspects(), final},
		{newest, sets},
	}
	if !c.finishing {
		list = append(list, wanted{c.withTargets(), sets})
	}
	list = append(list, wanted{[]rating.Key{gain}, gainSets}, wanted{c.asInTraining(), sets})
	if c.finishing {
		return append(list, wanted{newest, final})
	}
	for _, m := range c.exploiters() {
		list = append(list, wanted{c.withReferences(c.player(m)), sets})
	}
	return list
}

// firstSight pairs the newest member of the main agent with the reference of rating 0, if there is one.
func (c *core) firstSight() []rating.Key {
	if c.newest() == nil || !slices.Contains(c.references, c.zero) {
		return nil
	}
	return []rating.Key{c.Key(c.player(c.newest()), c.zero)}
}

// firstLooks pairs the newest member of the main agent with every reference, so that how strong it is begins to show
// within seconds. Those of other agents are paired with their target and with the reference of rating 0, without which
// they are not placed.
func (c *core) firstLooks() (pairs []rating.Key) {
	pairs = c.withReferences(c.player(c.newest()))
	for _, a := range c.agents {
		name := c.player(c.newestOf(a.Name))
		if name != "" && slices.Contains(c.references, c.zero) && !c.rooted(name) {
			pairs = append(pairs, c.Key(name, c.zero))
		}
	}
	return append(pairs, c.withTargets()...)
}

// showEvery is the time between two matches of the newest member of the main agent with a reference, at most.
const showEvery = 5 * time.Second

// shown pairs the newest member of the main agent with every reference, when it is time for a match.
func (c *core) shown() []rating.Key {
	if c.finishing || c.now-c.showed < showEvery {
		return nil
	}
	return c.withReferences(c.player(c.newest()))
}

// withTargets pairs the newest member of each exploiter with its target, the newest of the main agent.
func (c *core) withTargets() (pairs []rating.Key) {
	for _, m := range c.exploiters() {
		pairs = append(pairs, c.Key(c.player(m), c.player(c.newest())))
	}
	return pairs
}

// nextWanted returns the pair of the first kind, 4 to 10, that lacks sets, and of its pairs
// the one with the fewest.
func (c *core) nextWanted() (k rating.Key, ok bool) {
	for _, w := range c.wants() {
		if k, ok = c.least(w.pairs, w.sets); ok {
			return k, true
		}
	}
	return k, false
}

// nextUncertain returns the pair whose next sets make the ratings firmer.
func (c *core) nextUncertain() (k rating.Key, ok bool) {
	var pairs []rating.Key
	for i, r := range c.references {
		for _, other := range c.references[:i] {
			pairs = append(pairs, c.Key(r, other))
		}
	}
	if k, ok = c.least(pairs, c.config.ReferenceSets); ok {
		return k, true
	}
	x, y, ok := c.design.Next(func(x, y string) bool { return c.planned(c.Key(x, y), 0) >= c.config.MaxSets })
	return c.Key(x, y), ok
}

// withReferences pairs a member, if there is one, with every reference.
func (c *core) withReferences(member string) []rating.Key {
	if member == "" {
		return nil
	}
	pairs := make([]rating.Key, len(c.references))
	for i, r := range c.references {
		pairs[i] = c.Key(member, r)
	}
	return pairs
}

// least returns the pair with the fewest sets played or asked for, if fewer than limit.
func (c *core) least(pairs []rating.Key, limit uint64) (least rating.Key, ok bool) {
	for _, k := range pairs {
		if n := c.planned(k, 0); n < limit {
			least, limit, ok = k, n, true
		}
	}
	return least, ok
}

// planned returns how many of the sets of a pair that are of the same kind as set number
// first are played or asked for.
func (c *core) planned(k rating.Key, first uint64) uint64 {
	n, limit := uint64(0), rating.Span{First: first}.Limit()
	for _, s := range c.taken(k) {
		if first <= s.First && s.First < limit {
			n += s.End - s.First
		}
	}
	return n
}

// taken returns the sets of a pair that are played or asked for, sorted and merged.
func (c *core) taken(k rating.Key) []rating.Span {
	spans := c.Pair(k.A, k.B).Done
	for _, o := range c.outstanding {
		if o.key == k {
			// An overlap is a match whose sets came with another match's result; it
			// goes when its own is refused.
			spans, _ = rating.AddSpan(spans, o.sets)
		}
	}
	return spans
}

// issue asks for the first sets of a pair, from number first on, that were not asked for.
// The sets of a pair are cut into matches in one way only, at the multiples of MatchSets:
// whatever was forgotten in a crash, two matches of the same sets are the same match.
func (c *core) issue(k rating.Key, first uint64) *messages.Match {
	s := rating.Span{First: first, End: math.MaxUint64}
	for _, t := range c.taken(k) {
		if t.End <= s.First {
			continue
		}
		if t.First > s.First {
			s.End = t.First
			break
		}
		s.First = t.End
	}
	s.End = min(s.End, first+((s.First-first)/c.config.MatchSets+1)*c.config.MatchSets)
	c.outstanding[k.MatchID(s, 0)] = issued{key: k, sets: s, at: c.now}
	if slices.Contains(c.withReferences(c.player(c.newest())), k) {
		c.showed = c.now
	}
	return c.Match(k, s, 0)
}

// plan reports what the next matches are to make certain.
func (c *core) plan() rating.Plan {
	p := rating.Plan{
		Agents: slices.Concat(c.references, c.active()), Aim: c.config.Aim, MatchSets: c.config.MatchSets,
		Precision: c.precision(),
		Newest:    c.player(c.newest()), Best: c.best,
	}
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		p.Asked = append(p.Asked, rating.Asked{Key: o.key, Sets: o.sets})
	}
	return p
}

// precision returns half the width of the interval with which a difference of strengths is
// certain enough.
func (c *core) precision() float64 {
	if c.Spec.Payoff == engine.Money {
		return c.config.MoneyPrecision
	}
	return c.config.Precision / rating.EloPerNat
}

// outstandingIDs returns the ids of the matches without result, sorted.
func (c *core) outstandingIDs() []string { return slices.Sorted(maps.Keys(c.outstanding)) }
