package learner

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/internal/platform"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

// BenchmarkMembers measures what [groupModel] needs of a network, compares it with groups of 2, 4 and 8 members, and
// reports what it says of 8 and 64 machines; docs/lab/group-costs.md has the tables. It measures processor time,
// so it matters little what else the machine does and how many cores it has.
func BenchmarkMembers(b *testing.B) {
	for _, g := range groupNetworks {
		var m *groupModel
		b.Run(g.name+"/1 member", func(b *testing.B) {
			o := g.options(b)
			o.Config.Workers = 1
			m = newGroupModel(b, o)
			const members = 4
			m.exchange = exchangeOf(b, o, members) / (members - 1)
			m.whole = memberSeconds(b, o, 1)
			b.ReportMetric(1000*m.undivided, "undivided-ms")
			b.ReportMetric(1000*m.exchange, "exchange-ms")
			b.ReportMetric(1000*m.blend, "blend-ms")
		})
		for _, n := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("%s/%d members", g.name, n), func(b *testing.B) {
				o := g.options(b)
				o.Config.Workers = 1
				memberSeconds(b, o, n)
				if m != nil { // else -bench has left it out
					b.ReportMetric(1000*m.processor(n), "model-cpu-ms")
				}
			})
		}
		if m != nil {
			m.report(b, g.name+"/model")
			m.larger(4).report(b, g.name+"/model, minibatches of four times the samples")
		}
	}
}

// memberSeconds returns the processor time of a minibatch, of all members together.
func memberSeconds(b *testing.B, o Options, members int) float64 {
	g := startGroup(b, o, make([]link, members-1), false)
	for len(g.group.peers) < members-1 || g.group.own.size() == wholeShare && members > 1 {
		g.iterate(b)
	}
	g.iterate(b)
	before, updates := platform.ProcessorTime(), g.now().Updates
	for b.Loop() {
		g.iterate(b)
	}
	took := (platform.ProcessorTime() - before).Seconds() / float64(g.now().Updates-updates)
	b.ReportMetric(1000*took, "cpu-ms")
	return took
}

// groupModel reports how long a group takes whose members have a machine with one core for learning each. All times are
// seconds of a minibatch.
type groupModel struct {
	whole     float64 // of one learner
	undivided float64 // of it what every member does: it reads the games, packs them and makes the optimiser's step
	exchange  float64 // of processors for each peer, at both ends and at the broker
	blend     float64 // to take one peer's change into an average
	weights   int
	parts     int // of a minibatch
	updates   int // in an iteration
}

// newGroupModel measures what every member does, and what a change costs.
func newGroupModel(b *testing.B, o Options) *groupModel {
	a, err := o.Config.Choose()
	require.NoError(b, err)
	o.Registerer = prometheus.NewRegistry()
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(1))
	require.NoError(b, err)
	p := &probe{}
	t, err := a.NewTrainer(train.Setup{Config: o.Config, Games: o.Curriculum.Games(o.Game), Network: n, Workers: 1,
		Exchange: p})
	require.NoError(b, err)
	l, err := New(o)
	require.NoError(b, err)
	games, r, read, record := benchRollout(b, l), train.NewRollout(o.Game.Spec()), newReader(&o), t.NewRecorder()
	best, updates := math.Inf(1), 0
	for range 4 { // the first one makes room
		r.Reset()
		p.computing = 0
		began := platform.ProcessorTime()
		for _, g := range games.batches {
			require.NoError(b, read.read(g.batch, g.episodes, record, r))
		}
		rep, err := t.Learn(b.Context(), r, 0)
		require.NoError(b, err)
		updates = rep.Updates
		best = min(best, (platform.ProcessorTime()-began-p.computing).Seconds()/float64(updates))
	}
	m := &groupModel{undivided: best, weights: o.Layout.Size, parts: p.parts, updates: updates}
	change, mean := appendBF16(nil, n.Weights), make([]float32, m.weights)
	began := platform.ProcessorTime()
	for range 16 {
		train.Blend(mean, valuesOfBF16(change), 0.5)
	}
	m.blend = (platform.ProcessorTime() - began).Seconds() / 16
	return m
}

// exchangeOf measures an exchange of a group in which nothing is computed: the processor time of all members and the
// broker.
func exchangeOf(b *testing.B, o Options, members int) float64 {
	ctx, n := b.Context(), o.Layout.Size
	url, _ := benchURLs.Load(o.Bus)
	o.Registerer = prometheus.NewRegistry()
	l, err := New(o)
	require.NoError(b, err)
	g := l.group
	g.ctx, g.demanding, g.patience, g.at = ctx, false, time.Minute, position{1, 0}
	even := divide(slices.Repeat([]float64{1}, members), 1)
	g.own = even[0]
	received, err := g.bus.Subscribe(ctx, messages.LeaderSubject(g.agent))
	require.NoError(b, err)
	go func() {
		for data := range received {
			g.handle(data)
		}
	}()
	var working sync.WaitGroup
	for i, s := range even[1:] {
		name := fmt.Sprint("peer-", i)
		g.peers = append(g.peers, &peer{name: name, share: s, synced: true, trusted: math.MaxInt, speed: 1})
		g.present = append(g.present, peerStatus{name: name})
		q := o
		q.ID, q.Registerer, q.Bus = name, prometheus.NewRegistry(), benchBus(b, url.(string))
		p, err := NewPeer(q)
		require.NoError(b, err)
		p.ctx, p.leader, p.share, p.at = ctx, g.leader, s, g.at
		p.received, err = q.Bus.Subscribe(ctx, p.subjects()...)
		require.NoError(b, err)
		working.Go(func() {
			for w := newSums(n); p.Do(w) == nil; {
			}
		})
	}
	w := newSums(n)
	const exchanges = 100
	before := platform.ProcessorTime()
	for range exchanges {
		require.NoError(b, g.Do(w))
	}
	took := (platform.ProcessorTime() - before).Seconds() / exchanges
	require.Len(b, g.peers, members-1, "a peer was left out")
	_ = g.broadcast(&messages.ToPeers{}) // ends the peers' last work
	working.Wait()
	return took
}

// sums is a work with as many bytes as that of a minibatch, in which nothing is computed.
type sums struct{ values, sum []float32 }

func newSums(n int) *sums { return &sums{make([]float32, n), make([]float32, n)} }

func (s *sums) Parts() int       { return wholeShare }
func (s *sums) Pieces() int      { return 1 + (len(s.sum)+piece-1)/piece }
func (s *sums) Compute(int, int) {}
func (s *sums) Combine(int)      {}
func (s *sums) Checksum() uint32 { return 1 }

// piece is how many values a piece of a gradient has.
const piece = 1 << 15

// of is the memory of a piece of values; its first one has none.
func of(values []float32, i int) []byte {
	if i == 0 {
		return nil
	}
	values = values[(i-1)*piece : min(len(values), i*piece)]
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values))
}

func (s *sums) AppendPart(dst []byte, i, _, _ int) []byte { return append(dst, of(s.values, i)...) }
func (s *sums) AppendResult(dst []byte, i int) []byte     { return append(dst, of(s.sum, i)...) }

func (s *sums) SetPart(i, _, _ int, data []byte) error {
	copy(of(s.values, i), data)
	return nil
}

func (s *sums) SetResult(i int, data []byte) error {
	copy(of(s.sum, i), data)
	return nil
}

// probe does all of a work, and notes how long it computes.
type probe struct {
	computing time.Duration
	parts     int // of a minibatch
}

func (p *probe) Do(w train.Work) error {
	began := platform.ProcessorTime()
	w.Compute(0, w.Parts())
	p.computing += platform.ProcessorTime() - began
	if w.Pieces() > 1 {
		p.parts = max(p.parts, w.Parts())
	}
	w.Combine(train.AllPieces)
	return nil
}

// handOff is what is left of an exchange between two members with nothing in between when they, the broker and the link
// work without delay: messages wait until their readers run. It is a measurement, of two cores of a quiet machine.
const handOff = 0.0015

// processor is the processor time of all members together.
func (m *groupModel) processor(members int) float64 {
	return m.whole + float64(members-1)*(m.undivided+m.exchange)
}

// gradients is how many times as fast as one a group learns that exchanges gradients, and how many of its members then
// have a share: with more of them it would be slower, so they rest. Rates are in bytes a second, delays in seconds one
// way.
func (m *groupModel) gradients(members int, rate, delay float64) (times float64, used int) {
	times, used = 1, 1
	for n := 2; n <= min(members, m.parts); n++ {
		if t := m.whole / m.minibatch(n, rate, delay); t > times {
			times, used = t, n
		}
	}
	return times, used
}

// minibatch is how long a minibatch takes that is divided among members. The broker is on the leader's machine, whose
// link carries the sums of all peers in and out at the same time. Peers take half of the exchange's processor time.
func (m *groupModel) minibatch(members int, rate, delay float64) float64 {
	share := math.Ceil(float64(m.parts)/float64(members)) / float64(m.parts)
	peers := float64(members - 1)
	link := peers * 4 * float64(m.weights) / rate
	return share*(m.whole-m.undivided) + m.undivided + handOff + 2*delay + max(link, peers*m.exchange/2)
}

// larger is the model with minibatches that are times as large; the samples of an iteration stay the same.
func (m *groupModel) larger(times int) *groupModel {
	l := *m
	l.whole, l.undivided, l.updates = float64(times)*m.whole, float64(times)*m.undivided, m.updates/times
	return &l
}

// averages is how much of their time members learn that average weights, and in how many iterations a round has.
func (m *groupModel) averages(members int, rate, delay float64) (part float64, iterations int) {
	peers, iteration := float64(members-1), m.whole*float64(m.updates)
	took := handOff + 2*delay + peers*(2*2*float64(m.weights)/rate+m.blend)
	iterations = min(64, int(math.Ceil(took*(1-exchangeShare)/exchangeShare/iteration)))
	return float64(iterations) * iteration / (float64(iterations)*iteration + took), iterations
}

// report reports what the model says, under a name.
func (m *groupModel) report(b *testing.B, name string) {
	for _, link := range []struct {
		name        string
		rate, delay float64
	}{
		{"no link", math.Inf(1), 0}, {"10 Gbit 0.1 ms", 10e9 / 8, 1e-4}, {"1 Gbit 0.2 ms", 1e9 / 8, 2e-4},
		{"20 Mbit 50 ms", 20e6 / 8, 0.05},
	} {
		for _, members := range []int{2, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d machines, %s", name, members, link.name), func(b *testing.B) {
				for b.Loop() {
				}
				times, used := m.gradients(members, link.rate, link.delay)
				b.ReportMetric(times, "gradients-x")
				b.ReportMetric(float64(used), "members")
				part, iterations := m.averages(members, link.rate, link.delay)
				b.ReportMetric(100*part, "weights-%")
				b.ReportMetric(float64(iterations), "iterations")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
