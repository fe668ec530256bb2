package league

import (
	"maps"
	"math"
	"slices"

	"croupier/engine"
	"croupier/messages"
)

// schedule fills up the matches that actors have to choose from.
func (c *core) schedule() []effect {
	var effects []effect
	for c.standing != nil && len(c.outstanding) < c.config.Outstanding {
		k, first, ok := c.nextPair()
		if !ok {
			break
		}
		effects = append(effects, publishMatch{match: c.issue(k, first)})
	}
	return effects
}

// nextPair returns the pair that is to play next, and the number of the first set of the
// kind that it is to play:
//
//  0. the references against each other, as far as nothing is recorded of them, for a first ground of the ratings;
//  1. the candidate against the best, for the gate, while that is less than half of the
//     matches without a result;
//  2. of the newest member of each agent that has no result, one match with the reference of rating 0, and of those of
//     exploiters one with their target: what nobody knows anything of comes first, however little is played;
//  3. the candidate and the best against every reference, evenly, for the gate's second
//     condition, and longer where the candidate seems to have regressed;
//  4. the newest member, which mostly is the candidate, against every reference;
//  5. of each exploiter the newest member against its target, by which its reset is decided;
//  6. the best against the one before it, to measure what it gained;
//  7. the newest and the best against themselves as they play in training, if that is
//     another way to play, and that way against every reference;
//  8. at the end of a run, the newest member against every reference for longer;
//  9. of each exploiter the newest member against every reference;
//  10. the references against each other, for a firm ground of the ratings;
//  11. the pair whose next match is expected to lower the uncertainty most that the aim is about;
//  12. the candidate against the best, if there is nothing else to do.
//
// While finishing 5 and 9 to 11 do not count.
func (c *core) nextPair() (k pairKey, first uint64, ok bool) {
	if k, ok = c.least(c.unrecorded(), groundSets); ok {
		return k, 0, true
	}
	trial, waits := c.nextTrial()
	if waits && 2*c.trials() < c.config.Outstanding {
		return trial, firstDeciding, true
	}
	if k, ok = c.nextWanted(); !ok && !c.finishing {
		k, ok = c.nextUncertain()
	}
	if ok {
		return k, 0, true
	}
	return trial, firstDeciding, waits
}

// groundSets are so many sets of two references that their order begins to show.
const groundSets = 30

// unrecorded are the pairs of references of which nothing is recorded.
func (c *core) unrecorded() (pairs []pairKey) {
	for i, r := range c.references {
		for _, other := range c.references[:i] {
			if _, ok := c.recorded[newPairKey(r, other)]; !ok {
				pairs = append(pairs, c.key(r, other))
			}
		}
	}
	return pairs
}

// wanted are pairs that are to play as many sets.
type wanted struct {
	pairs []pairKey
	sets  uint64
}

// wants lists the kinds 2 to 9 of pairs that are to play.
func (c *core) wants() []wanted {
	newest, best := c.withReferences(c.player(c.newest())), c.withReferences(c.best)
	gain, gainSets := c.gainSets()
	sets, final := c.config.ReferenceSets, c.config.FinalSets
	list := []wanted{
		{c.firstLooks(), c.config.MatchSets},
		{slices.Concat(c.withReferences(c.player(c.candidate())), best), sets},
		{c.suspects(), final},
		{newest, sets},
	}
	if !c.finishing {
		list = append(list, wanted{c.withTargets(), sets})
	}
	list = append(list, wanted{[]pairKey{gain}, gainSets}, wanted{c.asInTraining(), sets})
	if c.finishing {
		return append(list, wanted{newest, final})
	}
	for _, m := range c.exploiters() {
		list = append(list, wanted{c.withReferences(c.player(m)), sets})
	}
	return list
}

// firstLooks pairs the newest member of each agent with the reference of rating 0, without which it is not placed, and
// those of exploiters with their target.
func (c *core) firstLooks() (pairs []pairKey) {
	for _, a := range c.agents {
		name := c.player(c.newestOf(a.Name))
		if name != "" && slices.Contains(c.references, c.zero) && !c.rooted(name) {
			pairs = append(pairs, c.key(name, c.zero))
		}
	}
	return append(pairs, c.withTargets()...)
}

// withTargets pairs the newest member of each exploiter with its target, the newest of the main agent.
func (c *core) withTargets() (pairs []pairKey) {
	for _, m := range c.exploiters() {
		pairs = append(pairs, c.key(c.player(m), c.player(c.newest())))
	}
	return pairs
}

// nextWanted returns the pair of the first kind, 2 to 9, that lacks sets, and of its pairs
// the one with the fewest.
func (c *core) nextWanted() (k pairKey, ok bool) {
	for _, w := range c.wants() {
		if k, ok = c.least(w.pairs, w.sets); ok {
			return k, true
		}
	}
	return k, false
}

// nextUncertain returns the pair whose next sets make the ratings firmer.
func (c *core) nextUncertain() (k pairKey, ok bool) {
	var pairs []pairKey
	for i, r := range c.references {
		for _, other := range c.references[:i] {
			pairs = append(pairs, c.key(r, other))
		}
	}
	if k, ok = c.least(pairs, c.config.ReferenceSets); ok {
		return k, true
	}
	x, y, ok := c.design.next(func(x, y string) bool { return c.planned(c.key(x, y), 0) >= c.config.MaxSets })
	return c.key(x, y), ok
}

// withReferences pairs a member, if there is one, with every reference.
func (c *core) withReferences(member string) []pairKey {
	if member == "" {
		return nil
	}
	pairs := make([]pairKey, len(c.references))
	for i, r := range c.references {
		pairs[i] = c.key(member, r)
	}
	return pairs
}

// least returns the pair with the fewest sets played or asked for, if fewer than limit.
func (c *core) least(pairs []pairKey, limit uint64) (least pairKey, ok bool) {
	for _, k := range pairs {
		if n := c.planned(k, 0); n < limit {
			least, limit, ok = k, n, true
		}
	}
	return least, ok
}

// planned returns how many of the sets of a pair that are of the same kind as set number
// first are played or asked for.
func (c *core) planned(k pairKey, first uint64) uint64 {
	n, limit := uint64(0), span{First: first}.limit()
	for _, s := range c.taken(k) {
		if first <= s.First && s.First < limit {
			n += s.End - s.First
		}
	}
	return n
}

// taken returns the sets of a pair that are played or asked for, sorted and merged.
func (c *core) taken(k pairKey) []span {
	spans := c.pair(k.a, k.b).done
	for _, o := range c.outstanding {
		if o.key == k {
			// An overlap is a match whose sets came with another match's result; it
			// goes when its own is refused.
			spans, _ = insert(spans, o.sets)
		}
	}
	return spans
}

// issue asks for the first sets of a pair, from number first on, that nobody was asked for.
// The sets of a pair are cut into matches in one way only, at the multiples of MatchSets:
// whatever was forgotten in a crash, two matches of the same sets are the same match.
func (c *core) issue(k pairKey, first uint64) *messages.Match {
	s := span{First: first, End: math.MaxUint64}
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
	c.outstanding[k.matchID(s, 0)] = issued{key: k, sets: s, at: c.now}
	return c.match(k, s, 0)
}

// precision returns half the width of the interval with which a difference of strengths is
// certain enough.
func (c *core) precision() float64 {
	if c.spec.Payoff == engine.Money {
		return c.config.MoneyPrecision
	}
	return c.config.Precision / eloPerNat
}

// outstandingIDs returns the ids of the matches without result, sorted.
func (c *core) outstandingIDs() []string { return slices.Sorted(maps.Keys(c.outstanding)) }
