package learner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/games/leduc"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// groupOptions are those of a learner with minibatches of 8 parts.
func groupOptions(t *testing.T) Options {
	o := testOptions(t)
	o.Game = leduc.Game{}
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{48}, LSTM: []int{16}})
	o.Config.SequenceLength, o.Config.PPO.Samples, o.Config.PPO.Minibatch, o.Config.PPO.KLStop = 4, 1<<20, 1024, 0
	o.Config.PPO.Epochs, o.Config.Workers = 2, 1
	return o
}

// leading is a learner whose group is open, and what has it do an iteration.
func leading(t *testing.T, o Options) (*Learner, func() error) {
	l, _ := iterating(t, o)
	l.group.demanding = false // these minibatches take less time than to exchange them
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- l.group.listen(ctx) }()
	t.Cleanup(func() { cancel(); <-over })
	a := newTestActor(t, o.Game, "actor-7")
	return l, func() error {
		a.follow(t.Context(), o.Bus)
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(1200)))
		defer func() { l.ingestion.rollout.reset() }()
		return settled(t, l, l.iterate(t.Context(), l.ingestion.rollout))
	}
}

// join starts a peer of the learner on a bus and waits until the learner knows of it.
func join(t *testing.T, l *Learner, o Options, name string, b bus.Bus) {
	t.Helper()
	o.ID, o.Bus, o.Registerer = name, b, prometheus.NewRegistry()
	p, err := NewPeer(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- p.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-over) })
	asked(t, l, name)
}

// asked waits until a peer asks to join.
func asked(t *testing.T, l *Learner, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		l.group.mutex.Lock()
		defer l.group.mutex.Unlock()
		return l.group.joins[name] != nil
	}, time.Minute, time.Millisecond, "%s asks to join", name)
}

// inGroup reports whether a peer is in the group.
func inGroup(l *Learner, name string) bool {
	return slices.ContainsFunc(l.group.status(), func(p peerStatus) bool { return p.name == name })
}

// alone returns the weights' sums after each of some iterations of a learner without peers.
func alone(t *testing.T, iterations int) (sums []string) {
	l, iterate := leading(t, groupOptions(t))
	for range iterations {
		require.NoError(t, iterate())
		sums = append(sums, l.WeightsSum())
	}
	return sums
}

// A group comes to the weights of one learner with the same games to the bit, while peers come and go.
func TestAGroupLearnsAsOne(t *testing.T) {
	want := alone(t, 5)
	o := groupOptions(t)
	l, iterate := leading(t, o)
	names := []string{"one", "two", "three"}
	for i, sum := range want {
		if i < len(names) {
			join(t, l, o, names[i], o.Bus)
		}
		require.NoError(t, iterate())
		require.Equal(t, sum, l.WeightsSum(), "iteration %d", i)
		require.True(t, inGroup(l, names[min(i, 2)]))
	}
	require.Regexp(t, `^, with 3 peers: one \d+ %, two \d+ %, three \d+ %$`, l.group.inWords())
	require.Positive(t, l.group.own.size(), "the leader computes as well, or it would not know how fast it is")
	require.Zero(t, testutil.ToFloat64(l.metrics.groupLeft))
}

// Games of a later iteration that were sent before a peer joined are sent to it in time.
func TestPeersLackGamesSentBefore(t *testing.T) {
	o := groupOptions(t)
	l, iterate := leading(t, o)
	join(t, l, o, "one", o.Bus)
	require.NoError(t, iterate())
	a := newTestActor(t, o.Game, "actor-8")
	a.follow(t.Context(), o.Bus)
	games := func() *rollout {
		l.ingestion.rollout = newRollout(o.Game)
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(1200)))
		return l.ingestion.rollout
	}
	first, second := games(), games()
	require.False(t, l.group.offer(t.Context(), second), "to the group, not to a peer")
	join(t, l, o, "two", o.Bus)
	for _, r := range []*rollout{first, second} {
		require.NoError(t, settled(t, l, l.iterate(t.Context(), r)))
		require.True(t, inGroup(l, "one"))
		require.True(t, inGroup(l, "two"))
		require.Eventually(t, func() bool {
			l.group.mutex.Lock()
			defer l.group.mutex.Unlock()
			return l.group.received["two"] != nil
		}, time.Minute, time.Millisecond, "it has come to the leader's weights")
		require.Empty(t, l.group.asked(), "nobody has to join again")
	}
	require.Zero(t, testutil.ToFloat64(l.metrics.groupLeft))
}

// faulty is a peer's bus that does something to what it sends, once it has sent a number of parts of works.
type faulty struct {
	bus.Bus
	after  atomic.Int64
	change func(p *messages.GroupPart) (lost bool)
	parts  atomic.Int64
}

func (f *faulty) Send(ctx context.Context, subject string, data []byte) error {
	m := &messages.ToLeader{}
	if messages.Decode(data, m) != nil || m.GetPart() == nil || f.parts.Add(1) <= f.after.Load() {
		return f.Bus.Send(ctx, subject, data)
	}
	if f.change(m.GetPart()) {
		return nil
	}
	data, err := messages.Encode(m)
	if err != nil {
		return err
	}
	return f.Bus.Send(ctx, subject, data)
}

// Whatever a peer does, the weights are those of one learner, and the others continue.
func TestPeersThatFailAreLeftOut(t *testing.T) {
	one, iterateOne := leading(t, groupOptions(t))
	var want []string // the weights' sums of one learner, for as many iterations as a fault has needed so far
	faults := map[string]struct {
		change  func(p *messages.GroupPart) bool
		late    bool // the leader has to wait
		refused bool // for good
	}{
		"silent":        {late: true, change: func(*messages.GroupPart) bool { return true }},
		"other weights": {change: func(p *messages.GroupPart) bool { p.Checksum++; return false }},
		"other parts":   {change: func(p *messages.GroupPart) bool { p.First++; return false }},
		"too little": {change: func(p *messages.GroupPart) bool {
			p.Data = p.Data[:len(p.Data)/2]
			return false
		}},
		"a piece is missing": {late: true, change: func(p *messages.GroupPart) bool { return p.Piece == 1 }},
		"other bits": {refused: true, change: func(p *messages.GroupPart) bool {
			if p.Piece > 0 {
				p.Data = bytes.Clone(p.Data)
				p.Data[len(p.Data)/2] ^= 1
			}
			return false
		}},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			o := groupOptions(t)
			l, iterate := leading(t, o)
			l.group.patience, l.group.patientTime = time.Minute, time.Minute
			if fault.late {
				l.group.patience, l.group.patientTime = 200*time.Millisecond, 0
			}
			join(t, l, o, "sound", o.Bus)
			f := &faulty{Bus: o.Bus, change: fault.change}
			join(t, l, o, "faulty", f)
			over := func() bool {
				return testutil.ToFloat64(l.metrics.groupLeft) > 0 && inGroup(l, "faulty") == !fault.refused
			}
			// A peer that gets little of the processors comes to the leader's weights late, and has no share before.
			deadline := time.Now().Add(time.Minute)
			for i := 0; !over(); i++ {
				require.True(t, time.Now().Before(deadline), "it is not found out")
				if i == len(want) {
					require.NoError(t, iterateOne())
					want = append(want, one.WeightsSum())
				}
				require.NoError(t, iterate())
				require.Equal(t, want[i], l.WeightsSum(), "iteration %d", i)
				if testutil.ToFloat64(l.metrics.groupLeft) > 0 {
					f.after.Store(1 << 40) // it is well again
				}
				if !inGroup(l, "faulty") {
					asked(t, l, "faulty")
				}
			}
			if !fault.late { // else a slow machine may leave it out as well
				require.True(t, inGroup(l, "sound"))
			}
		})
	}
}

// A peer with other settings is refused, and never has a share.
func TestPeersThatDoNotFit(t *testing.T) {
	o := groupOptions(t)
	l, iterate := leading(t, o)
	other := o
	other.Config.PPO.Epochs++
	join(t, l, other, "other", o.Bus)
	require.NoError(t, iterate())
	require.Empty(t, l.group.status())

	dqn := o
	dqn.Config.Algorithm = "dqn"
	dqn.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{16}, Dueling: true})
	_, err := NewPeer(dqn)
	require.ErrorContains(t, err, "its iterations cannot be divided")
}

// What peers say of other runs, or what cannot be read, changes nothing.
func TestGroupHearsOnlyItsPeers(t *testing.T) {
	o := groupOptions(t)
	l, _ := leading(t, o)
	for _, m := range []*messages.ToLeader{
		{Run: "other", Peer: "a", Body: &messages.ToLeader_Join{Join: &messages.GroupJoin{}}},
		{Run: testRun, Peer: "a b", Body: &messages.ToLeader_Join{Join: &messages.GroupJoin{}}},
		{Run: testRun, Peer: "a", Body: &messages.ToLeader_Part{Part: &messages.GroupPart{Leader: "other"}}},
		{Run: testRun, Peer: "a"},
	} {
		l.group.handle(encode(t, m))
	}
	l.group.handle([]byte(strings.Repeat("x", 100)))
	require.Empty(t, l.group.joins)
	require.Empty(t, l.group.received)

	// A key of peers cannot fill the memory: what is not of the work at hand, or too much, is not kept.
	g := l.group
	g.present, g.at = []peerStatus{{name: "a"}}, position{1, 5}
	send := func(name string, at position, piece uint32, size int) {
		part := &messages.GroupPart{
			Leader: g.leader, Iteration: at.iteration, Work: at.work, Piece: piece, More: true, Data: make([]byte, size),
		}
		g.handle(encode(t, &messages.ToLeader{Run: testRun, Peer: name, Body: &messages.ToLeader_Part{Part: part}}))
	}
	for _, at := range []position{{0, 9}, {1, 4}, {1, 7}, {2, 0}, {1 << 60, 0}} {
		send("a", at, 0, 1)
		require.Empty(t, g.received, "%v", at)
	}
	send("b", g.at, 0, 1)
	require.Empty(t, g.received, "it is not in the group")
	for range 200 {
		send("a", g.at, 0, 1<<19)
	}
	require.LessOrEqual(t, len(g.received["a"].pieces[0]), maxContribution+4*wholeShare*g.weights)
	require.Greater(t, len(g.received["a"].pieces[0]), maxContribution/2)
}

// A group to which games cannot be sent is dissolved, and the leader learns alone.
func TestAGroupToWhichNothingCanBeSentIsDissolved(t *testing.T) {
	want := alone(t, 2)
	o := groupOptions(t)
	l, iterate := leading(t, o)
	join(t, l, o, "one", o.Bus)
	require.NoError(t, iterate())
	require.True(t, inGroup(l, "one"))
	require.Equal(t, want[0], l.WeightsSum())
	l.group.begin(t.Context(), l.trainer, &rollout{batches: []gamesOf{{batch: make([]byte, messages.MaxMessage)}}}, 0)
	require.Empty(t, l.group.status())
	require.NoError(t, iterate())
	require.Equal(t, want[1], l.WeightsSum())
}

func TestWorkIsDividedBySpeed(t *testing.T) {
	for _, c := range []struct {
		speeds []float64
		unit   uint32
		want   []share
	}{
		{[]float64{1}, 4, []share{{0, 64}}},
		{[]float64{1, 1}, 4, []share{{0, 32}, {32, 64}}},
		{[]float64{1, 1.05}, 4, []share{{0, 32}, {32, 64}}},
		{[]float64{1, 3}, 4, []share{{0, 16}, {16, 64}}},
		{[]float64{1, 0, 1}, 8, []share{{0, 32}, {32, 32}, {32, 64}}},
		{[]float64{1, 1, 1}, 8, []share{{0, 24}, {24, 48}, {48, 64}}},
		{[]float64{1, 0.01}, 8, []share{{0, 56}, {56, 64}}},
		{[]float64{1, 1, 1, 1, 1}, 16, []share{{0, 16}, {16, 32}, {32, 48}, {48, 64}, {64, 64}}},
		{[]float64{0.1, 10}, 16, []share{{0, 16}, {16, 64}}},
	} {
		require.Equal(t, c.want, divide(c.speeds, c.unit), fmt.Sprint(c.speeds))
		require.True(t, covers(c.want))
	}
	require.False(t, covers([]share{{0, 32}}))
	require.False(t, covers([]share{{0, 32}, {40, 64}}))
}

// Shares are even unless speeds differ much, and stay as they are unless others are much better.
func TestSharesAreEvenAmongLikes(t *testing.T) {
	o := groupOptions(t)
	l, _ := leading(t, o)
	g := l.group
	g.unit = 8
	a, b := &peer{name: "a", synced: true, speed: 1.2}, &peer{name: "b", synced: true, speed: 0.9}
	g.peers = []*peer{a, b}
	g.plan()
	require.Equal(t, []share{{0, 24}, {24, 48}, {48, 64}}, []share{g.own, a.share, b.share})
	a.speed = 4
	g.plan()
	require.Equal(t, []share{{0, 8}, {8, 56}, {56, 64}}, []share{g.own, a.share, b.share})
	a.speed = 3
	g.plan()
	require.Equal(t, share{8, 56}, a.share, "it stays")
	g.peers = []*peer{b}
	g.plan()
	require.Equal(t, []share{{0, 32}, {32, 64}}, []share{g.own, b.share})
}

// A peer on a link on which the exchange takes longer than it saves is refused before it has a share; one with which
// the group turns out to be slower than its leader alone, after some minibatches. Both may come again after a while.
func TestPeersOnSlowLinks(t *testing.T) {
	o := groupOptions(t)
	l, _ := leading(t, o)
	g := l.group
	g.demanding, g.alone, g.weights = true, 0.060, 145_000
	p := &peer{name: "a", speed: 1}
	require.NoError(t, g.fits(p, 125e6), "1 Gbit/s: 6 ms to exchange, 30 ms saved")
	err := g.fits(p, 2.5e6)
	require.ErrorContains(t, err, "a minibatch takes 290 ms to exchange, and its leader computes it alone in 60 ms")
	require.NoError(t, g.fits(p, 0), "not known")
	g.alone = 3
	require.NoError(t, g.fits(p, 2.5e6), "a large network, or a slow processor")

	b := &peer{name: "b", synced: true, speed: 1, wait: 0.2}
	p.synced, g.alone, g.peers = true, 0.060, []*peer{p, b}
	g.plan()
	for range tried - 1 {
		g.judge(100 * time.Millisecond)
	}
	require.Len(t, g.peers, 2)
	g.judge(100 * time.Millisecond)
	require.Equal(t, []*peer{p}, g.peers)
	slower := "the group is slower with it: a minibatch takes 100 ms, and its leader computes it alone in 60 ms"
	require.Contains(t, g.refusals["b"].why, slower)
	require.Contains(t, g.admit("b", &messages.GroupJoin{Settings: g.settings}), slower)
	require.Len(t, g.peers, 1)
	g.refusals["b"] = refusal{"slow", time.Now().Add(-time.Second)}
	require.Empty(t, g.admit("b", &messages.GroupJoin{Settings: g.settings}))
	require.Len(t, g.peers, 2)
}

// Some minibatches that are held up, long ago or just now, tell nothing of a group that is faster than its leader
// alone; if all are, the group is slower.
func TestAGroupBearsHiccups(t *testing.T) {
	l, _ := leading(t, groupOptions(t))
	g := l.group
	p := &peer{name: "a", speed: 1, synced: true}
	g.demanding, g.alone, g.peers = true, 0.060, []*peer{p}
	g.plan()
	for i := range 1000 {
		took := 40 * time.Millisecond
		if i == 0 || i == 33 || i%200 == 199 {
			took = 2 * time.Second
		}
		g.judge(took)
		require.Len(t, g.peers, 1, "minibatch %d", i)
	}
	slow := 0
	for ; len(g.peers) > 0; slow++ {
		require.Less(t, slow, judged)
		g.judge(150 * time.Millisecond)
	}
	require.Greater(t, slow, 8)
}

// A group that has worked for long loses its only peer: the time for which it was waited says nothing of the others, of
// whom there is none.
func TestTheOnlyPeerIsLost(t *testing.T) {
	o := groupOptions(t)
	l, iterate := leading(t, o)
	f := &faulty{Bus: o.Bus, change: func(*messages.GroupPart) bool { return true }}
	f.after.Store(1 << 40)
	join(t, l, o, "one", f)
	for l.group.own.size() == wholeShare {
		require.NoError(t, iterate())
	}
	l.group.demanding, l.group.done, l.group.alone = true, tried, 1e-9
	l.group.patience = 100 * time.Millisecond
	f.after.Store(f.parts.Load() + 1) // it evaluates games, and is lost with the first minibatch
	require.NoError(t, iterate())
	require.Empty(t, l.group.status())
	require.EqualValues(t, wholeShare, l.group.own.size())
}

// A key of peers can bring any number of names; the group stays bounded.
func TestAGroupIsBounded(t *testing.T) {
	l, _ := leading(t, groupOptions(t))
	g := l.group
	for i := range 3 * mostPeers {
		g.handle(encode(t, &messages.ToLeader{Run: testRun, Peer: fmt.Sprint("p", i),
			Body: &messages.ToLeader_Join{Join: &messages.GroupJoin{Settings: g.settings}}}))
		g.admit(fmt.Sprint("p", i), &messages.GroupJoin{Settings: g.settings})
	}
	require.Len(t, g.joins, mostPeers)
	require.Len(t, g.peers, mostPeers)
	require.Contains(t, g.admit("more", &messages.GroupJoin{Settings: g.settings}), "63 peers already")
}

// A peer whose bits become others after a while is found out by a later comparison.
func TestPeersAreComparedAgain(t *testing.T) {
	o := groupOptions(t)
	l, iterate := leading(t, o)
	l.group.patience = time.Minute
	f := &faulty{Bus: o.Bus, change: func(p *messages.GroupPart) bool {
		if p.Piece > 0 {
			p.Data[0] ^= 1
		}
		return false
	}}
	f.after.Store(1 << 40)
	join(t, l, o, "faulty", f)
	for !inGroup(l, "faulty") || l.group.peers[0].trusted < 2 {
		require.NoError(t, iterate())
	}
	f.after.Store(0)
	l.group.peers[0].trusted = 1 // as after checkEvery works
	require.NoError(t, iterate())
	require.False(t, inGroup(l, "faulty"))
	require.Equal(t, errOtherBits.Error(), l.group.refusals["faulty"].why)
}

var _ train.Exchange = (*group)(nil)
var _ train.Exchange = (*Peer)(nil)
