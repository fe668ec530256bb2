package learner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"croupier/learner/train"
	"croupier/messages"
)

// parcel is a rollout that the leader has handed to this peer alone, as it came.
type parcel struct {
	number  uint64
	games   []*messages.GroupGames
	batches int // in all
}

// own is what a peer has besides where weights are averaged.
type own struct {
	parcels []*parcel // handed, and not read
	ahead   *parcel   // read into spare
	spare   *train.Rollout
}

// subjects are those to which a peer subscribes.
func (p *Peer) subjects() []string {
	all := []string{messages.PeersSubject(p.opts.Agent)}
	if p.averages() {
		all = append(all, messages.PeerSubject(p.opts.Agent, p.opts.ID))
	}
	return all
}

// averages reports whether the group averages weights, and does not exchange gradients.
func (p *Peer) averages() bool { return p.opts.Config.Group == train.GroupWeights }

// takePart does a round with the group, if it has the common weights.
func (p *Peer) takePart(ctx context.Context, leader string, m *messages.GroupRound) error {
	quota, listed := p.quotaOf(m)
	if p.trainer == nil || leader != p.leader || !listed ||
		train.Checksum(p.trainer.Published().Weights) != m.Checksum {
		return p.join(ctx)
	}
	p.ctx, p.at = ctx, position{m.Round, 1}
	return p.again(p.round(m, quota))
}

// quotaOf returns how many iterations it makes in a round, and reports whether it is in the group.
func (p *Peer) quotaOf(m *messages.GroupRound) (quota int, listed bool) {
	for _, q := range m.Quotas {
		if q.Peer != p.opts.ID || q.Iterations > 4*train.MaxGroupIterations*mostPeers {
			continue
		}
		if quota = int(q.Iterations); quota > 0 {
			p.say("making %d of the iterations between two averages of %s", quota, p.opts.Agent)
		}
		return quota, true
	}
	return 0, false
}

// round makes a number of iterations, sends the leader by what the weights have changed, and goes to the common ones.
func (p *Peer) round(m *messages.GroupRound, quota int) error {
	base := p.trainer.Published().Weights
	change := &messages.GroupChange{Leader: p.leader, Round: m.Round}
	if err := p.sendChange(change); err != nil {
		return err
	}
	quiet := p.pulse(m.Round)
	defer quiet()
	for range quota {
		number, err := p.nextRollout()
		if err != nil {
			return err
		}
		from := time.Now()
		rep, err := p.learn(m.Progress)
		if err != nil {
			return err
		}
		took := time.Since(from)
		p.metrics.computing.Add(took.Seconds())
		p.works.Add(1)
		change.Rollouts = append(change.Rollouts, number)
		change.Updates += uint64(rep.Updates)
		change.Nanoseconds += uint64(took)
		if err := p.sendChange(change); err != nil {
			return err
		}
	}
	quiet()
	if quota > 0 {
		if err := p.sendWhole(change, appendBF16(nil, difference(p.trainer.Published().Weights, base))); err != nil {
			return err
		}
	}
	waits := time.Now()
	step, err := p.result(0, leaderWithin)
	p.metrics.waiting.Add(time.Since(waits).Seconds())
	if err != nil {
		return err
	}
	if len(step) != 2*len(base) {
		return errMissed
	}
	return p.trainer.Continue(added(base, step), nil)
}

// pulse sends the leader a sign of life while the peer is at work in a round, however long an iteration takes. The
// function that it returns ends that, and nothing more is sent once it has returned.
func (p *Peer) pulse(round uint64) (quiet func()) {
	ctx, cancel := context.WithCancel(p.ctx)
	over := make(chan struct{})
	alive := &messages.GroupChange{Leader: p.leader, Round: round}
	go func() {
		defer close(over)
		ticker := time.NewTicker(pulseEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				_ = p.send(ctx, &messages.ToLeader{Body: &messages.ToLeader_Change{Change: alive}}) // ctx has ended
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-over }
}

func (p *Peer) sendChange(c *messages.GroupChange) error {
	return p.send(p.ctx, &messages.ToLeader{Body: &messages.ToLeader_Change{Change: c}})
}

// sendWhole sends the leader a change of weights.
func (p *Peer) sendWhole(c *messages.GroupChange, data []byte) error {
	c.Fragments = uint32((len(data) + fragment - 1) / fragment)
	for part := range fragments(data) {
		c.Data = part
		if err := p.sendChange(c); err != nil {
			return err
		}
		c.Fragment++
	}
	return nil
}

// learn makes an iteration on the rollout at hand, while it takes in what comes. An iteration that was undone is one.
func (p *Peer) learn(progress float64) (rep train.Report, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		rep, err = p.trainer.Learn(p.ctx, p.rollout, progress)
	}()
	missed := p.listenUntil(done)
	<-done
	if errors.Is(err, train.ErrUnsound) {
		err = nil
	}
	return rep, cmp.Or(err, missed, p.ctx.Err())
}

// listenUntil keeps the games that come until something is done. What else comes is for later.
func (p *Peer) listenUntil(done <-chan struct{}) error {
	for {
		p.readAhead()
		if p.back != nil {
			return nil
		}
		select {
		case data, open := <-p.received:
			if !open {
				return errMissed
			}
			if m := p.decode(data); m != nil && !p.keeps(m) {
				p.back = m
			}
		case <-done:
			return nil
		}
	}
}

// keeps reports whether a message is of games, which it has kept, for somebody else, or says that the leader is there.
func (p *Peer) keeps(m *messages.ToPeers) bool {
	if m.Leader != p.leader {
		return false
	}
	if m.Body == nil {
		return true // it is there
	}
	if s := m.GetState(); s != nil {
		return s.Peer != p.opts.ID
	}
	games := m.GetGames()
	if games != nil {
		p.keep(games)
	}
	return games != nil
}

// keep keeps games of a rollout, those of one after the other. One of which some are missing stays incomplete.
func (p *Peer) keep(m *messages.GroupGames) {
	last := len(p.parcels) - 1
	if last < 0 || p.parcels[last].number != m.Rollout {
		p.parcels = append(p.parcels, &parcel{number: m.Rollout, batches: int(m.Batches)})
		last++
	}
	if c := p.parcels[last]; int(m.Batch) == len(c.games) {
		c.games = append(c.games, m)
	}
}

// readAhead reads the next rollout that has come whole, unless one has been read. One that cannot be read is passed
// over: the leader, which has read it, finds out at the end of the round.
func (p *Peer) readAhead() {
	for p.ahead == nil && len(p.parcels) > 0 {
		c := p.parcels[0]
		if len(c.games) < c.batches && len(p.parcels) == 1 {
			return
		}
		p.parcels = p.parcels[1:]
		if len(c.games) < c.batches {
			continue
		}
		p.spare.Reset()
		var err error
		for _, m := range c.games {
			err = cmp.Or(err, p.reader.read(m.Experience, m.Episodes, p.record, p.spare))
		}
		if err != nil {
			p.log.Warn("games of the leader cannot be read", "error", err)
			continue
		}
		c.games, p.ahead = nil, c
	}
}

// nextRollout makes the next rollout that the leader has handed to it the one to learn from, and returns its number.
func (p *Peer) nextRollout() (number uint64, err error) {
	began := time.Now()
	defer func() { p.metrics.waiting.Add(time.Since(began).Seconds()) }()
	for p.readAhead(); p.ahead == nil; p.readAhead() {
		m, err := p.receive(p.ctx, leaderWithin)
		if err != nil {
			return 0, err
		}
		if !p.keeps(m) {
			p.back = m
			return 0, errMissed
		}
	}
	number, p.ahead = p.ahead.number, nil
	p.rollout, p.spare = p.spare, p.rollout
	return number, nil
}
