package league

// champion returns the best member: the first, and after it whoever passes the gate
// against the best so far, in the order of joining. It depends on nothing but the
// results of the deciding sets, so that it does not matter when they arrived.
func (c *core) champion() string {
	best := ""
	for _, m := range c.members {
		if best == "" || c.passes(m.Name, best) {
			best = m.Name
		}
	}
	return best
}

// passes is the gate: the interval of the candidate's outcome among the best (mean return,
// or share of the win above parity) is above 0, and it has regressed against no reference:
// where it does not beat the reference for sure, its outcome is not significantly lower
// than the best's. (To
// make less of a weak reference is no regression: in a game with hidden cards it is
// what getting closer to an equilibrium looks like.) The gate is closed until all
// deciding sets of the candidate are there.
func (c *core) passes(candidate, best string) bool {
	f, complete := c.deciding(candidate, best)
	if !complete || f.outcome().Low <= 0 {
		return false
	}
	for _, r := range c.references {
		mine, complete := c.deciding(candidate, r)
		if !complete {
			return false
		}
		its, known := c.deciding(best, r)
		if known && mine.outcome().Low <= 0 && mine.outcome().Below(its.outcome()) {
			return false
		}
	}
	return true
}
