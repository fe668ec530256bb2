package league

import (
	"slices"

	"croupier/messages"
)

// memberOrder returns the number of a frozen version by its name; references have none.
func memberOrder(name string) (uint64, bool) {
	_, order, ok := messages.ParseMemberName(name)
	return order, ok
}

// isMember tells frozen versions from references by their names.
func isMember(name string) bool {
	_, ok := memberOrder(name)
	return ok
}

// active returns the names of the members that are matched: the newest and the best.
func (c *core) active() []string {
	var names []string
	for i, m := range c.members {
		if i >= len(c.members)-c.config.Population || m.Name == c.best {
			names = append(names, m.Name)
		}
	}
	return names
}

// listed returns the names on the ladder: references, active members, and the
// newest of the others that have results.
func (c *core) listed() []string {
	names := slices.Concat(c.references, c.active())
	old := c.config.LadderMembers
	for i := len(c.members) - 1; i >= 0 && old > 0; i-- {
		name := c.members[i].Name
		switch {
		case slices.Contains(names, name):
			old--
		case c.met[name]:
			names = append(names, name)
			old--
		}
	}
	return names
}
