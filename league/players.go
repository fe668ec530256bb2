package league

import (
	"slices"

	"croupier/league/rating"
	"croupier/messages"
	"croupier/policy"
)

// player names the member as it plays where it is rated, which is how networks of the game
// play best; "" for no member.
func (c *core) player(m *messages.Member) string {
	if m == nil {
		return ""
	}
	return policy.Temperature(c.Spec.Temperature).Of(m.Name)
}

// sampled returns the newest member and the best as they play in training; none where that is how they are rated.
func (c *core) sampled() (names []string) {
	if !c.samples || policy.Temperature(c.Spec.Temperature) == policy.Sampled {
		return nil
	}
	best, _ := rating.MemberOrder(c.best)
	for _, m := range c.members {
		if m == c.newest() || m.Order == best {
			names = append(names, policy.Sampled.Of(m.Name))
		}
	}
	return names
}

// asInTraining pairs members as they play in training with every reference, and with themselves as they are rated.
func (c *core) asInTraining() (pairs []rating.Key) {
	for _, name := range c.sampled() {
		pairs = append(pairs, c.withReferences(name)...)
		pairs = append(pairs, c.Key(name, policy.Temperature(c.Spec.Temperature).Of(name)))
	}
	return pairs
}

// active returns the names of the members that are matched: the newest, every agent's newest and the best, those
// of their ways to play that have results.
func (c *core) active() []string {
	var names []string
	best, _ := rating.MemberOrder(c.best)
	matched := map[uint64]bool{best: true}
	for agent := range c.lineages {
		matched[c.newestOf(agent).GetOrder()] = true
	}
	for i, m := range c.members {
		if i >= len(c.members)-c.config.Population || matched[m.Order] {
			names = append(names, c.player(m))
		}
	}
	for _, name := range c.sampled() {
		if c.HasResults(name) {
			names = append(names, name)
		}
	}
	return names
}

// rooted reports whether a member has results against a reference, which no member's going takes away. Of others a
// rating would say no more than whom they have met: a narrow interval around nothing.
func (c *core) rooted(name string) bool {
	return slices.ContainsFunc(c.references, func(r string) bool { return c.Focal(name, r).Sets > 0 })
}

// listed returns the names on the ladder: references, the best, and, of those with results against a reference, the
// active members and the newest of the others.
func (c *core) listed() []string {
	names := slices.Clone(c.references)
	for _, name := range c.active() {
		if name == c.best || c.rooted(name) {
			names = append(names, name)
		}
	}
	left := c.config.LadderMembers
	for i := len(c.members) - 1; i >= 0 && left > 0; i-- {
		name := c.player(c.members[i])
		rooted := c.rooted(name)
		if !rooted && i < len(c.members)-c.config.Population {
			continue
		}
		left--
		if rooted && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
