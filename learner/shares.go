package learner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// How a group divides its work: by what was measured of its learners.
const (
	// wholeShare is of how many equal pieces shares are: a GroupShare's.
	wholeShare = 64
	// smoothing is the weight of what was measured before in the averages of a group.
	smoothing = 0.9
	// betterShares is by what factor shares by speed must be faster than even ones, and others than those at hand: even
	// ones need one sum of gradients each, and speeds vary by themselves.
	betterShares = 1.25
	// tried is after how many minibatches it is looked whether the group is faster than its leader alone, and judged how
	// many of the last ones count, about.
	tried  = 32
	judged = 256
	// restFor is how long a peer with which the group is slower stays out.
	restFor = time.Minute
)

// share is what a process computes of each work, in parts of wholeShare.
type share struct{ first, end uint32 }

// of returns the parts of a work of n that a share is.
func (s share) of(n int) (first, end int) {
	return int(s.first) * n / wholeShare, int(s.end) * n / wholeShare
}

func (s share) size() float64 { return float64(s.end - s.first) }

// smooth returns the mean of what was measured, the newest with the most weight.
func smooth(mean, v float64) float64 {
	if mean == 0 {
		return v
	}
	return smoothing*mean + (1-smoothing)*v
}

// slowError reports that a group is slower with a peer than without.
type slowError struct {
	why   string  // with the time that a minibatch takes
	alone float64 // seconds that the leader takes for it alone
}

func (e *slowError) Error() string {
	return fmt.Sprintf("%s, and its leader computes it alone in %.3g ms; with learner.group: weights it would do", e.why,
		1000*e.alone)
}

// fits returns a slowError if the group would be slower with a peer, by the rate at which the leader's state came to
// it. Sums of all weights go there and back, in pieces, of which one goes there while another comes back.
func (g *group) fits(p *peer, link float64) error {
	exchange := 1.25 * 4 * float64(g.weights) / link
	if g.demanding && link > 0 && g.alone > 0 && exchange+g.alone/(1+p.speed) > g.alone {
		return &slowError{fmt.Sprintf("its link is too slow: a minibatch takes %.3g ms to exchange", 1000*exchange), g.alone}
	}
	return nil
}

// judge notes how long a minibatch took the group, unless a peer was left out meanwhile, for which it has waited. If
// the group is clearly slower than its leader alone, by two standard errors, the peer for which it waits longest has to
// rest. A few minibatches that were held up, as by other programs, are not enough for that.
func (g *group) judge(took time.Duration) {
	if !g.demanding || g.changed || g.own.size() == wholeShare {
		return
	}
	g.done++
	newest := 1 / float64(min(g.done, judged)) // its weight in the mean
	more := took.Seconds() - g.together
	g.together += newest * more
	g.variance = (1 - newest) * (g.variance + newest*more*more)
	margin := 2 * math.Sqrt(g.variance*newest/(2-newest))
	if g.done < tried || g.together-margin < g.alone {
		return
	}
	slowest := slices.MaxFunc(g.peers, func(a, b *peer) int { return cmp.Compare(a.wait, b.wait) })
	why := fmt.Sprintf("the group is slower with it: a minibatch takes %.3g ms", 1000*g.together)
	g.leave(slowest, &slowError{why, g.alone})
}

// plan divides the work among this process and its peers, evenly unless other shares suit their speeds much better, and
// lets others see it.
func (g *group) plan() {
	g.changed = false
	speeds, even, old := []float64{1}, []float64{1}, []share{g.own}
	for _, p := range g.peers {
		speed, one := p.speed, 1.
		if !p.synced {
			speed, one = 0, 0
		}
		speeds, even, old = append(speeds, speed), append(even, one), append(old, p.share)
	}
	best := divide(even, g.unit)
	if other := divide(speeds, g.unit); duration(other, speeds)*betterShares < duration(best, speeds) {
		best = other
	}
	if !covers(old) || duration(best, speeds)*betterShares < duration(old, speeds) {
		g.own, g.together, g.variance, g.done = best[0], 0, 0, 0
		for i, p := range g.peers {
			p.share = best[i+1]
		}
	}
	present := []peerStatus{}
	for _, p := range g.peers {
		present = append(present, peerStatus{p.name, p.size() / wholeShare})
	}
	g.metrics.groupPeers.Set(float64(len(present)))
	g.mutex.Lock()
	g.present = present
	g.mutex.Unlock()
}

// covers reports whether shares are the whole.
func covers(shares []share) bool {
	next := uint32(0)
	for _, s := range shares {
		if s.first == s.end {
			continue
		}
		if s.first != next {
			return false
		}
		next = s.end
	}
	return next == wholeShare
}

// duration is how long a work takes with shares; a share at speed 0 takes for ever.
func duration(shares []share, speeds []float64) (longest float64) {
	for i, s := range shares {
		if s.size() > 0 {
			longest = max(longest, s.size()/speeds[i])
		}
	}
	return longest
}

// divide divides the whole by speeds, of which the first is above 0, in shares of whole units: each speed above 0 has a
// unit while there are any, and one after the other each further one goes where it is done soonest. So every speed is
// measured, and a peer that is too slow for a unit is found out by [group.judge].
func divide(speeds []float64, unit uint32) []share {
	counts, left := make([]uint32, len(speeds)), wholeShare/unit
	for i, s := range speeds {
		if s > 0 && left > 0 {
			counts[i] = 1
			left--
		}
	}
	for range left {
		best := 0
		for i, s := range speeds {
			if s > 0 && float64(counts[i]+1)/s < float64(counts[best]+1)/speeds[best] {
				best = i
			}
		}
		counts[best]++
	}
	shares, next := make([]share, len(speeds)), uint32(0)
	for i, c := range counts {
		shares[i] = share{next, next + c*unit}
		next += c * unit
	}
	return shares
}
