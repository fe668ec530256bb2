package learner

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/internal/platform"
	"croupier/learner/train"
	"croupier/nn"
)

// BenchmarkMembers measures what [groupModel] needs of a network, compares it with groups of 2, 4 and 8 members, and
// reports what it says of 8 and 64 machines; docs/guide/cluster-learning.md has the tables. It measures processor time,
// so it matters little what else the machine does and how many cores it has.
func BenchmarkMembers(b *testing.B) {
	for _, g := range groupNetworks {
		var m *groupModel
		b.Run(g.name+"/1 member", func(b *testing.B) {
			o := g.options(b)
			o.Config.Workers = 1
			m = newGroupModel(b, o)
			m.whole = memberSeconds(b, o, 1)
			b.ReportMetric(1000*m.undivided, "undivided-ms")
			b.ReportMetric(1000*m.blend, "blend-ms")
		})
		for _, n := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("%s/%d members", g.name, n), func(b *testing.B) {
				o := g.options(b)
				o.Config.Workers = 1
				took := memberSeconds(b, o, n)
				if m == nil || m.whole == 0 {
					return // -bench has left them out
				}
				if n == 2 {
					m.exchange = took - m.whole - m.undivided
				}
				b.ReportMetric(1000*m.processor(n), "model-cpu-ms")
			})
		}
		if m != nil && m.exchange > 0 {
			m.report(b, g.name)
		}
	}
}

// memberSeconds returns the processor time of a minibatch, of all members together.
func memberSeconds(b *testing.B, o Options, members int) float64 {
	g := startGroup(b, o, make([]link, members-1))
	g.group.demanding, g.group.patience = false, time.Minute
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

// groupModel says how long a group takes whose members have a machine with one core for learning each. All times are
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

// gradients is for how long a minibatch takes a group that exchanges gradients. The broker is on the leader's machine,
// whose link carries the sums of all peers in and out at the same time; bytes a second, and seconds one way. The ends of
// an exchange take half of its processor time each.
func (m *groupModel) gradients(members int, rate, delay float64) float64 {
	computing := min(members, m.parts)
	share := math.Ceil(float64(m.parts)/float64(computing)) / float64(m.parts)
	peers := float64(computing - 1)
	if peers == 0 {
		return m.whole
	}
	link := peers * 4 * float64(m.weights) / rate
	return share*(m.whole-m.undivided) + m.undivided + handOff + 2*delay + max(link, peers*m.exchange/2)
}

// averages is how much of their time members learn that average weights, and in how many iterations a round has.
func (m *groupModel) averages(members int, rate, delay float64) (part float64, iterations int) {
	peers, iteration := float64(members-1), m.whole*float64(m.updates)
	took := handOff + 2*delay + peers*(2*2*float64(m.weights)/rate+m.blend)
	iterations = min(64, int(math.Ceil(took*(1-exchangeShare)/exchangeShare/iteration)))
	return float64(iterations) * iteration / (float64(iterations)*iteration + took), iterations
}

// report reports what the model says.
func (m *groupModel) report(b *testing.B, name string) {
	for _, link := range []struct {
		name        string
		rate, delay float64
	}{
		{"no link", math.Inf(1), 0}, {"10 Gbit 0.1 ms", 10e9 / 8, 1e-4}, {"1 Gbit 0.2 ms", 1e9 / 8, 2e-4},
		{"20 Mbit 50 ms", 20e6 / 8, 0.05},
	} {
		for _, members := range []int{2, 8, 64} {
			b.Run(fmt.Sprintf("%s/model/%d machines, %s", name, members, link.name), func(b *testing.B) {
				for b.Loop() {
				}
				times := m.whole / m.gradients(members, link.rate, link.delay)
				b.ReportMetric(times, "gradients-x")
				b.ReportMetric(100*times/float64(members), "gradients-%")
				part, iterations := m.averages(members, link.rate, link.delay)
				b.ReportMetric(100*part, "weights-%")
				b.ReportMetric(float64(iterations), "iterations")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
