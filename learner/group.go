package learner

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
)

// A group of learners trains one agent. Its leader is the learner that holds the agent's lease and does all that a
// learner does alone; its peers ([Peer]) have the leader's weights, optimiser and random stream, get the games of each
// iteration from it, and do the same iteration at the same time. What takes long, the gradients of minibatches and the
// evaluation of the games, is divided: each computes some parts, the peers send theirs to the leader, and the leader
// sends the whole to all ([train.Work]). So the weights do not depend on who is in the group.
//
// The leader needs no peer. A peer that is late, that sends nonsense or whose weights differ is left out, and the
// leader computes its share itself, within the same work: the others do not notice. A peer that comes, or comes back,
// joins with the next iteration.
const (
	// mostPeers is how many are in a group, or ask to be, at most.
	mostPeers = wholeShare - 1
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
	lockStep  bool      // see Options.LockStep
	averages  *averages // nil: gradients are exchanged

	// Of the training goroutine.
	ctx       context.Context // of training
	peers     []*peer
	own       share
	alone     float64 // seconds that a whole minibatch would take this process, smoothed; 0: not known
	unit      uint32  // of a share: a part of a minibatch
	buffer    []byte
	together  float64            // seconds that a minibatch takes the group, the mean since the shares changed
	variance  float64            // of a minibatch's seconds
	done      int                // minibatches since the shares changed
	weights   int                // in the network
	refusals  map[string]refusal // of peers that do not get in, by name
	iteration uint64
	changed   bool // the members: shares are to be planned again, once the work at hand is over

	rollouts atomic.Uint64 // sent
	// admissions counts the states that were sent. Peers that came with one lack the rollouts that were sent before it.
	admissions atomic.Uint64

	mutex    sync.Mutex
	links    map[string]float64             // bytes a second at which the state came to peers, by name
	joins    map[string]*messages.GroupJoin // of peers that want to join, by name
	received map[string]*contribution       // of the work at hand, by name
	at       position                       // the work at hand
	news     chan struct{}                  // something was received
	present  []peerStatus                   // for others to see
}

// refusal reports why a peer does not get in, and until when; the zero time: ever.
type refusal struct {
	why   string
	until time.Time
}

// peer is a learner in the group, as its leader sees it.
type peer struct {
	name string
	share
	since   uint64 // iteration with which it joined
	joined  time.Time
	synced  bool    // it has come to the leader's weights by itself
	trusted int     // number of works whose results the leader does not check
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

func newGroup(o *Options, a train.Algorithm) *group {
	g := &group{
		bus: o.Bus, log: o.Log, run: o.Run, agent: o.Agent, leader: rand.Text(), settings: sharedSettings(o.Config),
		workers: o.workers(), joinable: a.Grouped, patience: patienceForPeers, patientTime: patientTime,
		demanding: !o.LockStep, lockStep: o.LockStep,
		own: share{0, wholeShare}, unit: 1,
		refusals: map[string]refusal{}, weights: o.Layout.Size, joins: map[string]*messages.GroupJoin{},
		received: map[string]*contribution{}, links: map[string]float64{},
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

// begin begins an iteration on a rollout: it admits those that want to join, and sends all what to learn from. Without
// peers, or if nothing can be sent to them, the leader learns alone.
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
		err = g.sendState(state, g.broadcast)
		g.admissions.Add(1)
	}
	if err == nil && (r.number == 0 || r.admissions < g.admissions.Load()) {
		err = g.sendGames(g.ctx, r)
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

// admit takes a peer into the group, or reports why not.
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
	case g.averages != nil && g.lockStep: // its actor plays for one iteration, and waits for the next version
		return "the run is deterministic, and with learner.group: weights its weights would depend on who is faster"
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

// inWords reports who else computes for the learner: ", with 2 peers: peer-1 25 %, peer-2 50 %", or ", averaging every
// 3 iterations with 2 peers: …"; nothing if none does.
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
