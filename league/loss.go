package league

import (
	"maps"
	"math"

	"croupier/league/rating"
	"croupier/messages"
)

// Exploitability is the series, and the value of an [Evaluation], that says what a version can lose to an opponent that
// knows it.
const Exploitability = "exploitability"

// clearlyMore is by which factor a version must be able to lose more than another for the gate to hold that against it.
// The values are exact. The margin is there because training near an equilibrium goes up and down by some percent, and
// no single version of those is worth holding on to.
const clearlyMore = 1.1

// heedsLosses reports whether the gate asks what versions can lose: where it is measured, and they do not learn against
// fixed opponents, to make the most of whom is to be open to others.
func (c *core) heedsLosses() bool { return c.evaluates && c.tests() }

// lossOf returns what a member that plays under the name can lose, if that is known. It is NaN where it cannot be
// measured.
func (c *core) lossOf(player string) (loss float64, known bool) {
	order, _ := rating.MemberOrder(player)
	loss, known = c.losses[order]
	return loss, known
}

// known returns what a member that plays under the name can lose, nil where it is not known.
func (c *core) known(player string) *float64 {
	loss, known := c.lossOf(player)
	if !known || math.IsNaN(loss) {
		return nil
	}
	return &loss
}

// lossVerdict reports whether a candidate passes by what it can lose. What cannot be measured is held against no
// candidate.
func (c *core) lossVerdict(candidate, best string) rating.Verdict {
	if !c.heedsLosses() {
		return rating.Passed
	}
	its, most, known := c.lossesOf(candidate, best)
	switch {
	case !known:
		return rating.Undecided
	case its > clearlyMore*most:
		return rating.Failed
	}
	return rating.Passed
}

// losesLess reports whether a member can lose clearly less than the best, where the gate asks for that.
func (c *core) losesLess(candidate, best string) bool {
	its, most, known := c.lossesOf(candidate, best)
	return c.heedsLosses() && known && clearlyMore*its < most
}

// lossesOf returns what a candidate and the best can lose, if both are known.
func (c *core) lossesOf(candidate, best string) (its, most float64, known bool) {
	its, known = c.lossOf(candidate)
	most, bestKnown := c.lossOf(best)
	return its, most, known && bestKnown
}

// learnLoss takes over what a member can lose, and forgets what the gate needs no more.
func (c *core) learnLoss(e evaluated) {
	if !c.heedsLosses() {
		return
	}
	best, _ := rating.MemberOrder(c.best)
	maps.DeleteFunc(c.losses, func(order uint64, _ float64) bool { return order < best })
	c.losses[e.order], c.dirty = e.loss, true
}

// forgottenLoss returns the best, or a later member that has passed the gate's test, of which it is no longer known
// what it can lose: a league that starts does not.
func (c *core) forgottenLoss() *messages.Member {
	if !c.heedsLosses() || c.best == "" {
		return nil
	}
	if _, known := c.lossOf(c.best); !known {
		return c.memberOf(c.best)
	}
	for _, m := range c.afterBest() {
		if _, known := c.losses[m.Order]; !known && c.testOf(c.player(m), c.best) == rating.Passed {
			return m
		}
	}
	return nil
}

// showLosses puts onto the ladder what the best can lose, and who is held back.
func (c *core) showLosses(l *messages.Ladder) {
	for i := range l.Agents {
		if l.Agents[i].Best {
			l.Agents[i].Exploitability = c.known(c.best)
		}
	}
	best := c.known(c.best)
	if best == nil {
		return
	}
	for _, m := range c.afterBest() {
		name := c.player(m)
		if loss := c.known(name); loss != nil && c.testOf(name, c.best) == rating.Passed &&
			c.lossVerdict(name, c.best) == rating.Failed {
			l.HeldBack = &messages.HeldBack{Agent: name, Over: c.best, Exploitability: *loss, ExploitabilityOfBest: *best}
		}
	}
}

// logHeldBack logs, once for each, which version is not best although it beats the best.
func (l *League) logHeldBack(ladder *messages.Ladder) {
	if h := ladder.HeldBack; h != nil && h.Agent != l.heldBack {
		l.heldBack = h.Agent
		l.log.Info("a version is held back by the gate", "why", h.String())
	}
}
