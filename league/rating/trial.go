package rating

import (
	"cmp"
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
)

// Trial is what the gate's test of a pair of members has seen. It looks at the results in
// the order of their sets' numbers, each as soon as those of all sets before it are there,
// until it has decided. So the verdict does not depend on the order in which they come.
type Trial struct {
	Seen    Sums    `json:"seen"`
	Verdict Verdict `json:"verdict"`
	// Waiting are results that came before those of earlier sets, by first set.
	Waiting []waiting `json:"waiting,omitempty"`
}

type waiting struct {
	First uint64 `json:"first"`
	Sets  Sums   `json:"sets"`
}

// add enters the results of the sets from number first on. After the verdict they are of
// no use.
func (t *Trial) add(first uint64, sets Sums) {
	if t.Verdict != Undecided {
		return
	}
	i, _ := slices.BinarySearchFunc(t.Waiting, first, func(w waiting, first uint64) int {
		return cmp.Compare(w.First, first)
	})
	t.Waiting = slices.Insert(t.Waiting, i, waiting{first, sets})
}

// judge lets the test look at what it can.
func (b *Results) judge(p *Pair) {
	t := p.Trial
	for t.Verdict == Undecided && len(t.Waiting) > 0 && t.Waiting[0].First == t.Seen.Sets {
		t.Seen.Add(t.Waiting[0].Sets)
		t.Waiting = t.Waiting[1:]
		sets := b.Seen(p)
		t.Verdict = b.Gate.Judge(sets.Sets, sets.Gain())
	}
	if t.Verdict != Undecided || len(t.Waiting) == 0 {
		t.Waiting = nil
	}
}

// Seen returns the sets that the gate has seen, with the later version among the earlier.
func (b *Results) Seen(p *Pair) Focal {
	return p.Trial.Seen.focal(p.Key.laterIsA(), b.Spec)
}

// gated reports whether the pair is one of two members, of which the later can pass the gate.
func (k Key) gated() bool {
	a, isMember := MemberOrder(k.A)
	b, areMembers := MemberOrder(k.B)
	return isMember && areMembers && a != b
}

// laterIsA reports whether the first of two members is the later version.
func (k Key) laterIsA() bool {
	a, _ := MemberOrder(k.A)
	b, _ := MemberOrder(k.B)
	return a > b
}

// Gain returns the moments of what the focal agent got in a set beyond one of equal agents:
// the return in games for money, in units of the largest one, else the share of the win
// above parity. Sets that were all won alike have two more next to them, in which one of
// equal agents got everything, lest they have no deviation.
func (f Focal) Gain() stat.Moments {
	if f.spec.Payoff == engine.Money {
		return moments(float64(f.Sets), f.Return, f.ReturnSquares)
	}
	parity := 1 / float64(f.spec.Seats)
	m := moments(float64(f.Sets), f.Share, f.ShareSquares)
	m.Merge(stat.FromSums(2, 2*parity, 2*parity))
	m.Mean -= parity
	return m
}

// Gained returns what the focal agent has over the others: the mean return in games for
// money, in their unit, else Elo.
func (f Focal) Gained() stat.Interval {
	if f.spec.Payoff == engine.Money {
		return f.MeanReturn()
	}
	// Half a game won or lost is as far as games tell.
	share, least := f.WinShare(), 1/(2*float64(f.games())+2)
	elo := func(share float64) float64 {
		share = min(max(share, least), 1-least)
		return EloPerNat * (math.Log(share/(1-share)) + math.Log(float64(f.spec.Seats-1)))
	}
	return stat.Interval{Value: elo(share.Value), Low: elo(share.Low), High: elo(share.High)}
}
