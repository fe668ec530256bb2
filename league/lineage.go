package league

import (
	"bytes"
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// agentOf returns the learning agent of whom the member is a frozen version.
func agentOf(m *messages.Member) string {
	agent, _, _ := messages.ParseMemberName(m.GetName())
	return agent
}

// newestOf returns the member of an agent that joined last, nil without members.
func (c *core) newestOf(agent string) *messages.Member {
	members := c.lineages[agent]
	if len(members) == 0 {
		return nil
	}
	return members[len(members)-1]
}

// newest returns the main agent's member that joined last, nil without members.
func (c *core) newest() *messages.Member { return c.newestOf(messages.LearningAgent) }

func (c *core) newestOrder() uint64 { return c.newest().GetOrder() }

// pointer is that of the main agent.
func (c *core) pointer() *messages.Pointer { return c.pointers[messages.LearningAgent] }

// joined notes that an agent has had a member.
func (c *core) joined(m *messages.Member) {
	all := c.joins[agentOf(m)]
	if i, known := slices.BinarySearch(all, m.Order); !known {
		c.joins[agentOf(m)] = slices.Insert(all, i, m.Order)
	}
}

// last is the greatest number that a member has been given, as far as is known.
func (c *core) last() uint64 {
	if len(c.members) == 0 {
		return c.used
	}
	return max(c.members[len(c.members)-1].Order, c.used)
}

// nextFreeze says whose weights are to be frozen now. One is frozen at a time: there is one counter.
func (c *core) nextFreeze() (freeze, bool) {
	if c.freezing != 0 {
		return freeze{}, false
	}
	for _, a := range c.agents {
		if c.freezes(a) {
			return c.freeze(a.Name), true
		}
	}
	return freeze{}, false
}

// freezes reports whether an agent's weights are to be frozen now: the first at once, then whenever freezeGap updates
// have gone by, the agent's newest member is rated and none is at the gate, so that members never come faster than
// they can be rated and tried; but after four times as many updates in any case. The early members, whose gaps are
// short, are followed as soon as they have met every reference: how fast the learner learns is seen from them. Where
// the arena is slow, members of exploiters of whom nothing is known would follow one another in the beginning, when
// gaps are short: they wait for a first match, or the full gap. While finishing only the main agent's are, for as long
// as that may take.
func (c *core) freezes(a Agent) bool {
	p, newest := c.pointers[a.Name], c.newestOf(a.Name)
	if object, sum := p.Lasting(); p == nil || bytes.Equal(sum, newest.GetSha256()) || object == c.gone[a.Name] {
		return false
	}
	if c.finishing { // what cannot be frozen, for example on a full disk, is not tried for ever
		return a.Role == Main && !(c.unfrozen && c.late())
	}
	if newest == nil {
		return true
	}
	gap := c.config.freezeGap(newest.Order)
	grown := p.Updates - min(p.Updates, newest.Updates)
	if a.Role != Main {
		name := c.player(newest)
		seen := c.rooted(name) && c.metTarget(newest) != nil
		return grown >= max(4*gap, c.config.FreezeUpdates) || grown >= 4*gap && seen || grown >= gap &&
			c.measured(name, c.config.ReferenceSets)
	}
	met := newest.Order < earlyMembers && c.measured(c.player(newest), c.config.MatchSets)
	return grown >= 4*gap || grown >= gap && (met || c.reported >= newest.Order && c.candidate() == nil)
}

// nameRoles notes in a ladder which of its agents are versions of exploiters.
func (c *core) nameRoles(l *messages.Ladder) {
	for i := range l.Agents {
		m := c.memberOf(l.Agents[i].Name)
		for _, a := range c.agents[1:] {
			if m != nil && agentOf(m) == a.Name {
				l.Agents[i].Role = string(a.Role)
			}
		}
	}
}

// exploiters returns the newest member of each agent but the main one, of those that have any.
func (c *core) exploiters() (members []*messages.Member) {
	for _, a := range c.agents {
		if m := c.newestOf(a.Name); a.Role != Main && m != nil && c.newest() != nil {
			members = append(members, m)
		}
	}
	return members
}

// freeze has an agent's weights frozen under the next number.
func (c *core) freeze(agent string) freeze {
	p, order := c.pointers[agent], c.last()+1
	_, sum := p.Lasting()
	return freeze{pointer: p, member: &messages.Member{
		Schema: messages.SchemaVersion, Name: messages.MemberName(agent, order),
		Object: messages.MemberObject(agent, order, [32]byte(sum)), Sha256: sum,
		Updates: p.Updates, Samples: p.Samples, Order: order, Seconds: p.Seconds, Setbacks: p.Setbacks, Resets: p.Resets,
	}}
}

// nextReset returns the reset that is due, nil for none: of an exploiter whose newest version beats its target, or
// that has learnt for long enough. What it has become stays in the population. Its learner obeys one reset after
// the other, and versions say how many came before them, so that none is ordered twice.
func (c *core) nextReset() *messages.Reset {
	if c.finishing {
		return nil
	}
	for _, a := range c.agents {
		if a.Role == Main || c.resetting[a.Name] {
			continue
		}
		m := c.newestOf(a.Name)
		if m == nil || c.pointers[a.Name].GetResets() != m.Resets || c.resetsOf(a.Name) > m.Resets {
			continue // it is beginning again, or has not come to a version since
		}
		if why := c.sated(a, m); why != "" {
			return &messages.Reset{Agent: a.Name, Number: m.Resets + 1, Member: m.Name, Why: why}
		}
	}
	return nil
}

// resetsOf is the number of an agent's last reset, 0 before the first.
func (c *core) resetsOf(agent string) uint64 {
	if last := c.resets[agent]; last != nil {
		return last.Number
	}
	return 0
}

// sated reports why an exploiter that has come to a version is to begin again, "" if it is not.
func (c *core) sated(a Agent, m *messages.Member) string {
	if target := c.player(c.newest()); target != "" {
		sets := c.Focal(c.player(m), target).Sets
		if chance := c.chanceOf(c.player(m), target); sets >= c.config.ReferenceSets && chance >= a.ResetAbove {
			return fmt.Sprintf("%s comes out ahead of %s with a chance of %.2f", m.Name, target, chance)
		}
	}
	if learnt := m.Updates - min(m.Updates, c.lastBefore(a.Name, m.Resets).GetUpdates()); learnt >= a.ResetUpdates {
		return fmt.Sprintf("%s has learnt for %d updates", m.Name, learnt)
	}
	return ""
}

// lastBefore is an agent's last member before it began for the last time, with a number of resets, or, if there is
// none, the first one after; nil if it has never begun again. Its updates are those with which the agent began, as far
// as is known.
func (c *core) lastBefore(agent string, resets uint64) (last *messages.Member) {
	for i, m := range c.lineages[agent] {
		if m.Resets < resets || i == 0 && resets > 0 {
			last = m
		}
	}
	return last
}

// reportFollowed returns the curve point of an agent's newest member that is about to be followed, or is the last of
// the run, unless it is out or there is nothing to say.
func (c *core) reportFollowed(agent string) []effect {
	if agent == messages.LearningAgent {
		return c.reportUnfinished()
	}
	m := c.newestOf(agent)
	if m == nil || m.Order <= c.plotted[agent] || c.standing == nil {
		return nil
	}
	p := newPoints(m)
	add := func(series string, i stat.Interval) {
		p.Points = append(p.Points, &messages.Point{Series: series + agent, Value: i.Value, Low: i.Low, High: i.High,
			HasInterval: true})
	}
	if i, ok := c.standing.Rating(c.player(m)); ok {
		add("rating/", i)
	}
	if target := c.metTarget(m); target != nil {
		if f := c.Focal(c.player(m), c.player(target)); c.Spec.Payoff == engine.Money {
			add("exploit_return/", f.MeanReturn())
		} else {
			add("exploit_share/", f.WinShare())
		}
	}
	if len(p.Points) == 0 {
		return nil
	}
	c.plotted[agent] = m.Order
	return []effect{publishPoints{p}}
}

// metTarget returns the newest version of the main agent that a member has met, nil for none.
func (c *core) metTarget(m *messages.Member) *messages.Member {
	for _, target := range slices.Backward(c.lineages[messages.LearningAgent]) {
		if c.Focal(c.player(m), c.player(target)).Sets > 0 {
			return target
		}
	}
	return nil
}
