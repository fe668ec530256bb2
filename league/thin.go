package league

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"croupier/league/rating"
	"croupier/messages"
)

// dropAtOnce bounds the members that are dropped in a second: they are rated together with the ladder.
const dropAtOnce = 32

// keeps is the rule by which what is counted from 1 is thinned: of those that are newer than the newest by
// less than keep all stay, of the older ones every second up to twice that age, every fourth up to four times
// that, and so on. So keep/2 stay for each doubling of the age, a member that is dropped was not needed at any later
// time, and the first always stays.
func keeps(number, newest, keep uint64) bool {
	return number == 1 || (newest-min(number, newest))>>bits.TrailingZeros64(number) < keep
}

// thin has members dropped that are old, and of no use for the ladder and for whatever comes next. They are
// rated once more, among all who are on the ladder.
func (c *core) thin() ([]effect, error) {
	if c.finishing || c.standing == nil || c.dirty {
		return nil, nil
	}
	superfluous := c.superfluous()
	if len(superfluous) == 0 {
		return nil, nil
	}
	agents := c.listed()
	for _, m := range superfluous {
		agents = append(agents, c.player(m))
	}
	last, err := c.Rate(rating.Listing{Agents: agents, Kind: c.kind, Zero: c.zero, Best: c.best})
	if err != nil {
		return nil, err
	}
	standings := map[string]messages.Standing{}
	for _, a := range last.Ladder.Agents {
		standings[a.Name] = messages.Standing{Rating: a.Rating, Low: a.Low, High: a.High, Games: a.Games}
	}
	e := drop{}
	for _, m := range superfluous {
		e.members = append(e.members, messages.DroppedMember{Member: m, Standing: standings[c.player(m)]})
	}
	return []effect{e}, nil
}

// superfluous returns the oldest members, dropAtOnce at most, that the rule does not keep, neither by their
// places among those of their agent nor by those of their promotions, and that nothing needs.
func (c *core) superfluous() (old []*messages.Member) {
	for agent, members := range c.lineages {
		all := c.joins[agent]
		for _, m := range members {
			if i, _ := slices.BinarySearch(all, m.Order); !keeps(uint64(i)+1, uint64(len(all)), c.config.KeepMembers) {
				old = append(old, m)
			}
		}
	}
	slices.SortFunc(old, func(x, y *messages.Member) int { return cmp.Compare(x.Order, y.Order) })
	if len(old) == 0 {
		return nil
	}
	needed := c.needed()
	old = slices.DeleteFunc(old, func(m *messages.Member) bool { return needed[m.Order] })
	return old[:min(len(old), dropAtOnce)]
}

// needed returns the numbers of the members that stay whatever their age: those on the ladder and in its list
// of promotions, those that training games are played against, those that are matched, measured or at the gate, and
// of all that were best as many as the rule keeps of promotions.
func (c *core) needed() map[uint64]bool {
	names := slices.Concat(c.listed(), c.active())
	for i, p := range c.promotions {
		if i >= len(c.promotions)-c.config.LadderMembers {
			names = append(names, p.Over)
		}
		if i >= len(c.promotions)-c.config.LadderMembers || keeps(p.Number, c.lastPromotion(), c.config.KeepMembers) {
			names = append(names, p.Agent)
		}
	}
	for _, o := range c.outstanding {
		names = append(names, o.key.A, o.key.B)
	}
	for _, m := range c.afterBest() {
		if name := c.player(m); c.tried(name, c.best) && c.gateOf(name, c.best) != rating.Failed {
			names = append(names, name)
		}
	}
	needed := map[uint64]bool{}
	for _, name := range names {
		order, _ := rating.MemberOrder(name)
		needed[order] = true
	}
	for _, a := range c.agents {
		newest := c.newestOf(a.Name)
		needed[newest.GetOrder()] = true
		needed[c.lastBefore(a.Name, newest.GetResets()).GetOrder()] = true // it reports when the next reset is due
		if a.Role != Main && newest.GetOrder() > c.plotted[a.Name] {
			needed[c.metTarget(newest).GetOrder()] = true
		}
	}
	for i, m := range c.members {
		if i >= len(c.members)-c.config.Pool || c.awaitsEvaluation(m) {
			needed[m.Order] = true
		}
	}
	main := c.lineages[messages.LearningAgent]
	for _, m := range main[max(0, len(main)-c.config.Pool):] { // a main exploiter's pool
		needed[m.Order] = true
	}
	return needed
}

// drop forgets members, and all pairs of theirs. No agent on the ladder is rated by these.
func (c *core) drop(members []*messages.Member) {
	for _, m := range members {
		c.dropped[m.Order] = true
		c.joined(m)
	}
	gone := func(m *messages.Member) bool { return c.dropped[m.Order] }
	c.members = slices.DeleteFunc(c.members, gone)
	for agent, members := range c.lineages {
		c.lineages[agent] = slices.DeleteFunc(members, gone)
	}
	maps.DeleteFunc(c.outstanding, func(_ string, o issued) bool { return c.ofDropped(o.key) })
	c.Forget(c.isDropped)
}

// isDropped reports whether a name is one of a member that was dropped, in whatever way it plays.
func (c *core) isDropped(name string) bool {
	order, ok := rating.MemberOrder(name)
	return ok && c.dropped[order]
}

func (c *core) ofDropped(k rating.Key) bool { return c.isDropped(k.A) || c.isDropped(k.B) }
