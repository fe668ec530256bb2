package learner

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
)

// averagingOptions are those of a learner of a group that averages weights.
func averagingOptions(t *testing.T) Options {
	o := groupOptions(t)
	o.Config.Group, o.Config.GroupIterations = train.GroupWeights, 2
	return o
}

// averaging is a learner whose group averages weights, and what has it do an iteration, once its peers have the
// rollouts that they lack.
func averaging(t *testing.T, o Options) (*Learner, func()) {
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	require.NoError(t, l.ingestion.loadAccounts(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- l.group.listen(ctx) }()
	t.Cleanup(func() { cancel(); <-over })
	l.group.patience, l.group.averages.still = time.Minute, time.Minute
	a := newTestActor(t, o.Game, fmt.Sprint("actor-", l.newest.Load())) // another one for each start
	return l, func() {
		for a.agent.Version < l.reached.Load() {
			a.follow(t.Context(), o.Bus)
		}
		r := l.group.averages.returned(l.trainer)
		for taken := true; taken && r == nil; {
			l.ingestion.rollout.reset()
			deliver(t, o, l.ingestion, a.id, encode(t, a.batch(300)))
			l.ingestion.dispatch()
			if taken = l.group.offer(t.Context(), l.ingestion.rollout); !taken {
				r = l.ingestion.rollout
			}
		}
		require.NoError(t, settled(t, l, l.iterate(t.Context(), r)))
		l.ingestion.rollout.reset()
	}
}

// followed waits until a peer has the weights of the leader's round: it says so only if their checksum is the leader's.
func followed(t *testing.T, l *Learner, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return l.group.averages.changeOf(name).round == l.group.iteration
	}, time.Minute, time.Millisecond, "%s has the weights of the round", name)
}

// working has the learner iterate until peers have shares of the games. What one has sent while it was faulty may be
// missing until the next round.
func working(t *testing.T, l *Learner, iterate func(), names ...string) {
	t.Helper()
	arrived := func(name string) bool {
		return l.group.averages.indexOf(name) < 0 || !l.group.averages.changeOf(name).arrived.IsZero()
	}
	for _, name := range names {
		for began := time.Now(); ; {
			if i := l.group.averages.indexOf(name); i >= 0 && l.group.peers[i].quota > 0 {
				break
			}
			require.Less(t, time.Since(began), time.Minute, "%s has a share", name)
			iterate()
			for until := time.Now().Add(100 * time.Millisecond); !arrived(name) && time.Now().Before(until); {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// indexOf returns where a peer is in the group; -1: it is not.
func (a *averages) indexOf(name string) int {
	for i, p := range a.peers {
		if p.name == name {
			return i
		}
	}
	return -1
}

// balanced checks that every game received was learnt from, or is with a peer.
func balanced(t *testing.T, l *Learner) {
	t.Helper()
	var with uint64
	a := l.group.averages
	l.group.mutex.Lock()
	for _, h := range a.hands {
		for _, r := range h.rollouts {
			with += uint64(r.size.Games)
		}
	}
	l.group.mutex.Unlock()
	for _, h := range a.back {
		with += uint64(h.size.Games)
	}
	l.ingestion.mutex.Lock()
	received, trained := l.ingestion.total.Consumed, l.ingestion.total.Trained
	l.ingestion.mutex.Unlock()
	games := l.now().Games
	require.Equal(t, received, games+with)
	require.LessOrEqual(t, trained, games)
	if with == 0 {
		require.Equal(t, trained, games)
	}
	require.EqualValues(t, games, testutil.ToFloat64(l.metrics.games))
}

// Two, then three members learn as one: after each round all have the same weights, and every game is learnt from once.
func TestAveragesAreOneAgent(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	iterate()
	require.Empty(t, l.group.inWords())
	for _, name := range []string{"one", "two"} {
		join(t, l, o, name, o.Bus)
		working(t, l, iterate, name)
	}
	for range 4 {
		before, version := l.WeightsSum(), l.newest.Load()
		for l.newest.Load() == version {
			iterate()
		}
		followed(t, l, "one")
		followed(t, l, "two")
		require.NotEqual(t, before, l.WeightsSum())
		balanced(t, l)
	}
	require.Zero(t, testutil.ToFloat64(l.metrics.groupLeft))
	require.Regexp(t, `^, averaging after each 2 iterations with 2 peers: one \d+ %, two \d+ %$`,
		l.group.inWords())
	require.Positive(t, testutil.ToFloat64(l.metrics.groupIterations))
}

// A peer that fails is left out of the average, what it was handed is learnt from by the leader, and it may come again.
func TestPeersThatFailAreNotAveraged(t *testing.T) {
	nan := appendBF16(nil, []float32{float32(math.NaN())})
	for name, fault := range map[string]struct {
		change func(c *messages.GroupChange) (lost bool)
		all    bool // also what it tells of single iterations
		late   bool
	}{
		"frozen":    {all: true, late: true, change: func(*messages.GroupChange) bool { return true }},
		"silent":    {late: true, change: func(*messages.GroupChange) bool { return true }},
		"NaN":       {change: func(c *messages.GroupChange) bool { copy(c.Data, nan); return false }},
		"too short": {change: func(c *messages.GroupChange) bool { c.Data = c.Data[:len(c.Data)/2]; return false }},
		"too long": {late: true, change: func(c *messages.GroupChange) bool {
			c.Data = append(c.Data, c.Data...)
			return false
		}},
		"other games": {change: func(c *messages.GroupChange) bool {
			for i := range c.Rollouts {
				c.Rollouts[i] += 1000
			}
			return false
		}},
		"too few": {change: func(c *messages.GroupChange) bool { c.Rollouts = nil; return false }},
	} {
		t.Run(name, func(t *testing.T) {
			o := averagingOptions(t)
			l, iterate := averaging(t, o)
			f := &unfaithful{Bus: o.Bus, all: fault.all, change: fault.change}
			join(t, l, o, "sound", o.Bus)
			join(t, l, o, "faulty", f)
			working(t, l, iterate, "sound", "faulty")
			followed(t, l, "faulty")
			if fault.late {
				l.group.patience = 300 * time.Millisecond
			}
			f.faults.Store(true)
			for testutil.ToFloat64(l.metrics.groupLeft) == 0 {
				iterate()
				balanced(t, l)
			}
			l.group.patience = time.Minute
			f.faults.Store(false)
			delete(l.group.refusals, "faulty") // where it was found to be slow
			working(t, l, iterate, "faulty")
			iterate()
			balanced(t, l)
			if !fault.late { // else a slow machine may leave it out as well
				require.GreaterOrEqual(t, l.group.averages.indexOf("sound"), 0)
				require.EqualValues(t, 1, testutil.ToFloat64(l.metrics.groupLeft))
			}
		})
	}
}

// While a peer is late in a round, the leader learns on, and takes in what the peer has learnt once it is ready.
func TestLearningContinuesWhileAPeerIsLate(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	s := &holding{Bus: o.Bus, let: make(chan struct{})}
	join(t, l, o, "slow", s)
	working(t, l, iterate, "slow")
	followed(t, l, "slow")
	l.group.averages.still = 0
	version, games := l.newest.Load(), l.now().Games
	for range 3 * o.Config.GroupIterations {
		iterate()
		balanced(t, l)
	}
	require.Equal(t, version, l.newest.Load(), "the round is not over")
	require.Greater(t, l.now().Games, games)
	news := l.group.averages.changeOf("slow").news
	require.Eventually(t, func() bool { return l.group.averages.changeOf("slow").news.After(news) }, time.Minute,
		time.Millisecond, "a peer that is at work says so")
	close(s.let)
	l.group.averages.still = time.Minute
	for l.newest.Load() == version {
		iterate()
	}
	followed(t, l, "slow")
	balanced(t, l)
	require.Zero(t, testutil.ToFloat64(l.metrics.groupLeft))
}

// holding is the bus of a peer to which games come once they are let through.
type holding struct {
	bus.Bus
	let chan struct{}
}

func (s *holding) Subscribe(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	received, err := s.Bus.Subscribe(ctx, subjects...)
	if err != nil {
		return nil, err
	}
	through := make(chan []byte)
	go func() {
		defer close(through)
		for data := range received {
			m := &messages.ToPeers{}
			if messages.Decode(data, m) == nil && m.GetGames() != nil {
				select {
				case <-s.let:
				case <-ctx.Done():
				}
			}
			select {
			case through <- data:
			case <-ctx.Done():
			}
		}
	}()
	return through, nil
}

// However long an iteration takes, learning stands still for a few seconds at most when a peer is lost or late.
func TestPatienceIsBounded(t *testing.T) {
	l, err := New(averagingOptions(t))
	require.NoError(t, err)
	a := l.group.averages
	a.pace = 0.1
	require.Equal(t, 1400*time.Millisecond, a.silence())
	a.pace = 60
	require.Equal(t, 4*time.Second, a.silence())
	require.Equal(t, 4*time.Second, a.still)
}

// A peer waits for a leader that shows that it is alive, however long that takes.
func TestPeersWaitForASlowLeader(t *testing.T) {
	o := averagingOptions(t)
	p, err := NewPeer(o)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		received := make(chan []byte)
		p.received, p.leader, p.trainer = received, "leader", struct{ train.Trainer }{}
		send := func(m *messages.ToPeers) {
			m.Run, m.Leader = o.Run, "leader"
			received <- encode(t, m)
		}
		began := time.Now()
		go func() {
			for range 100 {
				time.Sleep(leaderWithin / 2)
				send(&messages.ToPeers{})
			}
			send(&messages.ToPeers{Body: &messages.ToPeers_Result{Result: &messages.GroupResult{Data: []byte{1}}}})
		}()
		p.ctx = t.Context()
		data, err := p.result(0, leaderWithin)
		require.NoError(t, err)
		require.Equal(t, []byte{1}, data)
		require.Equal(t, 50*leaderWithin, time.Since(began))
		_, err = p.result(0, leaderWithin)
		require.ErrorIs(t, err, errSilent)
	})
}

// A peer that ends in the middle of a round is missed, and the leader learns from its games; alone it continues.
func TestAPeerThatEndsIsMissed(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	p := o
	p.ID, p.Registerer = "brief", prometheus.NewRegistry()
	peer, err := NewPeer(p)
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- peer.Run(ctx) }()
	asked(t, l, "brief")
	working(t, l, iterate, "brief")
	followed(t, l, "brief")
	end()
	require.NoError(t, <-over)
	l.group.patience = 100 * time.Millisecond
	for len(l.group.peers) > 0 || len(l.group.averages.back) > 0 {
		iterate()
		balanced(t, l)
	}
	version := l.newest.Load()
	iterate()
	require.Equal(t, version+1, l.newest.Load(), "each iteration is a version")
	require.Empty(t, l.group.inWords())
	balanced(t, l)
}

// A leader that begins again is joined by the peers of the one before, and continues from its checkpoint.
func TestPeersJoinTheNextLeader(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	join(t, l, o, "one", o.Bus)
	working(t, l, iterate, "one")
	followed(t, l, "one")
	require.NoError(t, l.checkpoint())
	sum, games := l.WeightsSum(), l.now().Games
	o.Resume = true
	next, iterate := averaging(t, withRegistry(o))
	require.Equal(t, sum, next.WeightsSum())
	require.Equal(t, games, next.now().Games)
	working(t, next, iterate, "one")
	followed(t, next, "one")
	require.Zero(t, testutil.ToFloat64(next.metrics.groupLeft))
}

// Once the agent continues from other weights, so do the peers; what they were handed is learnt from.
func TestPeersFollowASetback(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	join(t, l, o, "one", o.Bus)
	working(t, l, iterate, "one")
	followed(t, l, "one")
	s := freezeBest(t, l)
	iterate()
	l.setback.Store(declared(t, s))
	require.NoError(t, settled(t, l, l.obey(t.Context())))
	require.Empty(t, l.group.status())
	require.False(t, l.group.averages.open())
	balanced(t, l)
	asked(t, l, "one")
	working(t, l, iterate, "one")
	followed(t, l, "one")
	balanced(t, l)
}

// What a learner has learnt in a round that is not over is saved at the end of the run.
func TestARoundThatIsCutShortIsSaved(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	join(t, l, o, "one", o.Bus)
	working(t, l, iterate, "one")
	for !l.group.averages.partly() {
		iterate()
	}
	sum, games := l.WeightsSum(), l.now().Games
	require.NoError(t, l.finish(t.Context()))
	saved, err := l.checkpoints.load()
	require.NoError(t, err)
	require.Equal(t, games, saved.Games)
	require.Equal(t, sum, l.WeightsSum())
	require.Equal(t, l.trainer.Published().Weights, saved.Weights)
}

// An average that is not sound is undone: the leader's own weights are the common ones.
func TestAnUnsoundAverageIsUndone(t *testing.T) {
	o := averagingOptions(t)
	l, iterate := averaging(t, o)
	f := &unfaithful{Bus: o.Bus, change: func(c *messages.GroupChange) bool {
		far := make([]float32, len(c.Data)/2)
		for i := range far {
			far[i] = 1e30
		}
		c.Data = appendBF16(nil, far)
		return false
	}}
	join(t, l, o, "wild", f)
	working(t, l, iterate, "wild")
	f.faults.Store(true)
	for testutil.ToFloat64(l.metrics.rollbacks) == 0 {
		iterate()
	}
	require.True(t, train.Finite(l.trainer.Published().Weights))
	followed(t, l, "wild")
	balanced(t, l)
}

// Ingestion hands games to the peers while the leader learns, and every game has one fate.
func TestAveragesOfARun(t *testing.T) {
	o := testOptions(t)
	o.Config.Group, o.Config.Workers = train.GroupWeights, 1
	l, stop := start(t, o)
	for _, name := range []string{"one", "two"} {
		p := o
		p.ID, p.Registerer = name, prometheus.NewRegistry()
		peer, err := NewPeer(p)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- peer.Run(ctx) }()
		t.Cleanup(func() { cancel(); require.NoError(t, <-over) })
	}
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	for rounds := 0; rounds < 5; {
		a.send(t.Context(), o.Bus, a.batch(100))
		if l.reached.Load() > a.agent.Version {
			a.follow(t.Context(), o.Bus)
			if len(l.group.status()) == 2 {
				rounds++
			}
		}
	}
	require.NoError(t, stop())
	ledgers, err := ReadLedgers(o.Dir)
	require.NoError(t, err)
	var account Account
	for _, ledger := range append(ledgers.Ledgers, ledgers.Merged.GetSum()) {
		account.Add(ledger)
	}
	require.Positive(t, account.Checkpointed)
	require.Equal(t, account.Produced,
		account.Checkpointed+account.InFlight+account.Stale+account.Refused+account.Lost, "%+v", account)
	require.LessOrEqual(t, account.Trained, l.now().Games)
}

// The quotas of a round follow the members' speeds.
func TestQuotasFollowSpeeds(t *testing.T) {
	for _, c := range []struct {
		speeds []float64
		least  int
		fixed  bool
		want   []int
	}{
		{[]float64{1}, 1, false, []int{1}},
		{[]float64{1, 1}, 1, false, []int{1, 1}},
		{[]float64{1, 1.02, 0.98}, 7, false, []int{7, 7, 7}},
		{[]float64{1, 4}, 1, false, []int{1, 4}},
		{[]float64{1, 0.5}, 1, false, []int{2, 1}},
		{[]float64{1, 0.5}, 1, true, []int{1, 1}},
		{[]float64{1, 1.5}, 1, false, []int{2, 3}},
		{[]float64{1, 1}, train.MaxGroupIterations, false, []int{64, 64}},
	} {
		require.Equal(t, c.want, quotasOf(c.speeds, c.least, c.fixed), fmt.Sprint(c.speeds))
	}
}

// A slow link makes rounds longer: the exchange takes a twentieth of one.
func TestSlowLinksMakeLongRounds(t *testing.T) {
	o := averagingOptions(t)
	o.Config.GroupIterations = 0
	l, _ := averaging(t, o)
	a := l.group.averages
	require.Equal(t, 1, a.least(), "nothing was measured")
	a.pace, a.peers = 1, []*peer{{exchange: 0.004}}
	require.Equal(t, 1, a.least(), "1 Gbit/s")
	a.peers = append(a.peers, &peer{exchange: 0.33})
	require.Equal(t, 7, a.least(), "20 Mbit/s, 50 ms")
	a.pace = 1e-4
	require.Equal(t, train.MaxGroupIterations, a.least())
	a.fixed = 3
	require.Equal(t, 3, a.least())
}

func TestBF16(t *testing.T) {
	inf := float32(math.Inf(1))
	values := []float32{0, 1, -2.5, 1 + 1.0/256, 1 + 3.0/256, 1e-30, inf, math.MaxFloat32}
	require.Equal(t, []float32{0, 1, -2.5, 1, 1 + 4.0/256, 1.0019e-30, inf, inf},
		roundAt(valuesOfBF16(appendBF16(nil, values)), 5, 1.0019e-30))
	for _, bits := range []uint32{0x7f800001, 0x7fffffff, 0xffc00000} {
		require.True(t, math.IsNaN(float64(valuesOfBF16(appendBF16(nil, []float32{math.Float32frombits(bits)}))[0])))
	}
	for i := range 1000 {
		v := float32(math.Pow(1.05, float64(i-500)))
		require.InEpsilon(t, v, valuesOfBF16(appendBF16(nil, []float32{v}))[0], 1.0/256)
	}
}

// roundAt replaces a value that is near another by that.
func roundAt(values []float32, i int, near float32) []float32 {
	if math.Abs(float64(values[i]/near-1)) < 1.0/256 {
		values[i] = near
	}
	return values
}

// unfaithful is a peer's bus that does something to the changes that it sends, as long as it is faulty.
type unfaithful struct {
	bus.Bus
	faults atomic.Bool
	all    bool // or else only the changes of weights
	change func(c *messages.GroupChange) (lost bool)
}

func (f *unfaithful) Send(ctx context.Context, subject string, data []byte) error {
	m := &messages.ToLeader{}
	if !f.faults.Load() || messages.Decode(data, m) != nil || m.GetChange() == nil {
		return f.Bus.Send(ctx, subject, data)
	}
	if (f.all || m.GetChange().Fragments > 0) && f.change(m.GetChange()) {
		return nil
	}
	data, err := messages.Encode(m)
	if err != nil {
		return err
	}
	return f.Bus.Send(ctx, subject, data)
}

// A deterministic run whose members would average weights has no peers: its actor would wait for a version while the
// leader waited for games of that version for them.
func TestDeterministicRunsAverageNothing(t *testing.T) {
	o := averagingOptions(t)
	o.LockStep = true
	l, iterate := averaging(t, o)
	join(t, l, o, "peer", o.Bus)
	before := l.now().Version
	for i := range uint64(2) {
		iterate()
		require.Equal(t, before+i+1, l.now().Version, "each iteration makes a version")
		require.Empty(t, l.group.status())
	}
}
