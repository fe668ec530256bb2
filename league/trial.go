package league

import (
	"cmp"
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
)

// trial is what the gate's test of a pair of members has seen. It looks at the results in
// the order of their sets' numbers, each as soon as those of all sets before it are there,
// until it has decided. So the verdict does not depend on the order in which they come.
type trial struct {
	Seen    counts  `json:"seen"`
	Verdict verdict `json:"verdict"`
	// Waiting are results that came before those of earlier sets, by first set.
	Waiting []waiting `json:"waiting,omitempty"`
}

type waiting struct {
	First uint64 `json:"first"`
	Sets  counts `json:"sets"`
}

// add enters the results of the sets from number first on. After the verdict they are of
// no use.
func (t *trial) add(first uint64, sets counts) {
	if t.Verdict != undecided {
		return
	}
	i, _ := slices.BinarySearchFunc(t.Waiting, first, func(w waiting, first uint64) int {
		return cmp.Compare(w.First, first)
	})
	t.Waiting = slices.Insert(t.Waiting, i, waiting{first, sets})
}

// judge lets the test look at what it can.
func (b *book) judge(p *pair) {
	t := p.trial
	for t.Verdict == undecided && len(t.Waiting) > 0 && t.Waiting[0].First == t.Seen.Sets {
		t.Seen.add(t.Waiting[0].Sets)
		t.Waiting = t.Waiting[1:]
		sets := b.seen(p)
		t.Verdict = b.gate.judge(sets.sets, sets.gain())
	}
	if t.Verdict != undecided || len(t.Waiting) == 0 {
		t.Waiting = nil
	}
}

// seen returns the sets that the gate has seen, with the later version among the earlier.
func (b *book) seen(p *pair) focalSets {
	return p.trial.Seen.focal(p.key.laterIsA(), b.spec)
}

// gated says whether the pair is one of two members, of which the later can pass the gate.
func (k pairKey) gated() bool {
	a, isMember := memberOrder(k.a)
	b, areMembers := memberOrder(k.b)
	return isMember && areMembers && a != b
}

// laterIsA says whether the first of two members is the later version.
func (k pairKey) laterIsA() bool {
	a, _ := memberOrder(k.a)
	b, _ := memberOrder(k.b)
	return a > b
}

// gain returns the moments of what the focal agent got in a set beyond one of equal agents:
// the return in games for money, in units of the largest one, else the share of the win
// above parity. Sets that were all won alike have two more beside them, in which one of
// equal agents got everything, lest they have no deviation.
func (f focalSets) gain() stat.Moments {
	if f.spec.Payoff == engine.Money {
		return moments(float64(f.sets), f.Return, f.ReturnSquares)
	}
	parity := 1 / float64(f.spec.Seats)
	m := moments(float64(f.sets), f.Share, f.ShareSquares)
	m.Merge(stat.FromSums(2, 2*parity, 2*parity))
	m.Mean -= parity
	return m
}

// nextTrial returns the candidate and the best, and whether the gate's test of them needs
// more sets than are played or asked for. At the end of a run it gets no more than the
// references do; a run that is resumed goes on with the test.
func (c *core) nextTrial() (k pairKey, wanted bool) {
	m := c.candidate()
	if m == nil {
		return pairKey{}, false
	}
	most := c.gate.most
	if c.finishing {
		most = min(most, c.config.FinalSets)
	}
	k = c.key(c.player(m), c.best)
	return k, c.testOf(k.a, k.b) == undecided && c.planned(k, firstDeciding) < most
}

// gateAtRest says whether the gate has nothing to do or, at the end of a run, has played
// what it may and waits for no result.
func (c *core) gateAtRest() bool {
	if c.promoting || c.nextPromotion() != nil {
		return false
	}
	if c.candidate() == nil {
		return true
	}
	k, wanted := c.nextTrial()
	return c.testOf(k.a, k.b) == undecided && !wanted && c.trials() == 0
}

// trials counts the matches without a result that are for the gate.
func (c *core) trials() int {
	n := 0
	for _, o := range c.outstanding {
		if o.sets.First >= firstDeciding {
			n++
		}
	}
	return n
}

// tried says whether the gate's test of two members has begun; without one, whether the candidate has met a reference.
func (c *core) tried(candidate, best string) bool {
	if !c.tests() {
		return slices.ContainsFunc(c.withReferences(candidate), func(k pairKey) bool { return c.planned(k, 0) > 0 })
	}
	k := c.key(candidate, best)
	if c.pair(k.a, k.b).trial != nil {
		return true
	}
	for _, o := range c.outstanding {
		if o.key == k && o.sets.First >= firstDeciding {
			return true
		}
	}
	return false
}

// gained returns what the focal agent has over the others: the mean return in games for
// money, in their unit, else Elo.
func (f focalSets) gained() stat.Interval {
	if f.spec.Payoff == engine.Money {
		return f.meanReturn()
	}
	// Half a game won or lost is as far as games tell.
	share, least := f.share(), 1/(2*float64(f.games())+2)
	elo := func(share float64) float64 {
		share = min(max(share, least), 1-least)
		return eloPerNat * (math.Log(share/(1-share)) + math.Log(float64(f.spec.Seats-1)))
	}
	return stat.Interval{Value: elo(share.Value), Low: elo(share.Low), High: elo(share.High)}
}
