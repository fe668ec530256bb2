package learner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/presence"
	"croupier/nn"
)

const (
	// joinEvery is how often a peer asks to join, and refusedEvery if it was refused.
	joinEvery    = 500 * time.Millisecond
	refusedEvery = 5 * time.Second
	// resultWithin is how long a peer receives nothing of the leader while it waits for the result of a work, and
	// leaderWithin while it waits for the next iteration; then it asks to join again.
	resultWithin = 10 * time.Second
	leaderWithin = time.Minute
	// pulseEvery is how often leader and peers send a sign of life, while they have nothing else to send.
	pulseEvery = 500 * time.Millisecond
)

// Peer is a learner that computes a share of the work of the one that holds the agent's lease; see [group]. It has no
// run directory and keeps nothing.
type Peer struct {
	opts      Options
	log       *slog.Logger
	metrics   *peerMetrics
	algorithm train.Algorithm
	settings  []byte
	workers   int

	received <-chan []byte
	back     *messages.ToPeers // read, and to be handled first
	arrived  []byte            // of the state, so far
	next     uint32            // its next fragment
	first    time.Time         // when the first one came
	link     float64           // bytes a second at which the others came; 0: there were none
	reader   reader
	trainer  train.Trainer // nil: it is not in the group
	record   *train.Recorder
	rollout  *train.Rollout // of the iteration
	coming   [3]coming
	own

	ctx     context.Context // of the iteration
	leader  string
	refused string // why it is not in the group, as the leader says
	at      position
	share   share
	words   atomic.Pointer[string]
	works   atomic.Uint64
}

// NewPeer checks the options, of which those of the run directory and of experience do not matter.
func NewPeer(o Options) (*Peer, error) {
	o.Agent = cmp.Or(o.Agent, messages.LearningAgent)
	o.ID = cmp.Or(o.ID, o.Agent)
	a, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if !a.Grouped {
		return nil, fmt.Errorf("learner: %s trains in one process: its iterations cannot be divided", a.Name)
	}
	o.Log = o.Log.With("run", o.Run, "role", messages.PeerRole, "agent", o.Agent)
	p := &Peer{
		opts: o, log: o.Log, metrics: newPeerMetrics(o.Registerer), algorithm: a, settings: sharedSettings(o.Config),
		workers: o.workers(), reader: newReader(&o), rollout: train.NewRollout(o.Game.Spec()),
		own: own{spare: train.NewRollout(o.Game.Spec())},
	}
	p.say("asking the learner of %s to join it", o.Agent)
	return p, nil
}

// workers is on how many cores to learn.
func (o *Options) workers() int { return cmp.Or(o.Config.Workers, runtime.GOMAXPROCS(0)) }

// say reports what the peer is doing.
func (p *Peer) say(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	p.words.Store(&words)
}

// Run computes for the group until ctx ends, which is no error.
func (p *Peer) Run(ctx context.Context) error {
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return p.heartbeat(inner) })
	group.Go(func() error { return p.serve(inner) })
	if err := group.Wait(); ctx.Err() == nil {
		return fmt.Errorf("learner: %w", err)
	}
	return nil
}

// heartbeat reports that the peer is alive until ctx ends.
func (p *Peer) heartbeat(ctx context.Context) error {
	process := p.opts.Process(messages.PeerRole, p.opts.ID)
	process.Agent = p.opts.Agent
	return process.Run(ctx, func(context.Context) presence.State {
		return presence.State{Words: *p.words.Load(), Values: map[string]float64{"works": float64(p.works.Load())}}
	}, func(err error) { p.log.Debug("heartbeat not sent", "error", err) })
}

// serve follows the leader. What it misses, or cannot do, makes it ask to join again.
func (p *Peer) serve(ctx context.Context) (err error) {
	if p.received, err = p.opts.Bus.Subscribe(ctx, p.subjects()...); err != nil {
		return err
	}
	if err := p.join(ctx); err != nil {
		return err
	}
	for {
		within := joinEvery
		switch {
		case p.trainer != nil:
			within = leaderWithin
		case p.refused != "":
			within = refusedEvery
		}
		m, err := p.receive(ctx, within)
		switch {
		case err == nil:
			err = p.handle(ctx, m)
		case errors.Is(err, errSilent):
			err = p.join(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// join asks to join.
func (p *Peer) join(ctx context.Context) error {
	p.trainer = nil
	return p.send(ctx, &messages.ToLeader{Body: &messages.ToLeader_Join{
		Join: &messages.GroupJoin{Workers: uint32(p.workers), Settings: p.settings},
	}})
}

func (p *Peer) send(ctx context.Context, m *messages.ToLeader) error {
	m.Run, m.Peer = p.opts.Run, p.opts.ID
	size, err := sendEncoded(ctx, p.opts.Bus, messages.LeaderSubject(p.opts.Agent), m)
	if size == 0 {
		return err
	}
	p.metrics.bytes.WithLabelValues("sent").Add(float64(size))
	if err != nil && ctx.Err() == nil {
		p.log.Debug("message to the leader not sent", "error", err) // the leader leaves it out
	}
	return ctx.Err()
}

// receive returns the next message; errSilent if the leader was silent for that long.
func (p *Peer) receive(ctx context.Context, within time.Duration) (*messages.ToPeers, error) {
	if m := p.back; m != nil {
		p.back = nil
		return m, nil
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case data, open := <-p.received:
			if !open {
				return nil, cmp.Or(ctx.Err(), errors.New("the bus was closed"))
			}
			switch m := p.decode(data); {
			case m == nil:
			case m.Body == nil && m.Leader == p.leader && p.trainer != nil:
				timer.Reset(within) // it is there
			default:
				return m, nil
			}
		case <-timer.C:
			return nil, errSilent
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// decode returns a message of the run; nil if it is none.
func (p *Peer) decode(data []byte) *messages.ToPeers {
	p.metrics.bytes.WithLabelValues("received").Add(float64(len(data)))
	m := &messages.ToPeers{}
	if messages.DecodeShared(data, m) != nil || m.Run != p.opts.Run {
		return nil
	}
	return m
}

// handle does what the leader says.
func (p *Peer) handle(ctx context.Context, m *messages.ToPeers) error {
	switch body := m.Body.(type) {
	case *messages.ToPeers_State:
		switch s := body.State; {
		case s.Refusal == "" && p.trainer == nil:
			return p.assemble(ctx, m.Leader, s)
		case s.Peer == p.opts.ID:
			p.trainer = nil
			if s.Refusal != p.refused {
				p.log.Warn("not in the group", "reason", s.Refusal)
			}
			p.refused = s.Refusal
			p.say("not in the group of %s: %s", p.opts.Agent, s.Refusal)
		}
	case *messages.ToPeers_Games:
		if m.Leader == p.leader {
			if err := p.gather(body.Games); err != nil {
				p.log.Warn("games of the leader cannot be read", "error", err)
			}
		}
	case *messages.ToPeers_Iteration:
		return p.iterate(ctx, m.Leader, body.Iteration)
	case *messages.ToPeers_Round:
		return p.takePart(ctx, m.Leader, body.Round)
	}
	if m.Leader != p.leader && p.trainer != nil {
		return p.join(ctx)
	}
	return nil // of an iteration that it is not in
}

// assemble adds a fragment of the leader's state and, with the last one, begins from it.
func (p *Peer) assemble(ctx context.Context, leader string, m *messages.GroupState) error {
	if m.Fragment == 0 {
		p.arrived, p.next, p.first, p.link = p.arrived[:0], 0, time.Now(), 0
	}
	if m.Fragment != p.next {
		return nil // one is missing: it asks again
	}
	p.arrived = append(p.arrived, m.Data...)
	if p.next++; p.next < m.Fragments {
		return nil
	}
	if took := time.Since(p.first); m.Fragments > 1 && took > 0 {
		p.link = float64(len(p.arrived)-fragment) / took.Seconds()
	}
	s := &messages.GroupSnapshot{}
	if err := proto.Unmarshal(p.arrived, s); err != nil {
		p.say("the leader's state cannot be read: %v", err)
		return nil
	}
	if err := p.restore(s); err != nil {
		return err
	}
	p.leader, p.refused = leader, ""
	ready := &messages.ToLeader{Body: &messages.ToLeader_Part{Part: &messages.GroupPart{Leader: leader, Link: p.link}}}
	if p.averages() {
		ready.Body = &messages.ToLeader_Change{Change: &messages.GroupChange{Leader: leader}}
	}
	if err := p.send(ctx, ready); err != nil {
		return err
	}
	p.say("in the group of %s, without a share so far", p.opts.Agent)
	p.log.Info("in the group", "leader", leader)
	return nil
}

// restore makes a trainer with the leader's state.
func (p *Peer) restore(s *messages.GroupSnapshot) error {
	state := &train.State{
		Weights: floatsOf(s.Weights), Second: floatsOf(s.Second), M: floatsOf(s.M), V: floatsOf(s.V), Steps: s.Steps,
		RNG: s.Rng, Caution: train.Caution{Scale: s.Caution, Accepted: int(s.Accepted)},
	}
	n, err := nn.NewNetwork(p.opts.Layout, state.Weights)
	if err != nil {
		return err
	}
	t, err := p.algorithm.NewTrainer(train.Setup{
		Config: p.opts.Config, Games: p.opts.Curriculum.Games(p.opts.Game), Network: n, Workers: p.workers,
		Teacher: p.opts.Teacher, CutFor: int(s.CutFor), Exchange: p.exchange(),
	})
	if err != nil {
		return err
	}
	if err := t.Restore(state); err != nil {
		return err
	}
	p.trainer, p.record = t, t.NewRecorder()
	p.forget()
	return nil
}

// iterate does an iteration with the group, if it has the leader's weights.
func (p *Peer) iterate(ctx context.Context, leader string, m *messages.GroupIteration) error {
	listed := p.sharesOf(m.Shares)
	if p.trainer == nil || leader != p.leader || !listed || !p.hasWeights(m) {
		return p.join(ctx)
	}
	p.ctx, p.at = ctx, position{m.Iteration, 0}
	err := p.turn(m)
	if err == nil {
		_, err = p.trainer.Learn(ctx, p.rollout, m.Progress)
	}
	if errors.Is(err, train.ErrUnsound) {
		err = nil
	}
	return p.again(err)
}

// again has the peer join again after an error in what it does with the group.
func (p *Peer) again(err error) error {
	if err == nil || p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	p.log.Warn("out of the group; joining again", "error", err)
	p.say("asking the learner of %s to join it again: %v", p.opts.Agent, err)
	return p.join(p.ctx)
}

// exchange is what the trainer does its work with: nil where it does all of an iteration.
func (p *Peer) exchange() train.Exchange {
	if p.averages() {
		return nil
	}
	return p
}

// hasWeights reports whether an iteration begins from the weights and moments that are here.
func (p *Peer) hasWeights(m *messages.GroupIteration) bool {
	s, err := p.trainer.Snapshot()
	return err == nil && s.Steps == m.Steps && train.Checksum(s.Weights) == m.Checksum
}

// sharesOf takes its own share, and reports whether it has one, be it empty.
func (p *Peer) sharesOf(shares []*messages.GroupShare) bool {
	for _, s := range shares {
		if s.Peer == p.opts.ID && s.First <= s.End && s.End <= wholeShare {
			if now := (share{s.First, s.End}); now != p.share {
				p.share = now
				p.say("computing %.0f %% for %s", 100*now.size()/wholeShare, p.opts.Agent)
			}
			return true
		}
	}
	p.share = share{}
	return false
}

// coming is a rollout that is being read. The leader may send the next one before an iteration on this one begins.
type coming struct {
	*train.Rollout
	number  uint64
	batches uint32 // read
}

// forget lets go of what was read of an earlier leader, or for an earlier trainer.
func (p *Peer) forget() {
	p.parcels, p.ahead = nil, nil
	for i := range p.coming {
		p.coming[i] = coming{Rollout: train.NewRollout(p.opts.Game.Spec())}
	}
}

// place is where a rollout is read: in place of the oldest if it is new.
func (p *Peer) place(number uint64) *coming {
	oldest := &p.coming[0]
	for i := range p.coming {
		c := &p.coming[i]
		if c.number == number {
			return c
		}
		if c.number < oldest.number {
			oldest = c
		}
	}
	oldest.Reset()
	oldest.number, oldest.batches = number, 0
	return oldest
}

// gather reads games of a rollout, unless it has read them.
func (p *Peer) gather(m *messages.GroupGames) error {
	switch {
	case p.trainer == nil:
		return nil
	case p.averages():
		p.keep(m)
		return nil
	}
	c := p.place(m.Rollout)
	if m.Batch != c.batches {
		return nil // it asks to join when it misses some
	}
	if err := p.reader.read(m.Experience, m.Episodes, p.record, c.Rollout); err != nil {
		return err
	}
	c.batches++
	return nil
}

// turn makes the rollout that was read that of an iteration.
func (p *Peer) turn(it *messages.GroupIteration) error {
	c := p.place(it.Rollout)
	if c.batches != it.Batches {
		return errMissed
	}
	p.rollout, c.Rollout = c.Rollout, p.rollout
	c.number, c.batches = 0, 0
	return nil
}

var errMissed = errors.New("a message of the leader is missing")

// Do implements [train.Exchange].
func (p *Peer) Do(w train.Work) error {
	p.at.work++
	if err := p.contribute(w); err != nil {
		return err
	}
	began := time.Now()
	for piece := range w.Pieces() {
		data, err := p.result(uint32(piece), resultWithin)
		if err != nil {
			return err
		}
		if err := w.SetResult(piece, data); err != nil {
			return err
		}
	}
	p.metrics.waiting.Add(time.Since(began).Seconds())
	p.works.Add(1)
	return nil
}

// contribute computes the peer's share of a work and sends it to the leader. Without one it sends a sign of life.
func (p *Peer) contribute(w train.Work) error {
	m := &messages.GroupPart{
		Leader: p.leader, Iteration: p.at.iteration, Work: p.at.work, Checksum: w.Checksum(),
	}
	message := &messages.ToLeader{Body: &messages.ToLeader_Part{Part: m}}
	first, end := p.share.of(w.Parts())
	if first == end {
		return p.send(p.ctx, message)
	}
	began := time.Now()
	w.Compute(first, end)
	took := time.Since(began)
	p.metrics.computing.Add(took.Seconds())
	m.First, m.End, m.Nanoseconds = uint32(first), uint32(end), uint64(took)
	var data []byte
	for piece := range w.Pieces() {
		data = w.AppendPart(data[:0], piece, first, end)
		m.Piece = uint32(piece)
		for m.Data, m.More = range fragments(data) {
			if err := p.send(p.ctx, message); err != nil {
				return err
			}
		}
	}
	return nil
}

// result returns a piece of the result of the work at hand, each message of which has to come in time.
func (p *Peer) result(piece uint32, within time.Duration) (data []byte, err error) {
	for {
		m, err := p.receive(p.ctx, within)
		if err != nil {
			return nil, err
		}
		if s := m.GetState(); s != nil && s.Peer != p.opts.ID {
			continue // of somebody else
		}
		if games := m.GetGames(); games != nil && m.Leader == p.leader {
			if err := p.gather(games); err != nil {
				return nil, err
			}
			continue
		}
		r := m.GetResult()
		if r == nil || m.Leader != p.leader || (position{r.Iteration, r.Work}) != p.at || r.Piece != piece {
			p.back = m
			return nil, errMissed
		}
		if data == nil {
			data = r.Data
		} else {
			data = append(data, r.Data...)
		}
		if !r.More {
			if len(r.Shares) > 0 { // the last piece
				p.sharesOf(r.Shares)
			}
			return data, nil
		}
	}
}
