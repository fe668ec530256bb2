package learner

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
)

// What the leader of a group receives from its peers, and sends them.
const (
	// maxContribution bounds what is kept of a peer's share of a work, not counting its gradients, in bytes.
	maxContribution = 64 << 20
	// fragment is how many bytes of a piece one message has.
	fragment = 256 << 10
)

// contribution is what a peer has sent of a work.
type contribution struct {
	position
	checksum uint32
	first    int // parts
	end      int
	seconds  float64
	pieces   [][]byte
	bytes    int
	complete int // pieces
}

// listen handles what peers send until ctx ends.
func (g *group) listen(ctx context.Context) error {
	received, err := g.bus.Subscribe(ctx, messages.LeaderSubject(g.agent))
	if err != nil { // such as a broker of an earlier version whose keys do not allow it
		if ctx.Err() == nil {
			g.log.Warn("nobody can join the learner", "error", err)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	// Peers of an earlier leader learn of the new one.
	if err := g.send(ctx, messages.PeersSubject(g.agent), &messages.ToPeers{}); err != nil {
		return err
	}
	pulse := time.NewTicker(pulseEvery)
	defer pulse.Stop()
	for {
		select {
		case data, open := <-received:
			if !open {
				return ctx.Err()
			}
			g.metrics.groupBytes.WithLabelValues("received").Add(float64(len(data)))
			g.handle(data)
		case <-pulse.C:
			if len(g.status()) > 0 {
				_ = g.send(ctx, messages.PeersSubject(g.agent), &messages.ToPeers{}) // the next one says it as well
			}
		}
	}
}

// handle handles a message of a peer.
func (g *group) handle(data []byte) {
	m := &messages.ToLeader{}
	if messages.DecodeShared(data, m) != nil || m.Run != g.run || messages.CheckToken(m.Peer) != nil {
		return
	}
	switch body := m.Body.(type) {
	case *messages.ToLeader_Join:
		g.mutex.Lock()
		if len(g.joins) < mostPeers {
			g.joins[m.Peer] = body.Join
		}
		g.mutex.Unlock()
	case *messages.ToLeader_Part:
		if body.Part.Leader == g.leader && g.averages == nil {
			g.take(m.Peer, body.Part)
		}
	case *messages.ToLeader_Change:
		if body.Change.Leader == g.leader && g.averages != nil {
			g.averages.take(m.Peer, body.Change)
		}
	}
}

// take notes what a peer of the group sends of the work at hand, or of the next, which it may have begun before the
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
	t := g.received[name]
	if t == nil || t.position != at {
		t = &contribution{position: at, checksum: p.Checksum, first: int(p.First), end: int(p.End),
			seconds: float64(p.Nanoseconds) / 1e9}
		g.received[name] = t
	}
	t.bytes += len(p.Data)
	switch piece := int(p.Piece); {
	case t.bytes > maxContribution+4*wholeShare*g.weights:
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

// isPresent reports whether a peer is in the group. The caller has the lock.
func (g *group) isPresent(name string) bool {
	return slices.ContainsFunc(g.present, func(s peerStatus) bool { return s.name == name })
}

// signal reports that something was received.
func (g *group) signal() {
	select {
	case g.news <- struct{}{}:
	default:
	}
}

// sendState sends the leader's state to those that asked to join.
func (g *group) sendState(state *train.State, send func(*messages.ToPeers) error) error {
	data, err := proto.Marshal(snapshotOf(state, g.workers))
	if err != nil {
		return err
	}
	parts := slices.Collect(slices.Chunk(data, fragment))
	for i, part := range parts {
		if err := send(&messages.ToPeers{Body: &messages.ToPeers_State{State: &messages.GroupState{
			Fragment: uint32(i), Fragments: uint32(len(parts)), Data: part,
		}}}); err != nil {
			return err
		}
	}
	return nil
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

// refuse sends a peer the reason why it is not in the group.
func (g *group) refuse(name, why string) error {
	return g.broadcast(&messages.ToPeers{Body: &messages.ToPeers_State{
		State: &messages.GroupState{Peer: name, Refusal: why},
	}})
}

// offer sends the peers the games of a rollout, if there are any peers: they read them while they wait for others.
// Where weights are averaged, it may hand them to a peer, which it reports.
func (g *group) offer(ctx context.Context, r *rollout) (taken bool) {
	switch {
	case len(g.status()) == 0:
	case g.averages != nil:
		return g.averages.hand(ctx, r)
	default:
		_ = g.sendGames(ctx, r) // begin sends what peers miss, or dissolves the group
	}
	return false
}

// sendGames sends the peers a rollout's games. A peer that has them already ignores them.
func (g *group) sendGames(ctx context.Context, r *rollout) (err error) {
	if r.number == 0 {
		r.number = g.rollouts.Add(1)
	}
	r.admissions = g.admissions.Load()
	for i, b := range r.batches {
		if err == nil {
			m := &messages.GroupGames{
				Rollout: r.number, Batch: uint32(i), Experience: b.batch, Episodes: b.episodes,
			}
			err = g.send(ctx, messages.PeersSubject(g.agent), &messages.ToPeers{Body: &messages.ToPeers_Games{Games: m}})
		}
	}
	return err
}

// announce announces an iteration on a rollout to the peers.
func (g *group) announce(state *train.State, r *rollout, progress float64) error {
	return g.broadcast(&messages.ToPeers{Body: &messages.ToPeers_Iteration{Iteration: &messages.GroupIteration{
		Iteration: g.iteration, Progress: progress, Steps: state.Steps, Checksum: train.Checksum(state.Weights),
		Rollout: r.number, Batches: uint32(len(r.batches)), Shares: g.shares(),
	}}})
}

func (g *group) shares() (list []*messages.GroupShare) {
	for _, p := range g.peers {
		list = append(list, &messages.GroupShare{Peer: p.name, First: p.first, End: p.end})
	}
	return list
}

// result sends the peers a piece of a work's result, with the last piece also the shares of the next work.
func (g *group) result(w train.Work, at position, piece int, last bool) error {
	if len(g.peers) == 0 {
		return nil
	}
	g.buffer = w.AppendResult(g.buffer[:0], piece)
	var shares []*messages.GroupShare
	if last {
		shares = g.shares()
	}
	return g.sendResult(at, piece, g.buffer, shares)
}

// sendResult sends the peers a piece of a result, and with its end the shares of the next work.
func (g *group) sendResult(at position, piece int, result []byte, shares []*messages.GroupShare) error {
	for data, more := range fragments(result) {
		m := &messages.GroupResult{
			Iteration: at.iteration, Work: at.work, Piece: uint32(piece), Data: data, More: more,
		}
		if !more {
			m.Shares = shares
		}
		if err := g.broadcast(&messages.ToPeers{Body: &messages.ToPeers_Result{Result: m}}); err != nil {
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

// broadcast sends a message to all peers. While the broker cannot be reached nothing is sent, and they miss it.
func (g *group) broadcast(m *messages.ToPeers) error {
	return g.send(g.ctx, messages.PeersSubject(g.agent), m)
}

func (g *group) send(ctx context.Context, subject string, m *messages.ToPeers) error {
	m.Run, m.Leader = g.run, g.leader
	size, err := sendEncoded(ctx, g.bus, subject, m)
	if size == 0 {
		return err
	}
	g.metrics.groupBytes.WithLabelValues("sent").Add(float64(size))
	return nil // a peer that misses it is late, and left out
}

// buffers are memory for messages that are being sent.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// sendEncoded sends a message and returns its size in bytes, 0 if it cannot be encoded.
func sendEncoded(ctx context.Context, b bus.Bus, subject string, m messages.Message) (size int, err error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	data, err := messages.AppendEncoded((*buffer)[:0], m)
	if err != nil {
		return 0, err
	}
	*buffer = data
	return len(data), b.Send(ctx, subject, data)
}
