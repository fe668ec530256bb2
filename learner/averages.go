package learner

import (
	"errors"
	"slices"
	"time"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
)

// Where links are slow or far, the members of a group make iterations of their own, in rounds, and their weights are
// averaged after each round (learner.group: weights). The leader alone receives games from actors. It
// hands some rollouts of games to its peers and learns from the others, as many as everyone's speed allows in the same
// time. At the end of a round the peers send it the change of their weights since the common ones. It takes the mean,
// weighted by samples, has [outer] make a step of it, and sends to all what is to be added to the common weights. So
// all have the same again, and the next round begins. Moments, random stream and magnet are each member's own.
//
// The leader can always continue alone. While a peer is late, it makes further iterations of the round. A peer that is
// silent, much too late or sends nonsense is left out, and the leader learns from the games that it was handed.
// A peer that joins gets the leader's state at the beginning of a round, follows the steps of the common weights, and
// has games from the next round on.
const (
	// exchangeShare is which part of a round the exchange may take.
	exchangeShare = 0.05
	// worthPatience is by what factor a longer round must use the members' time better.
	worthPatience = 1.02
	// moreExchange is by what factor an exchange is taken to be longer than before, at most.
	moreExchange = 1.1
	// longestRound is how many times as long as the leader's own iterations a round may take.
	longestRound = 3
	// longerPatience is by how much an iteration that takes long lengthens the patience with a silent peer, at most:
	// one that is at work says so every pulseEvery.
	longerPatience = 3 * time.Second
	// standstill is how long the leader waits, at most, for peers that are at work, before it makes another iteration.
	standstill = 4 * time.Second
)

// averages is the leader's end of a group that averages weights. Where that is said, its methods may be called on nil,
// which is a group that does not.
type averages struct {
	*group
	fixed  int           // Config.GroupIterations
	still  time.Duration // standstill
	spec   *engine.Spec
	reader reader
	outer  outer

	// Of the training goroutine.
	record     *train.Recorder
	base       []float32 // the common weights from which the round began; nil: none is under way
	sent       time.Time // when its beginning was sent
	iterations int       // that this process makes in it
	made       int       // of them
	samples    int       // learnt from in them
	seconds    float64   // that took
	reached    time.Time // when this process had made its iterations; zero: it has not
	end        time.Time // for peers to be ready
	pace       float64   // seconds of an iteration, smoothed
	back       []*handed // what peers were handed and have not learnt from

	// Guarded by the group's mutex.
	hands   map[string]*hand
	changes map[string]*change
	every   int // iterations, for others to see
}

// change is what a peer has sent of a round.
type change struct {
	arrived time.Time // of the leader's state at the peer
	round   uint64
	begun   time.Time // the peer has the round's weights
	news    time.Time // the newest
	made    time.Time // it has made its iterations, when its change began to come
	whole   time.Time // it has come
	*messages.GroupChange
	data []byte
	next uint32 // fragment
}

// averaged is what the peers of a round have learnt from.
type averaged struct {
	rollouts []*handed
	updates  uint64
}

func newAverages(g *group, o *Options) *averages {
	return &averages{group: g, fixed: o.Config.GroupIterations, still: standstill, spec: o.Game.Spec(),
		reader: newReader(o), every: 1, hands: map[string]*hand{}, changes: map[string]*change{}}
}

// open reports whether a round is under way; on nil, there are none.
func (a *averages) open() bool { return a != nil && a.base != nil }

// begin begins a round, unless one is under way or no other learner is there.
func (a *averages) begin(t train.Trainer, progress float64) {
	if a.open() {
		return
	}
	joins := a.asked()
	if len(joins) == 0 && len(a.peers) == 0 {
		if a.changed {
			a.plan()
		}
		return
	}
	if err := a.assemble(t, joins, progress); err != nil {
		a.log.Warn("the group is dissolved", "error", err)
		a.forsake(err)
	}
}

// assemble begins a round with the peers that are there and those that ask to join.
func (a *averages) assemble(t train.Trainer, joins map[string]*messages.GroupJoin, progress float64) error {
	admitted, err := a.advance(joins, 1)
	if err != nil {
		return err
	}
	a.meetPeers()
	a.plan()
	if len(a.peers) == 0 {
		a.outer.reset()
		return nil
	}
	state, err := t.Snapshot()
	if err != nil {
		return err
	}
	for _, name := range admitted {
		send := func(m *messages.ToPeers) error { return a.send(a.ctx, messages.PeerSubject(a.agent, name), m) }
		if err := a.sendState(state, send); err != nil {
			return err
		}
	}
	a.base, a.made, a.samples, a.seconds, a.sent, a.reached = state.Weights, 0, 0, 0, time.Now(), time.Time{}
	m := &messages.GroupRound{Round: a.iteration, Progress: progress, Checksum: train.Checksum(state.Weights)}
	for _, p := range a.peers {
		m.Quotas = append(m.Quotas, &messages.GroupQuota{Peer: p.name, Iterations: uint32(p.quota)})
	}
	return a.broadcast(&messages.ToPeers{Body: &messages.ToPeers_Round{Round: m}})
}

// meetPeers notes which peers have come to the leader's state.
func (a *averages) meetPeers() {
	for _, p := range a.peers {
		if c := a.changeOf(p.name); !p.synced && !c.arrived.IsZero() {
			p.synced = true
			// The state is four lists of FP32, an exchange two of BF16.
			p.exchange = c.arrived.Sub(p.joined).Seconds() / 2
		}
	}
}

// changeOf returns what a peer has sent.
func (a *averages) changeOf(name string) change {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if c := a.changes[name]; c != nil {
		return *c
	}
	return change{}
}

// take notes what a peer sends of a round.
func (a *averages) take(name string, m *messages.GroupChange) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.isPresent(name) {
		return
	}
	delete(a.joins, name) // from before it got in
	c := a.changes[name]
	if c == nil {
		c = &change{arrived: time.Now()}
		a.changes[name] = c
	}
	if m.Round != a.at.iteration {
		return
	}
	c.add(m, 2*a.weights)
	a.signal()
}

// add adds a part of a change.
func (c *change) add(m *messages.GroupChange, most int) {
	now := time.Now()
	if c.round != m.Round {
		*c = change{arrived: c.arrived, round: m.Round, begun: now}
	}
	c.news, c.GroupChange = now, m
	switch {
	case m.Fragments == 0:
		c.made = now
	case m.Fragment == c.next && len(c.data)+len(m.Data) <= most:
		c.data = append(c.data, m.Data...)
		if c.next++; c.next == m.Fragments {
			c.whole = now
		}
	}
	c.Data = nil
}

// note notes an iteration of this process; on nil, it is one of no round.
func (a *averages) note(r *rollout, took time.Duration) {
	if a == nil {
		return
	}
	a.pace = smooth(a.pace, took.Seconds())
	if a.open() {
		a.made++
		a.samples += r.Size.Samples
		a.seconds += took.Seconds()
	}
}

// over reports whether the round ends: this process has made its iterations, and no peer is at work any more, for which
// it waits a little. If one is, this process makes another iteration meanwhile. On nil, there is no round.
func (a *averages) over() bool {
	if !a.open() || a.made < a.iterations {
		return false
	}
	now := time.Now()
	if a.reached.IsZero() {
		a.reached = now
		a.end = now.Add(a.silence() + time.Duration((longestRound-1)*a.seconds*float64(time.Second)))
	}
	until := now.Add(min(a.silence(), a.still))
	for _, p := range a.peers {
		if p.quota > 0 && errors.Is(a.await(p, until), errAtWork) {
			return false
		}
	}
	return true
}

// partly reports whether this process has made some of its iterations in the round; on nil, there is none.
func (a *averages) partly() bool { return a.open() && a.made > 0 }

// meet ends a round: it waits for the peers' changes, and makes the common weights those of the trainer, whose last
// rollout r was. It returns what the peers have learnt from, in any case. The error wraps train.ErrUnsound if the
// average was not sound, so that the leader's own weights are the common ones.
func (a *averages) meet(t train.Trainer, r *rollout) (sum averaged, err error) {
	base := a.base
	a.base = nil
	own := difference(t.Published().Weights, base)
	mean, samples := slices.Clone(own), float64(a.samples)
	for _, p := range slices.Clone(a.peers) {
		if p.quota == 0 {
			continue
		}
		rollouts, c, err := a.finished(p)
		if err != nil {
			a.leave(p, err)
			continue
		}
		of := 0
		for _, h := range rollouts {
			of += h.size.Samples
		}
		samples += float64(of)
		train.Blend(mean, valuesOfBF16(c.data), float64(of)/samples)
		a.measure(p, c, of)
		sum.rollouts, sum.updates = append(sum.rollouts, rollouts...), sum.updates+c.Updates
	}
	step := own
	if len(sum.rollouts) > 0 {
		step = a.outer.step(mean)
	} else {
		a.outer.reset()
	}
	applied := appendBF16(nil, step)
	if err = t.Continue(added(base, applied), r.Rollout); err != nil {
		a.outer.reset()
		applied = appendBF16(nil, own)
		err = errors.Join(err, t.Continue(added(base, applied), nil))
	}
	return sum, errors.Join(err, a.sendResult(position{a.iteration, 1}, 0, applied, nil))
}

var (
	errAgain     = errors.New("it has begun again")
	errAtWork    = errors.New("it is at work")
	errLate      = errors.New("it has not made its iterations in three times as long as the leader")
	errNonsense  = errors.New("its change of the weights has another size, or is not finite")
	errOtherWork = errors.New("it has learnt from other games than those it was handed")
)

// finished returns what a peer has sent at the end of a round, and which rollouts it has learnt from.
func (a *averages) finished(p *peer) (rollouts []*handed, c change, err error) {
	if err := a.await(p, a.end); err != nil {
		return nil, change{}, err
	}
	c = a.changeOf(p.name)
	if len(c.data) != 2*a.weights || !train.Finite(valuesOfBF16(c.data)) {
		return nil, c, errNonsense
	}
	if rollouts = a.settle(p, c.Rollouts); rollouts == nil {
		return nil, c, errOtherWork
	}
	return rollouts, c, nil
}

// silence is how long a peer may be silent.
func (a *averages) silence() time.Duration {
	return a.patience + min(time.Duration(patiencePerShare*a.pace*float64(time.Second)), longerPatience)
}

// await waits for a peer's change of the round, but not beyond a time: then the peer is at work.
func (a *averages) await(p *peer, until time.Time) error {
	began := time.Now()
	defer func() {
		waited := time.Since(began).Seconds()
		a.metrics.groupWaiting.Add(waited)
		p.wait = smooth(p.wait, waited)
	}()
	for {
		c := a.changeOf(p.name)
		if c.round == a.iteration && !c.whole.IsZero() {
			return nil
		}
		last := a.reached
		if c.news.After(last) {
			last = c.news
		}
		silent := time.Until(last.Add(a.silence()))
		switch {
		case a.asksAgain(p.name):
			return errAgain
		case silent <= 0:
			return errSilent
		case time.Until(a.end) <= 0:
			return errLate
		case time.Until(until) <= 0:
			return errAtWork
		}
		a.listenFor(min(silent, time.Until(a.end), time.Until(until)))
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
	}
}

// listenFor waits for news, for so long at most.
func (a *averages) listenFor(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-a.news:
	case <-timer.C:
	case <-a.ctx.Done():
	}
}

// asksAgain reports whether a peer asks to join although it is in the group: it has missed something, or was started
// again.
func (a *averages) asksAgain(name string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.joins[name] != nil
}

// forsake ends the round and leaves out all peers, which may come back; on nil, there are none.
func (a *averages) forsake(why error) {
	if a == nil {
		return
	}
	for _, p := range slices.Clone(a.peers) {
		a.leave(p, why)
	}
	a.base = nil
	a.outer.reset()
	a.plan()
}

// difference returns values less others.
func difference(values, others []float32) []float32 {
	d := make([]float32, len(values))
	for i, v := range values {
		d[i] = v - others[i]
	}
	return d
}

// added returns the common weights after a step, as all members of a group compute them.
func added(base []float32, step []byte) []float32 {
	sum := valuesOfBF16(step)
	for i, v := range base {
		sum[i] += v
	}
	return sum
}
