package league

import (
	"slices"

	"croupier/messages"
	"croupier/policy"
)

// memberOrder returns the number of the frozen version that plays under a name, in whatever
// way: "main@12" and "greedy:main@12" are the same version. References have none.
func memberOrder(name string) (uint64, bool) {
	_, network, err := policy.CutTemperature(name)
	if err != nil {
		return 0, false
	}
	_, order, ok := messages.ParseMemberName(network)
	return order, ok
}

// isMember tells frozen versions from references by their names.
func isMember(name string) bool {
	_, ok := memberOrder(name)
	return ok
}

// player names the member as it plays where it is rated, which is how networks of the game
// play best; "" for no member.
func (c *core) player(m *messages.Member) string {
	if m == nil {
		return ""
	}
	return policy.Temperature(c.spec.Temperature).Of(m.Name)
}

// twins returns the newest member and the best as they play where they are rated, each with
// its name when it plays as in training; none where that is the same.
func (c *core) twins() (pairs []pairKey) {
	if !c.samples || policy.Temperature(c.spec.Temperature) == policy.Sampled {
		return nil
	}
	best, _ := memberOrder(c.best)
	for _, m := range c.members {
		if m == c.newest() || m.Order == best {
			pairs = append(pairs, c.key(c.player(m), policy.Sampled.Of(m.Name)))
		}
	}
	return pairs
}

// active returns the names of the members that are matched: the newest, every agent's newest and the best, those
// of their ways to play that have results.
func (c *core) active() []string {
	var names []string
	best, _ := memberOrder(c.best)
	matched := map[uint64]bool{best: true}
	for agent := range c.lineages {
		matched[c.newestOf(agent).GetOrder()] = true
	}
	for i, m := range c.members {
		if i >= len(c.members)-c.config.Population || matched[m.Order] {
			names = append(names, c.player(m))
		}
	}
	for _, twins := range c.twins() {
		for _, name := range []string{twins.a, twins.b} {
			if c.met[name] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// rooted says whether a member has results against a reference, which no member's going takes away.
func (c *core) rooted(name string) bool {
	return slices.ContainsFunc(c.references, func(r string) bool { return c.focal(name, r).sets > 0 })
}

// listed returns the names on the ladder: references, active members, and the
// newest of the others that have results against a reference. An exploiter's newest member that is old and has no such
// results takes nobody's place: when it is followed, nobody comes back who was off the ladder, and perhaps dropped.
func (c *core) listed() []string {
	names := slices.Concat(c.references, c.active())
	left := c.config.LadderMembers
	for i := len(c.members) - 1; i >= 0 && left > 0; i-- {
		name := c.player(c.members[i])
		if i < len(c.members)-c.config.Population && !c.rooted(name) {
			continue
		}
		left--
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
