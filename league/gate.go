package league

import (
	"encoding/hex"
	"slices"

	"croupier/league/rating"
	"croupier/messages"
)

// gateOf reports whether a member has passed the gate against the best before it: it has passed at the run's own table
// and is worse at no other one where versions are measured.
func (c *core) gateOf(candidate, best string) rating.Verdict {
	if v := c.gateAtHome(candidate, best); v != rating.Passed {
		return v
	}
	return c.others.verdict(candidate, best)
}

// gateAtHome reports whether a member has passed the gate at the run's own table: its test has decided so, or it can
// lose clearly less to an opponent that knows it, where that is computed; it has regressed against no reference; and it
// cannot lose clearly more. That is undecided until both have met all references, and met those longer against whom it
// seems to have regressed: what looks so in few sets often is none.
func (c *core) gateAtHome(candidate, best string) rating.Verdict {
	if v := c.improved(candidate, best); v != rating.Passed {
		return v
	}
	for _, r := range c.references {
		mine, its := c.Focal(candidate, r), c.Focal(best, r)
		sets, suspect := min(mine.Sets, its.Sets), c.regressed(r, mine, its)
		switch {
		case sets < c.config.ReferenceSets, suspect && sets < c.config.FinalSets:
			return rating.Undecided
		case suspect:
			return rating.Failed
		}
	}
	return c.lossVerdict(candidate, best)
}

// tests reports whether members are tested against the best. Those that learn against fixed opponents do not learn to
// beat one another, so their games among themselves say nothing of their strength.
func (c *core) tests() bool { return len(c.config.Opponents) == 0 }

// testOf returns what the gate's test of two members has come to: passed, if there is none.
func (c *core) testOf(candidate, best string) rating.Verdict {
	if !c.tests() {
		return rating.Passed
	}
	if t := c.Pair(candidate, best).Trial; t != nil {
		return t.Verdict
	}
	return rating.Undecided
}

// improved reports whether a member is better than the best: by its test, or by what it can lose, which is exact.
func (c *core) improved(candidate, best string) rating.Verdict {
	if c.losesLess(candidate, best) {
		return rating.Passed
	}
	return c.testOf(candidate, best)
}

// suspects pairs the candidate, if it seems to be better, and the best with the references
// against whom it seems to have regressed.
func (c *core) suspects() (pairs []rating.Key) {
	candidate := c.player(c.candidate())
	if candidate == "" || c.improved(candidate, c.best) != rating.Passed {
		return nil
	}
	for _, r := range c.references {
		if c.regressed(r, c.Focal(candidate, r), c.Focal(c.best, r)) {
			pairs = append(pairs, c.Key(candidate, r), c.Key(c.best, r))
		}
	}
	return pairs
}

// regressed reports whether a candidate with these sets against a reference is worse than the best with its own: it
// does not beat the reference for sure, and its outcome is significantly lower. (To make less of a weak reference is no
// regression, unless it is to learn to make the most of it: in a game with hidden cards it is what getting closer to an
// equilibrium looks like.)
func (c *core) regressed(reference string, candidate, best rating.Focal) bool {
	mine := candidate.Outcome()
	return (mine.Low <= 0 || slices.Contains(c.config.Opponents, reference)) && mine.Below(best.Outcome())
}

// candidate returns the member that is at the gate, nil for none. It is the oldest of those
// after the best whose test has begun and not ended: one that comes later waits. Then it is
// the newest member, and those that it has overtaken are never tried.
func (c *core) candidate() *messages.Member {
	newest := c.newest()
	if newest == nil || len(c.promotions) == 0 {
		return nil
	}
	if !c.finishing {
		for _, m := range c.afterBest() {
			if m != newest && c.tried(c.player(m), c.best) && c.gateOf(c.player(m), c.best) == rating.Undecided {
				return m
			}
		}
	}
	if order, _ := rating.MemberOrder(c.best); newest.Order <= order ||
		c.gateOf(c.player(newest), c.best) != rating.Undecided {
		return nil
	}
	return newest
}

// progress reports how far the oldest test of a member against the best has come that has begun
// and not ended, nil if there is none. It follows from the results alone, as a ladder does.
func (c *core) progress() *messages.LadderGate {
	for _, m := range c.afterBest() {
		t := c.Pair(c.player(m), c.best).Trial
		if t != nil && t.Verdict == rating.Undecided && t.Seen.Sets > 0 {
			return &messages.LadderGate{Agent: c.player(m), Sets: t.Seen.Sets, MaxSets: c.config.GateMaxSets}
		}
	}
	return nil
}

// afterBest returns the main agent's members that are newer than the best.
func (c *core) afterBest() []*messages.Member {
	best, _ := rating.MemberOrder(c.best)
	members := c.lineages[messages.LearningAgent]
	for i, m := range members {
		if m.Order > best {
			return members[i:]
		}
	}
	return nil
}

// nextPromotion returns the promotion that is due, nil for none: the main agent's first member becomes
// best by itself, and then those that have passed the gate, in the order of joining.
func (c *core) nextPromotion() *messages.Promotion {
	if c.newest() == nil || c.promoting {
		return nil
	}
	if len(c.promotions) == 0 {
		return c.promotion(c.lineages[messages.LearningAgent][0])
	}
	for _, m := range c.afterBest() {
		if c.gateOf(c.player(m), c.best) == rating.Passed {
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
	if c.tests() && c.testOf(p.Agent, c.best) == rating.Passed {
		tested := c.Pair(p.Agent, c.best)
		sets := c.Seen(tested)
		p.Gate = &messages.GateTest{
			FirstSet: tested.Key.Base() + rating.FirstGateSet, Sets: sets.Sets, Games: c.Games(sets.Sets),
			Outcome:  messages.Interval(sets.Outcome().Rounded()),
			Evidence: c.Gate.Evidence(sets.Gain()), Threshold: c.Gate.Threshold(),
			MinimumGain: c.Gate.Gain, Error: c.Gate.Error,
		}
	}
	p.Exploitability, p.ExploitabilityBefore = c.known(p.Agent), c.known(c.best)
	for _, r := range c.references {
		mine, its := c.Focal(p.Agent, r), c.Focal(c.best, r)
		p.References = append(p.References, messages.GateReference{
			Name: r, Sets: mine.Sets, Agent: messages.Interval(mine.Outcome().Rounded()),
			SetsBefore: its.Sets, Before: messages.Interval(its.Outcome().Rounded()),
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
	effects := c.promoteAtTables(p.Agent)
	if !c.ready {
		return nil
	}
	return append(effects, moveBest{from: from, to: p.Agent})
}

// lastPromotion returns the number of the last promotion, 0 for none.
func (c *core) lastPromotion() uint64 {
	if len(c.promotions) == 0 {
		return 0
	}
	return c.promotions[len(c.promotions)-1].Number
}

// gainSets returns the pair of the best and the one before it, and how many sets the gain
// is measured in besides those that decided: as many as it took to decide, within reason.
func (c *core) gainSets() (k rating.Key, sets uint64) {
	if len(c.promotions) == 0 {
		return rating.Key{}, 0
	}
	last := c.promotions[len(c.promotions)-1]
	switch {
	case last.Gate != nil:
		sets = min(max(last.Gate.Sets, c.config.ReferenceSets), c.config.MaxSets)
	case last.Exploitability != nil && last.Over != "":
		sets = c.config.ReferenceSets
	default:
		return rating.Key{}, 0
	}
	return c.Key(last.Agent, last.Over), sets
}

// gainKnown reports whether the results of these sets are there.
func (c *core) gainKnown() bool {
	k, sets := c.gainSets()
	return c.Pair(k.A, k.B).Total().Sets >= sets
}

// trainingPlayKnown reports whether the results of members as they play in training are there.
func (c *core) trainingPlayKnown() bool {
	return !slices.ContainsFunc(c.asInTraining(), func(k rating.Key) bool {
		return c.PairOf(k).Total().Sets < c.config.ReferenceSets
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
		if sets := c.Focal(p.Agent, p.Over); p.Over != "" && sets.Sets > 0 {
			i := sets.Gained().Rounded()
			entry.Gain = &messages.Gain{Games: c.Games(sets.Sets), Value: i.Value, Low: i.Low, High: i.High}
		}
		all = append(all, entry)
	}
	return all
}

// nextTrial returns the candidate and the best, and whether the gate's test of them needs
// more sets than are played or asked for. At the end of a run it gets no more than the
// references do; a run that is resumed continues with the test.
func (c *core) nextTrial() (k rating.Key, wanted bool) {
	m := c.candidate()
	if m == nil {
		return rating.Key{}, false
	}
	most := c.Gate.Most
	if c.finishing {
		most = min(most, c.config.FinalSets)
	}
	k = c.Key(c.player(m), c.best)
	return k, c.testOf(k.A, k.B) == rating.Undecided && c.planned(k, rating.FirstGateSet) < most
}

// gateAtRest reports whether the gate has nothing to do or, at the end of a run, has played
// what it may and waits for no result.
func (c *core) gateAtRest() bool {
	if c.promoting || c.nextPromotion() != nil {
		return false
	}
	if c.candidate() == nil {
		return true
	}
	k, wanted := c.nextTrial()
	return c.testOf(k.A, k.B) == rating.Undecided && !wanted && c.trials() == 0
}

// trials counts the matches without a result that are for the gate.
func (c *core) trials() int {
	n := 0
	for _, o := range c.outstanding {
		if o.sets.First >= rating.FirstGateSet {
			n++
		}
	}
	return n
}

// tried reports whether the gate's test of two members has begun; without one, whether the candidate has met a
// reference.
func (c *core) tried(candidate, best string) bool {
	if !c.tests() {
		return slices.ContainsFunc(c.withReferences(candidate), func(k rating.Key) bool { return c.planned(k, 0) > 0 })
	}
	k := c.Key(candidate, best)
	if c.Pair(k.A, k.B).Trial != nil {
		return true
	}
	for _, o := range c.outstanding {
		if o.key == k && o.sets.First >= rating.FirstGateSet {
			return true
		}
	}
	return false
}
