package learner

import (
	"fmt"
	"math"

	"croupier/learner/train"
)

// inWords reports how often is averaged.
func (a *averages) inWords() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.every == 1 {
		return "averaging after each iteration with"
	}
	return fmt.Sprintf("averaging after each %d iterations with", a.every)
}

// plan plans how many iterations each member makes in the next round, and lets others see it.
func (a *averages) plan() {
	a.changed = false
	speeds := []float64{1}
	for _, p := range a.peers {
		if p.synced {
			speeds = append(speeds, p.speed)
		}
	}
	quotas := quotasOf(speeds, a.least(), a.fixed > 0)
	a.iterations = quotas[0]
	all, next := 0, 1
	for _, p := range a.peers {
		if p.quota = 0; p.synced {
			p.quota = quotas[next]
			next++
		}
	}
	for _, q := range quotas {
		all += q
	}
	present := []peerStatus{}
	for _, p := range a.peers {
		present = append(present, peerStatus{p.name, float64(p.quota) / float64(all)})
	}
	a.metrics.groupPeers.Set(float64(len(present)))
	a.metrics.groupIterations.Set(float64(a.iterations))
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.present, a.every = present, a.iterations
	for _, p := range a.peers {
		if a.hands[p.name] == nil {
			a.hands[p.name] = &hand{}
		}
		a.hands[p.name].most = inAdvance(p.quota, a.iterations)
	}
}

// inAdvance is how many rollouts a peer has at a time: those of the round, and some for the next one while the leader
// takes none, which is during an iteration.
func inAdvance(quota, iterations int) int { return quota + (quota+iterations-1)/iterations }

// least is how many iterations the leader makes in a round, at least, so that the exchange takes a small part of it.
func (a *averages) least() int {
	if a.fixed > 0 {
		return a.fixed
	}
	longest := 0.
	for _, p := range a.peers {
		longest = max(longest, p.exchange)
	}
	if longest == 0 || a.pace == 0 {
		return 1
	}
	return int(min(max(1, math.Ceil(longest/(exchangeShare*a.pace))), train.MaxGroupIterations))
}

// quotasOf returns how many iterations members of the given speeds make in a round, of which the first, of speed 1,
// makes the given number or, unless that is fixed, up to three more or twice as many, where all are at work for a
// larger part of the round.
func quotasOf(speeds []float64, least int, fixed bool) (best []int) {
	most, used := max(least+3, 2*least), 0.
	if fixed {
		most = least
	}
	for own := least; own <= min(most, train.MaxGroupIterations); own++ {
		quotas, longest, sum, capacity := make([]int, len(speeds)), 0., 0, 0.
		for i, s := range speeds {
			quotas[i] = max(1, int(math.Round(float64(own)*s)))
			longest, sum, capacity = max(longest, float64(quotas[i])/s), sum+quotas[i], capacity+s
		}
		if u := float64(sum) / (longest * capacity); u > used*worthPatience {
			best, used = quotas, u
		}
	}
	return best
}

// measure notes how fast a peer and its link are.
func (a *averages) measure(p *peer, c change, samples int) {
	if took := float64(c.Nanoseconds) / 1e9; took > 0 && a.seconds > 0 && a.samples > 0 && !c.made.IsZero() {
		speed := float64(samples) / took * a.seconds / float64(a.samples)
		if !p.measured { // what was there is a guess
			p.speed, p.measured = speed, true
		}
		p.speed = smooth(p.speed, speed)
		// What takes longer once is mostly a busy processor.
		p.exchange = min(moreExchange*p.exchange, (c.begun.Sub(a.sent) + c.whole.Sub(c.made)).Seconds())
	}
}
