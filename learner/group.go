package learner

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
)

// A group of learners trains one agent. Its leader is the learner that holds the agent's lease and does all that a
// learner does alone; its peers ([Peer]) have the leader's weights, optimiser and random stream, get the games of each
// iteration from it, and do the same iteration at the same time. What takes long, the gradients of minibatches and the
// evaluation of the games, is divided: each computes some parts, the peers tell the leader, and the leader tells all
// what the whole comes to ([train.Work]). So the weights do not depend on who is in the group.
//
// The leader needs nobody. A peer that is late, that sends nonsense or whose weights differ is left out, and the leader
// computes its share itself, within the same work: the others do not notice. A peer that comes, or comes back, joins
// with the next iteration.
const (
	// wholeShare is of how many equal pieces shares are: a GroupShare's.
	wholeShare = 64
	// mostPeers is how many are in a group, or ask to be, at most.
	mostPeers = wholeShare - 1
	// checkEvery is after how many works the leader computes a peer's share as well and compares it.
	checkEvery = 256
	// mostTold bounds what is kept of a peer's share of a work besides its gradients, in bytes.
	mostTold = 64 << 20
	// fragment is how many bytes of a piece are told in one message.
	fragment = 256 << 10
	// patienceForPeers is how long the leader waits for its peers once its own share is done, and patiencePerShare for
	// how many times as long as that took in addition.
	patienceForPeers = time.Second
	patiencePerShare = 4
	// patientIterations is how many whole iterations a peer has to come to the leader's weights, at least, and
	// patientTime how long.
	patientIterations = 2
	patientTime       = 10 * time.Second
)

// group is the leader's end of a group.
type group struct {
	bus         bus.Bus
	log         *slog.Logger
	metrics     *metrics
	run         string
	agent       string
	leader      string // random: of this start
	settings    []byte // SHA-256 of the learner's
	workers     int
	joinable    bool          // the algorithm's iterations can be divided
	patience    time.Duration // patienceForPeers
	patientTime time.Duration
	// demanding: a peer with which the group is slower than its leader alone is left out.
	demanding bool
	averages  *averages // nil: gradients are exchanged

	// Of the training goroutine.
	ctx       context.Context // of training
	peers     []*peer
	own       share
	alone     float64 // seconds that a whole minibatch would take this process, smoothed; 0: not known
	unit      uint32  // of a share: a part of a minibatch
	buffer    []byte
	together  float64            // seconds that a minibatch takes the group, smoothed; 0: not known
	done      int                // minibatches since the shares changed
	weights   int                // in the network
	refusals  map[string]refusal // of peers that do not get in, by name
	iteration uint64
	changed   bool // who is in the group: shares are to be planned again, once the work at hand is over

	rollouts atomic.Uint64 // told
	// admissions counts the states that were told. Peers that came with one lack the rollouts that were told before it.
	admissions atomic.Uint64

	mutex   sync.Mutex
	links   map[string]float64             // bytes a second at which the state came to peers, by name
	joins   map[string]*messages.GroupJoin // of who wants to come in, by name
	heard   map[string]*told               // of the work at hand, by name
	at      position                       // the work at hand
	news    chan struct{}                  // something was heard
	present []peerStatus                   // for others to see
}

// refusal says why a peer does not get in, and until when; the zero time: ever.
type refusal struct {
	why   string
	until time.Time
}

// position is a work's.
type position struct {
	iteration uint64
	work      uint32
}

func (p position) before(o position) bool {
	return p.iteration < o.iteration || p.iteration == o.iteration && p.work < o.work
}

// peer is a learner in the group, as its leader sees it.
type peer struct {
	name string
	share
	since   uint64 // iteration with which it joined
	joined  time.Time
	synced  bool    // it has come to the leader's weights by itself
	trusted int     // for so many works what it computes is not compared with what the leader computes
	speed   float64 // how many times as much of a work it computes in the same time as the leader
	wait    float64 // seconds that the leader waited for it in each work, smoothed

	// Where weights are averaged.
	quota    int     // iterations in the round
	measured bool    // its speed is
	exchange float64 // seconds that an exchange with it takes, a running minimum
}

// peerStatus describes a peer of a group for those who look at it.
type peerStatus struct {
	name  string
	share float64 // of the work that it computes, 0..1
}

// told is what a peer has told of a work.
type told struct {
	position
	checksum uint32
	first    int // parts
	end      int
	seconds  float64
	pieces   [][]byte
	bytes    int
	complete int // pieces
}

func newGroup(o *Options, a train.Algorithm) *group {
	g := &group{
		bus: o.Bus, log: o.Log, run: o.Run, agent: o.Agent, leader: rand.Text(), settings: sharedSettings(o.Config),
		workers: o.workers(), joinable: a.Grouped, patience: patienceForPeers, patientTime: patientTime,
		demanding: !o.LockStep,
		own:       share{0, wholeShare}, unit: 1,
		refusals: map[string]refusal{}, weights: o.Layout.Size, joins: map[string]*messages.GroupJoin{},
		heard: map[string]*told{}, links: map[string]float64{},
		news: make(chan struct{}, 1), ctx: context.Background(),
	}
	if o.Config.Group == train.GroupWeights {
		g.averages = newAverages(g, o)
	}
	return g
}

// exchange is what the leader's trainer does its work with: nil where its members do all of theirs.
func (g *group) exchange() train.Exchange {
	if g.averages != nil {
		return nil
	}
	return g
}

// sharedSettings returns the SHA-256 of the settings that are the same in all learners of a group.
func sharedSettings(c train.Config) []byte {
	c.Workers = 0
	sum, _ := hex.DecodeString(configHash(c)) // it is one
	return sum
}

// listen hears what peers tell until ctx ends.
func (g *group) listen(ctx context.Context) error {
	heard, err := g.bus.Listen(ctx, messages.LeaderSubject(g.agent))
	if err != nil { // such as a broker of an earlier version whose keys do not allow it
		if ctx.Err() == nil {
			g.log.Warn("nobody can join the learner", "error", err)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	// Those of an earlier leader hear that there is another.
	if err := g.send(ctx, messages.PeersSubject(g.agent), &messages.ToPeers{}); err != nil {
		return err
	}
	for data := range heard {
		g.metrics.groupBytes.WithLabelValues("received").Add(float64(len(data)))
		g.hear(data)
	}
	return ctx.Err()
}

// hear takes a message of a peer.
func (g *group) hear(data []byte) {
	m := &messages.ToLeader{}
	if messages.Decode(data, m) != nil || m.Run != g.run || messages.CheckToken(m.Peer) != nil {
		return
	}
	switch told := m.Told.(type) {
	case *messages.ToLeader_Join:
		g.mutex.Lock()
		if len(g.joins) < mostPeers {
			g.joins[m.Peer] = told.Join
		}
		g.mutex.Unlock()
	case *messages.ToLeader_Part:
		if told.Part.Leader == g.leader && g.averages == nil {
			g.take(m.Peer, told.Part)
		}
	case *messages.ToLeader_Change:
		if told.Change.Leader == g.leader && g.averages != nil {
			g.averages.take(m.Peer, told.Change)
		}
	}
}

// take notes what a peer of the group tells of the work at hand, or of the next, which it may have begun before the
// leader.
func (g *group) take(name string, p *messages.GroupPart) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.isPresent(name) {
		return
	}
	delete(g.joins, name) // from before it got in
	if p.Link > 0 {
		g.links[name] = p.Link
	}
	at := position{p.Iteration, p.Work}
	if at != g.at && at != (position{g.at.iteration, g.at.work + 1}) {
		return
	}
	t := g.heard[name]
	if t == nil || t.position != at {
		t = &told{position: at, checksum: p.Checksum, first: int(p.First), end: int(p.End),
			seconds: float64(p.Nanoseconds) / 1e9}
		g.heard[name] = t
	}
	t.bytes += len(p.Data)
	switch piece := int(p.Piece); {
	case t.bytes > mostTold+4*wholeShare*g.weights:
		return
	case piece == len(t.pieces):
		t.pieces = append(t.pieces, p.Data)
	case piece == len(t.pieces)-1 && t.complete == piece:
		t.pieces[piece] = append(t.pieces[piece], p.Data...)
	default:
		return // something is missing
	}
	if !p.More {
		t.complete = len(t.pieces)
	}
	g.signal()
}

// isPresent says whether a peer is in the group. The caller has the lock.
func (g *group) isPresent(name string) bool {
	return slices.ContainsFunc(g.present, func(s peerStatus) bool { return s.name == name })
}

// signal says that something was heard.
func (g *group) signal() {
	select {
	case g.news <- struct{}{}:
	default:
	}
}

// begin begins an iteration on a rollout: it takes in who wants to join, and tells all what to learn from. Without
// peers, or if they cannot be told, the leader learns alone.
func (g *group) begin(ctx context.Context, t train.Trainer, r *rollout, progress float64) {
	g.ctx = ctx
	if g.averages != nil {
		g.averages.begin(t, progress)
		return
	}
	joins := g.asked()
	if len(joins) == 0 && len(g.peers) == 0 {
		return
	}
	if err := g.assemble(t, joins, r, progress); err != nil {
		g.log.Warn("the group is dissolved", "error", err)
		g.peers = nil
		g.plan()
	}
}

// asked returns who has asked to join since the last call.
func (g *group) asked() map[string]*messages.GroupJoin {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	joins := g.joins
	g.joins = map[string]*messages.GroupJoin{}
	return joins
}

// assemble makes the group of an iteration.
func (g *group) assemble(t train.Trainer, joins map[string]*messages.GroupJoin, r *rollout, progress float64) error {
	admitted, err := g.advance(joins, 0)
	if err != nil {
		return err
	}
	g.plan()
	if len(g.peers) == 0 {
		return nil
	}
	state, err := t.Snapshot()
	if err == nil && len(admitted) > 0 {
		err = g.tellState(state, g.tell)
		g.admissions.Add(1)
	}
	if err == nil && (r.number == 0 || r.admissions < g.admissions.Load()) {
		err = g.tellGames(g.ctx, r)
	}
	if err != nil {
		return err
	}
	return g.announce(state, r, progress)
}

// advance begins the next iteration, or round, before the given work of it: it leaves out who does not come to the
// leader's weights, and returns the names of those whom it admits.
func (g *group) advance(joins map[string]*messages.GroupJoin, work uint32) (admitted []string, err error) {
	g.iteration++
	g.mutex.Lock()
	g.at = position{g.iteration, work}
	g.mutex.Unlock()
	for _, p := range slices.Clone(g.peers) {
		if !p.synced && p.since+patientIterations < g.iteration && time.Since(p.joined) > g.patientTime {
			g.leave(p, errSilent)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(joins)) {
		if why := g.admit(name, joins[name]); why == "" {
			admitted = append(admitted, name)
		} else if err := g.refuse(name, why); err != nil {
			return nil, err
		}
	}
	return admitted, nil
}

// admit takes a peer into the group, or says why not.
func (g *group) admit(name string, j *messages.GroupJoin) (refusal string) {
	g.peers = slices.DeleteFunc(g.peers, func(p *peer) bool { return p.name == name })
	g.averages.release(name)
	r, refused := g.refusals[name]
	if refused && !r.until.IsZero() && time.Now().After(r.until) {
		delete(g.refusals, name)
		refused = false
	}
	switch {
	case !g.joinable:
		return "the algorithm keeps what it learns from to itself: its iterations cannot be divided"
	case !bytes.Equal(j.Settings, g.settings):
		return "it has other settings of learning than the leader: start it again"
	case refused:
		return r.why
	case len(g.peers) >= mostPeers:
		return fmt.Sprintf("there are %d peers already", mostPeers)
	}
	workers := max(1, int(j.Workers))
	g.peers = append(g.peers, &peer{
		name: name, since: g.iteration, joined: time.Now(), speed: float64(workers) / float64(g.workers),
	})
	g.log.Info("a peer joins the group", "peer", name, "workers", workers)
	return ""
}

// tellState tells the leader's state to those that asked to join.
func (g *group) tellState(state *train.State, tell func(*messages.ToPeers) error) error {
	data, err := proto.Marshal(snapshotOf(state, g.workers))
	if err != nil {
		return err
	}
	parts := slices.Collect(slices.Chunk(data, fragment))
	for i, part := range parts {
		if err := tell(&messages.ToPeers{Told: &messages.ToPeers_State{State: &messages.GroupState{
			Fragment: uint32(i), Fragments: uint32(len(parts)), Data: part,
		}}}); err != nil {
			return err
		}
	}
	return nil
}

// refuse tells a peer why it is not in the group.
func (g *group) refuse(name, why string) error {
	return g.tell(&messages.ToPeers{Told: &messages.ToPeers_State{
		State: &messages.GroupState{Peer: name, Refusal: why},
	}})
}

// offer tells the peers the games of a rollout, if there are any peers: they read them while they wait for others.
// Where weights are averaged, it may hand them to a peer, which it reports.
func (g *group) offer(ctx context.Context, r *rollout) (taken bool) {
	switch {
	case len(g.status()) == 0:
	case g.averages != nil:
		return g.averages.hand(ctx, r)
	default:
		_ = g.tellGames(ctx, r) // begin tells what peers miss, or dissolves the group
	}
	return false
}

// tellGames tells the peers of a rollout's games. Who has them already lets them pass.
func (g *group) tellGames(ctx context.Context, r *rollout) (err error) {
	if r.number == 0 {
		r.number = g.rollouts.Add(1)
	}
	r.admissions = g.admissions.Load()
	for i, b := range r.batches {
		if err == nil {
			m := &messages.GroupGames{
				Rollout: r.number, Batch: uint32(i), Experience: b.batch, Episodes: b.episodes,
			}
			err = g.send(ctx, messages.PeersSubject(g.agent), &messages.ToPeers{Told: &messages.ToPeers_Games{Games: m}})
		}
	}
	return err
}

// announce tells the peers of an iteration on a rollout.
func (g *group) announce(state *train.State, r *rollout, progress float64) error {
	return g.tell(&messages.ToPeers{Told: &messages.ToPeers_Iteration{Iteration: &messages.GroupIteration{
		Iteration: g.iteration, Progress: progress, Steps: state.Steps, Checksum: train.Checksum(state.Weights),
		Rollout: r.number, Batches: uint32(len(r.batches)), Shares: g.shares(),
	}}})
}

// tell tells all peers. While the broker cannot be reached nothing is told, and they miss it.
func (g *group) tell(m *messages.ToPeers) error {
	return g.send(g.ctx, messages.PeersSubject(g.agent), m)
}

func (g *group) send(ctx context.Context, subject string, m *messages.ToPeers) error {
	m.Run, m.Leader = g.run, g.leader
	data, err := messages.Encode(m)
	if err != nil {
		return err
	}
	g.metrics.groupBytes.WithLabelValues("sent").Add(float64(len(data)))
	_ = g.bus.Tell(ctx, subject, data) // a peer that misses it is late, and left out
	return nil
}

func (g *group) shares() (list []*messages.GroupShare) {
	for _, p := range g.peers {
		list = append(list, &messages.GroupShare{Peer: p.name, First: p.first, End: p.end})
	}
	return list
}

// Do implements [train.Exchange].
func (g *group) Do(w train.Work) error {
	if len(g.peers) == 0 {
		g.compute(w, g.own)
		w.Combine(train.AllPieces)
		return nil
	}
	began, at := time.Now(), g.next()
	checksum := w.Checksum()
	took := g.compute(w, g.own)
	for _, p := range g.peers {
		if p.size() == 0 {
			continue
		}
		if p.trusted--; p.trusted < 0 {
			w.Compute(p.of(w.Parts()))
		}
	}
	deadline := time.Now().Add(g.patience + patiencePerShare*took)
	pieces := w.Pieces()
	for piece := range pieces {
		for _, p := range slices.Clone(g.peers) {
			if p.size() == 0 {
				continue
			}
			if err := g.add(w, p, at, piece, checksum, deadline); err != nil {
				g.leave(p, err)
				if p.trusted >= 0 { // else it is computed already
					w.Compute(p.of(w.Parts()))
				}
			}
		}
		w.Combine(piece)
		if piece == pieces-1 {
			if pieces > 1 {
				g.judge(time.Since(began))
			}
			g.meet(at, checksum, took)
		}
		if err := g.result(w, at, piece, piece == pieces-1); err != nil {
			return err
		}
	}
	return nil
}

// next begins the next work.
func (g *group) next() position {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.at.work++
	maps.DeleteFunc(g.heard, func(_ string, t *told) bool { return t.before(g.at) })
	return g.at
}

// compute computes a share in this process.
func (g *group) compute(w train.Work, s share) time.Duration {
	began := time.Now()
	first, end := s.of(w.Parts())
	w.Compute(first, end)
	took := time.Since(began)
	if w.Pieces() > 1 && end > first { // a minibatch
		whole := took.Seconds() * float64(w.Parts()) / float64(end-first)
		g.alone = smooth(g.alone, whole)
		g.unit = 1
		if wholeShare%w.Parts() == 0 {
			g.unit = uint32(wholeShare / w.Parts())
		}
	}
	return took
}

// add waits for a peer's share of a piece and adds it.
func (g *group) add(w train.Work, p *peer, at position, piece int, checksum uint32, deadline time.Time) error {
	began := time.Now()
	t, err := g.wait(p.name, at, piece, deadline)
	waited := time.Since(began).Seconds()
	g.metrics.groupWaiting.Add(waited)
	if piece == 0 {
		p.wait = smooth(p.wait, waited)
	}
	if err != nil {
		return err
	}
	first, end := p.of(w.Parts())
	switch {
	case t.checksum != checksum:
		return errOtherWeights
	case t.first != first || t.end != end:
		return fmt.Errorf("it has computed parts %d to %d, not %d to %d", t.first, t.end, first, end)
	}
	data := t.pieces[piece]
	if p.trusted < 0 {
		own := w.AppendPart(nil, piece, first, end)
		if err := w.SetPart(piece, first, end, own); err != nil {
			return err
		}
		if len(own) != len(data) {
			return fmt.Errorf("%d bytes where there should be %d", len(data), len(own))
		}
		if !bytes.Equal(own, data) {
			return errOtherBits
		}
		if piece == w.Pieces()-1 && piece > 0 {
			p.trusted = checkEvery
		}
		return nil
	}
	return w.SetPart(piece, first, end, data)
}

var (
	errOtherWeights = errors.New("its weights are not the leader's")
	errOtherBits    = errors.New("its processor computes other bits than the leader's")
	errSilent       = errors.New("it does not answer in time")
)

// wait waits until a peer has told a piece of a work.
func (g *group) wait(name string, at position, piece int, deadline time.Time) (told, error) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		if t, _ := g.now(name); t.position == at && t.complete > piece {
			return t, nil
		}
		select {
		case <-g.news:
		case <-timer.C:
			return told{}, errSilent
		case <-g.ctx.Done():
			return told{}, g.ctx.Err()
		}
	}
}

// now returns what a peer has told so far, and how fast its link is, 0 if that is not known.
func (g *group) now(name string) (t told, link float64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if heard := g.heard[name]; heard != nil {
		t = *heard
	}
	return t, g.links[name]
}

// meet notes what the peers have told of a work, who may compute from now on, and how fast they are.
func (g *group) meet(at position, checksum uint32, took time.Duration) {
	for _, p := range slices.Clone(g.peers) {
		t, link := g.now(p.name)
		if err := g.fits(p, link); !p.synced && err != nil {
			g.leave(p, err)
			continue
		}
		switch {
		case t.position != at || p.size() == 0 && t.complete == 0:
			continue
		case t.checksum != checksum:
			g.leave(p, errOtherWeights)
			continue
		case !p.synced:
			p.synced, g.changed = true, true
		}
		if p.size() > 0 && t.seconds > 0 && took > 0 && g.own.size() > 0 {
			p.speed = smooth(p.speed, p.size()/t.seconds/(g.own.size()/took.Seconds()))
		}
	}
	if g.changed {
		g.plan()
	}
}

// result tells the peers a piece of a work's result; with the last piece goes how the next work is shared.
func (g *group) result(w train.Work, at position, piece int, last bool) error {
	if len(g.peers) == 0 {
		return nil
	}
	g.buffer = w.AppendResult(g.buffer[:0], piece)
	var shares []*messages.GroupShare
	if last {
		shares = g.shares()
	}
	return g.tellResult(at, piece, g.buffer, shares)
}

// tellResult tells the peers a piece of a result, and with its end how the next work is shared.
func (g *group) tellResult(at position, piece int, result []byte, shares []*messages.GroupShare) error {
	for data, more := range fragments(result) {
		m := &messages.GroupResult{
			Iteration: at.iteration, Work: at.work, Piece: uint32(piece), Data: data, More: more,
		}
		if !more {
			m.Shares = shares
		}
		if err := g.tell(&messages.ToPeers{Told: &messages.ToPeers_Result{Result: m}}); err != nil {
			return err
		}
	}
	return nil
}

// fragments yields data in parts that fit into a message, at least one, and whether more follow.
func fragments(data []byte) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		for len(data) > fragment {
			if !yield(data[:fragment], true) {
				return
			}
			data = data[fragment:]
		}
		yield(data, false)
	}
}

// leave leaves a peer out of the group. It may come back.
func (g *group) leave(p *peer, err error) {
	if g.ctx.Err() == nil { // else it is the end
		g.log.Warn("a peer is left out of the group", "peer", p.name, "error", err)
		g.metrics.groupLeft.Inc()
	}
	var slow *slowError
	switch {
	case errors.Is(err, errOtherBits):
		g.refusals[p.name] = refusal{why: err.Error()}
	case errors.As(err, &slow), errors.Is(err, errLate):
		g.refusals[p.name] = refusal{err.Error(), time.Now().Add(restFor)}
	}
	g.peers = slices.DeleteFunc(g.peers, func(o *peer) bool { return o == p })
	g.mutex.Lock()
	delete(g.links, p.name)
	g.mutex.Unlock()
	g.averages.release(p.name)
	_ = g.refuse(p.name, err.Error()) // it is encoded as every message is
	g.changed = true
}

// status returns the peers of the group.
func (g *group) status() []peerStatus {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.present
}

// inWords says who else computes for the learner: ", with 2 peers: peer-1 25 %, peer-2 50 %", or ", averaging every 3
// iterations with 2 peers: …"; nothing if nobody does.
func (g *group) inWords() string {
	var list []string
	for _, p := range g.status() {
		list = append(list, fmt.Sprintf("%s %.0f %%", p.name, 100*p.share))
	}
	with := "with"
	if g.averages != nil {
		with = g.averages.inWords()
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(", %s a peer: %s", with, list[0])
	}
	return fmt.Sprintf(", %s %d peers: %s", with, len(list), strings.Join(list, ", "))
}

// snapshotOf is a trainer's state as a message.
func snapshotOf(s *train.State, cutFor int) *messages.GroupSnapshot {
	return &messages.GroupSnapshot{
		Weights: floatBytes(s.Weights), Second: floatBytes(s.Second), M: floatBytes(s.M), V: floatBytes(s.V),
		Steps: s.Steps, Rng: s.RNG, Caution: s.Caution.Scale, Accepted: uint32(s.Caution.Accepted),
		CutFor: uint32(cutFor),
	}
}

func floatBytes(values []float32) []byte {
	column := make([]byte, 0, 4*len(values))
	for _, v := range values {
		column = messages.AppendFloat(column, v)
	}
	return column
}

func floatsOf(column []byte) []float32 {
	values := make([]float32, len(column)/4)
	for i := range values {
		values[i] = messages.FloatAt(column, i)
	}
	return values
}
