package league

import (
	"encoding/hex"
	"slices"

	"croupier/messages"
)

// gateOf says whether a member has passed the gate against the best before it: its test has decided so, it has
// regressed against no reference, and it cannot lose clearly more to an opponent that knows it, where that is computed.
// That is undecided until both have met all references, and met those longer against whom it seems to have regressed:
// what looks so in few sets often is none.
func (c *core) gateOf(candidate, best string) verdict {
	if v := c.testOf(candidate, best); v != passed {
		return v
	}
	for _, r := range c.references {
		mine, its := c.focal(candidate, r), c.focal(best, r)
		sets, suspect := min(mine.sets, its.sets), c.regressed(r, mine, its)
		switch {
		case sets < c.config.ReferenceSets, suspect && sets < c.config.FinalSets:
			return undecided
		case suspect:
			return failed
		}
	}
	return c.lossVerdict(candidate, best)
}

// tests says whether members are tested against the best. Those that learn against fixed opponents do not learn to beat
// one another, so their games among themselves say nothing of their strength.
func (c *core) tests() bool { return len(c.config.Opponents) == 0 }

// testOf returns what the gate's test of two members has come to: passed, if there is none.
func (c *core) testOf(candidate, best string) verdict {
	if !c.tests() {
		return passed
	}
	if t := c.pair(candidate, best).trial; t != nil {
		return t.Verdict
	}
	return undecided
}

// suspects pairs the candidate, if it has passed the test, and the best with the references
// against whom it seems to have regressed.
func (c *core) suspects() (pairs []pairKey) {
	candidate := c.player(c.candidate())
	if candidate == "" || c.testOf(candidate, c.best) != passed {
		return nil
	}
	for _, r := range c.references {
		if c.regressed(r, c.focal(candidate, r), c.focal(c.best, r)) {
			pairs = append(pairs, c.key(candidate, r), c.key(c.best, r))
		}
	}
	return pairs
}

// regressed says whether a candidate with these sets against a reference is worse than the best with its own: it does
// not beat the reference for sure, and its outcome is significantly lower. (To make less of a weak reference is no
// regression, unless it is to learn to make the most of it: in a game with hidden cards it is what
// getting closer to an equilibrium looks like.)
func (c *core) regressed(reference string, candidate, best focalSets) bool {
	mine := candidate.outcome()
	return (mine.Low <= 0 || slices.Contains(c.config.Opponents, reference)) && mine.Below(best.outcome())
}

// candidate returns the member that is at the gate, nil for none. It is the oldest of those
// after the best whose test has begun and not ended: whoever comes later waits. Then it is
// the newest member, and those that it has overtaken are never tried.
func (c *core) candidate() *messages.Member {
	newest := c.newest()
	if newest == nil || len(c.promotions) == 0 {
		return nil
	}
	if !c.finishing {
		for _, m := range c.afterBest() {
			if m != newest && c.tried(c.player(m), c.best) && c.gateOf(c.player(m), c.best) == undecided {
				return m
			}
		}
	}
	if order, _ := memberOrder(c.best); newest.Order <= order || c.gateOf(c.player(newest), c.best) != undecided {
		return nil
	}
	return newest
}

// progress says how far the oldest test of a member against the best has come that has begun
// and not ended, nil if there is none. It follows from the results alone, as a ladder does.
func (c *core) progress() *messages.LadderGate {
	for _, m := range c.afterBest() {
		t := c.pair(c.player(m), c.best).trial
		if t != nil && t.Verdict == undecided && t.Seen.Sets > 0 {
			return &messages.LadderGate{Agent: c.player(m), Sets: t.Seen.Sets, MaxSets: c.config.GateMaxSets}
		}
	}
	return nil
}

// afterBest returns the main agent's members that are newer than the best.
func (c *core) afterBest() []*messages.Member {
	best, _ := memberOrder(c.best)
	members := c.lineages[messages.LearningAgent]
	for i, m := range members {
		if m.Order > best {
			return members[i:]
		}
	}
	return nil
}

// nextPromotion returns the promotion that is due, nil for none: the main agent's first member becomes
// best by itself, and then whoever has passed the gate, in the order of joining.
func (c *core) nextPromotion() *messages.Promotion {
	if c.newest() == nil || c.promoting {
		return nil
	}
	if len(c.promotions) == 0 {
		return c.promotion(c.lineages[messages.LearningAgent][0])
	}
	for _, m := range c.afterBest() {
		if c.gateOf(c.player(m), c.best) == passed {
			return c.promotion(m)
		}
	}
	return nil
}

// promotion records why the member becomes best now.
func (c *core) promotion(m *messages.Member) *messages.Promotion {
	p := &messages.Promotion{
		Number: c.lastPromotion() + 1, Agent: c.player(m), Over: c.best, SHA256: hex.EncodeToString(m.Sha256),
		Seconds: m.Seconds, Samples: m.Samples, Result: c.place.Sequence,
	}
	if c.best == "" {
		return p
	}
	if c.tests() {
		tested := c.pair(p.Agent, c.best)
		sets := c.seen(tested)
		p.Gate = &messages.GateTest{
			FirstSet: tested.key.base() + firstDeciding, Sets: sets.sets, Games: c.played(sets.sets),
			Outcome:  messages.Interval(sets.outcome().Rounded()),
			Evidence: c.gate.evidence(sets.gain()), Threshold: c.gate.threshold(),
			MinimumGain: c.gate.gain, Error: c.gate.error,
		}
	}
	p.Exploitability, p.ExploitabilityBefore = c.known(p.Agent), c.known(c.best)
	for _, r := range c.references {
		mine, its := c.focal(p.Agent, r), c.focal(c.best, r)
		p.References = append(p.References, messages.GateReference{
			Name: r, Sets: mine.sets, Agent: messages.Interval(mine.outcome().Rounded()),
			SetsBefore: its.sets, Before: messages.Interval(its.outcome().Rounded()),
		})
	}
	return p
}

// promote takes over a promotion that is on record. A second one of the same number is
// ignored: they never change.
func (c *core) promote(p *messages.Promotion) []effect {
	c.promoting = false
	if p.Number <= c.lastPromotion() {
		return nil
	}
	c.promotions = append(c.promotions, p)
	from := c.best
	c.best, c.dirty = p.Agent, true
	if !c.ready {
		return nil
	}
	return []effect{moveBest{from: from, to: p.Agent}}
}

// lastPromotion returns the number of the last promotion, 0 for none.
func (c *core) lastPromotion() uint64 {
	if len(c.promotions) == 0 {
		return 0
	}
	return c.promotions[len(c.promotions)-1].Number
}

// gainSets returns the pair of the best and the one before it, and how many sets the gain
// is measured in beside those that decided: as many as it took to decide, within reason.
func (c *core) gainSets() (k pairKey, sets uint64) {
	if len(c.promotions) == 0 {
		return pairKey{}, 0
	}
	last := c.promotions[len(c.promotions)-1]
	if last.Gate == nil {
		return pairKey{}, 0
	}
	return c.key(last.Agent, last.Over), min(max(last.Gate.Sets, c.config.ReferenceSets), c.config.MaxSets)
}

// gainKnown says whether the results of these sets are there.
func (c *core) gainKnown() bool {
	k, sets := c.gainSets()
	return c.pair(k.a, k.b).total().Sets >= sets
}

// trainingPlayKnown says whether the results of members as they play in training are there.
func (c *core) trainingPlayKnown() bool {
	return !slices.ContainsFunc(c.asInTraining(), func(k pairKey) bool {
		return c.pairOf(k).total().Sets < c.config.ReferenceSets
	})
}

// history lists the promotions for the ladder, each with what was gained, measured in other
// sets than those that decided: the newest of as many as there are members on the ladder.
func (c *core) history() []messages.LadderPromotion {
	all := []messages.LadderPromotion{}
	for _, p := range c.promotions[max(0, len(c.promotions)-c.config.LadderMembers):] {
		entry := messages.LadderPromotion{
			Number: p.Number, Agent: p.Agent, Over: p.Over, Seconds: p.Seconds, Samples: p.Samples,
			Exploitability: p.Exploitability, ExploitabilityBefore: p.ExploitabilityBefore,
		}
		if p.Gate != nil {
			entry.GateSets = p.Gate.Sets
		}
		if sets := c.focal(p.Agent, p.Over); p.Over != "" && sets.sets > 0 {
			i := sets.gained().Rounded()
			entry.Gain = &messages.Gain{Games: c.played(sets.sets), Value: i.Value, Low: i.Low, High: i.High}
		}
		all = append(all, entry)
	}
	return all
}
