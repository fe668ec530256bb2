package learner

import (
	"context"
	"slices"

	"croupier/learner/train"
	"croupier/messages"
)

// hand is what a peer has been handed.
type hand struct {
	most     int // rollouts at a time
	rollouts []*handed
}

// handed is a rollout that a peer learns from.
type handed struct {
	number  uint64
	batches []gamesOf
	credit  *credit
	size    train.Volume
}

// hand hands a rollout to the peer that lacks some most, and reports whether there is one. Ingestion calls it.
func (a *averages) hand(ctx context.Context, r *rollout) bool {
	h := &handed{
		number: a.rollouts.Add(1), batches: slices.Clone(r.batches), credit: r.credit,
		size: train.NewVolume(a.spec),
	}
	h.size.Merge(&r.Size)
	name := a.choose(h)
	if name == "" {
		return false
	}
	for i, b := range h.batches {
		games := &messages.GroupGames{Rollout: h.number, Batch: uint32(i), Experience: b.batch, Episodes: b.episodes,
			Batches: uint32(len(h.batches))}
		m := &messages.ToPeers{Body: &messages.ToPeers_Games{Games: games}}
		if err := a.send(ctx, messages.PeerSubject(a.agent, name), m); err != nil { // such as a batch of the largest size
			return !a.withdraw(name, h)
		}
	}
	return true
}

// choose finds the peer that gets a rollout, and notes that it has it; "" if none lacks any.
func (a *averages) choose(r *handed) (name string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var least float64
	for _, p := range a.present {
		h := a.hands[p.name]
		if h == nil || len(h.rollouts) >= h.most {
			continue
		}
		if filled := float64(len(h.rollouts)) / float64(h.most); name == "" || filled < least {
			name, least = p.name, filled
		}
	}
	if name != "" {
		a.hands[name].rollouts = append(a.hands[name].rollouts, r)
	}
	return name
}

// withdraw takes a rollout back that could not be sent; false: the peer has been left out meanwhile.
func (a *averages) withdraw(name string, r *handed) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	h := a.hands[name]
	if h == nil {
		return false
	}
	before := len(h.rollouts)
	h.rollouts = slices.DeleteFunc(h.rollouts, func(o *handed) bool { return o == r })
	return len(h.rollouts) < before
}

// release takes back what a peer was handed; on nil, nothing was.
func (a *averages) release(name string) {
	if a == nil {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if h := a.hands[name]; h != nil {
		a.back = append(a.back, h.rollouts...)
	}
	delete(a.hands, name)
	delete(a.changes, name)
}

// returned reads a rollout that a peer was handed and has not learnt from; nil if there is none, as on nil, or while a
// peer lacks some, which ingestion hands it once it has got rid of the one that it has for the leader.
func (a *averages) returned(t train.Trainer) *rollout {
	if a == nil || len(a.back) == 0 || a.lacking() {
		return nil
	}
	h := a.back[0]
	a.back = a.back[1:]
	if a.record == nil {
		a.record = t.NewRecorder()
	}
	r := &rollout{Rollout: train.NewRollout(a.spec), credit: h.credit, back: true, batches: h.batches}
	for _, b := range h.batches {
		if err := a.reader.read(b.batch, b.episodes, a.record, r.Rollout); err != nil {
			a.log.Error("games that a peer has not learnt from cannot be read again", "error", err) // they could before
		}
	}
	r.Size = h.size
	return r
}

// lacking reports whether a peer has fewer rollouts than it makes iterations in the round.
func (a *averages) lacking() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.ContainsFunc(a.peers, func(p *peer) bool {
		h := a.hands[p.name]
		return h != nil && len(h.rollouts) < p.quota
	})
}

// settle takes from a peer's rollouts those that it has learnt from, which it returns; nil if it was not handed them,
// or has learnt from another number than it should.
func (a *averages) settle(p *peer, numbers []uint64) (learnt []*handed) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	h := a.hands[p.name]
	if h == nil || len(numbers) != p.quota {
		return nil
	}
	var left []*handed
	for _, r := range h.rollouts {
		if slices.Contains(numbers, r.number) {
			learnt = append(learnt, r)
		} else {
			left = append(left, r)
		}
	}
	if len(learnt) != len(numbers) {
		return nil
	}
	h.rollouts = left
	return learnt
}
