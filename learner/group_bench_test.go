package learner

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/games/bank"
	"croupier/games/tysiac"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/roles"
	"croupier/nn"
)

// link is what lies between a peer and the broker: bits a second, and the time that they are on their way.
type link struct {
	rate  float64 // 0: no link
	delay time.Duration
}

// BenchmarkGroup measures the samples a second of an iteration, everything from the games on: of a learner with one
// core, of one with two, and of two learners with one each, which talk over TCP through a broker in the same process.
// It needs two cores; docs/lab/group-costs.md has a table.
func BenchmarkGroup(b *testing.B) {
	for _, g := range groupNetworks {
		for _, c := range []struct {
			name    string
			workers int
			kind    string
			links   []link // of peers
		}{
			{"1 core", 1, train.GroupGradients, nil},
			{"2 cores", 2, train.GroupGradients, nil},
			{"gradients", 1, train.GroupGradients, []link{{}}},
			{"gradients, 1 Gbit 0.2 ms", 1, train.GroupGradients, []link{{1e9, 200 * time.Microsecond}}},
			{"gradients, 20 Mbit 50 ms", 1, train.GroupGradients, []link{{20e6, 50 * time.Millisecond}}},
			{"weights", 1, train.GroupWeights, []link{{}}},
			{"weights, 1 Gbit 0.2 ms", 1, train.GroupWeights, []link{{1e9, 200 * time.Microsecond}}},
			{"weights, 20 Mbit 50 ms", 1, train.GroupWeights, []link{{20e6, 50 * time.Millisecond}}},
		} {
			b.Run(g.name+"/"+c.name, func(b *testing.B) {
				o := g.options(b)
				o.Config.Workers, o.Config.Group = c.workers, c.kind
				measureGroup(b, o, c.links)
			})
		}
	}
}

// groupNetworks are what benchmarks of groups train.
var groupNetworks = []struct {
	name    string
	options func(b *testing.B) Options
}{
	{"bank/R128", func(b *testing.B) Options {
		game, err := bank.New(nil)
		require.NoError(b, err)
		return groupBench(b, Options{
			Common: roles.Common{Game: game},
			Layout: testLayout(b, game, nn.Description{Dense: []int{128}, LSTM: []int{128}}),
		})
	}},
	{"tysiac", func(b *testing.B) Options {
		game, err := tysiac.New(nil)
		require.NoError(b, err)
		o := groupBench(b, Options{
			Common: roles.Common{Game: game},
			Layout: testLayout(b, game, nn.Description{ // its default
				Encoders: []nn.Encoder{
					{Segments: []string{"hand", "returned", "known", "possible"}, Dense: []int{64}},
					{Segments: []string{"led", "trump", "contract"}, Dense: []int{48}},
					{Segments: []string{"auction", "musik", "played_own", "played_other"}, Dense: []int{64}},
				},
				Dense: []int{128, 64},
			}),
		})
		o.Config.PPO.Samples, o.Config.PPO.Minibatch = 32768, 4096
		return o
	}},
}

// groupBench completes the options of a learner on a broker of its own.
func groupBench(b *testing.B, o Options) Options {
	server, err := broker.Start(broker.Options{Dir: b.TempDir(), Listen: "127.0.0.1:0",
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(server.Shutdown)
	o.Config, o.Run, o.RunSeed, o.Dir, o.Agent = train.DefaultConfig(), testRun, testSeed, b.TempDir(), "main"
	o.Config.PPO.KLStop, o.Config.PPO.MaxLag = 0, 1<<40
	o.Registerer, o.Log = prometheus.NewRegistry(), slog.New(slog.DiscardHandler)
	o.Bus = benchBus(b, server.URL())
	return o
}

func benchBus(b *testing.B, url string) bus.Bus {
	t, err := bus.Connect(b.Context(), bus.NATSOptions{
		URL: url, Run: testRun, Role: messages.LearnerRole, Create: true, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	b.Cleanup(func() { _ = t.Close() })
	benchURLs.Store(t, url)
	return t
}

// benchURLs has the broker's address of each bus.
var benchURLs sync.Map

// benchGroup is a learner with peers in the same process.
type benchGroup struct {
	*Learner
	rollouts []*rollout
}

// startGroup starts a learner and its peers, and makes iterations until all have a share or are refused. A demanding
// group refuses those with which it would be slower.
func startGroup(b *testing.B, o Options, links []link, demanding bool) *benchGroup {
	l, err := New(o)
	require.NoError(b, err)
	if l.group.demanding = demanding; !demanding {
		l.group.patience = time.Minute
	}
	ctx := b.Context()
	require.NoError(b, l.open(ctx))
	go func() { _ = l.group.listen(ctx) }()
	g := &benchGroup{l, []*rollout{benchRollout(b, l), benchRollout(b, l)}}
	g.iterate(b)
	url, _ := benchURLs.Load(o.Bus)
	for i, way := range links {
		p := o
		p.ID, p.Registerer = fmt.Sprint("peer-", i), prometheus.NewRegistry()
		p.Bus = benchBus(b, slowLink(b, url.(string), way))
		peer, err := NewPeer(p)
		require.NoError(b, err)
		go func() { _ = peer.Run(ctx) }()
		require.Eventually(b, func() bool {
			l.group.mutex.Lock()
			defer l.group.mutex.Unlock()
			return len(l.group.joins) > i
		},
			time.Minute, time.Millisecond)
	}
	for range 3 {
		g.iterate(b)
	}
	return g
}

// iterate makes an iteration; games come while others are learnt from.
func (g *benchGroup) iterate(b *testing.B) {
	r, next := g.rollouts[0], g.rollouts[1]
	next.number = 0
	over := make(chan struct{})
	go func() {
		defer close(over)
		for g.group.offer(b.Context(), next) { // until no peer lacks any
		}
	}()
	require.NoError(b, g.Learner.iterate(b.Context(), r))
	require.NoError(b, g.settle(b.Context()))
	<-over
	g.rollouts[0], g.rollouts[1] = next, r
}

// measureGroup measures iterations on the same games.
func measureGroup(b *testing.B, o Options, links []link) {
	l := startGroup(b, o, links, true)
	a := l.group.averages
	for a != nil && len(links) > 0 && !a.settled() { // the length of a round follows what was measured
		l.iterate(b)
	}
	began, before := time.Now(), l.now().Samples
	for b.Loop() {
		l.iterate(b)
		for a.partly() { // whole rounds
			l.iterate(b)
		}
	}
	b.ReportMetric(float64(l.now().Samples-before)/time.Since(began).Seconds(), "samples/s")
	for _, p := range l.group.peers {
		b.ReportMetric(100*l.group.status()[0].share, "share-%")
		b.ReportMetric(1000*p.wait, "wait-ms")
		b.ReportMetric(1000*p.exchange, "exchange-ms")
	}
	if a != nil {
		b.ReportMetric(float64(a.iterations), "iterations")
	}
	b.ReportMetric(testutil.ToFloat64(l.metrics.groupLeft), "left-out")
}

// benchRollout returns a rollout of games of the first version.
func benchRollout(b *testing.B, l *Learner) *rollout {
	r, record := newRollout(l.opts.Game), l.trainer.NewRecorder()
	a := playingActor(b, l.opts, "actor-1", 1)
	for r.Size.Samples < l.opts.Config.PPO.Samples {
		x := a.batch(2000)
		data := encode(b, x)
		for i := range x.Episodes {
			rows, err := record.Record(l.ingestion.reader.open(x, i))
			require.NoError(b, err)
			r.Add(rows, 1)
			r.note(data, i)
		}
	}
	return r
}

// slowLink returns the address of a relay to the broker over a link, or the broker's own without one.
func slowLink(b *testing.B, url string, way link) string {
	if way.rate == 0 {
		return url
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", url[len("nats://"):])
			if err != nil {
				return
			}
			go way.carry(near, far)
			go way.carry(far, near)
		}
	}()
	return "nats://" + listener.Addr().String()
}

// slack is by how much a link may be early or late: no sleep is much more exact.
const slack = 2 * time.Millisecond

// carry carries bytes one way, at the link's rate and with its delay.
func (l link) carry(to io.WriteCloser, from io.Reader) {
	type parcel struct {
		data []byte
		at   time.Time
	}
	under := make(chan parcel, 1<<16)
	go func() {
		defer to.Close()
		for p := range under {
			time.Sleep(time.Until(p.at))
			if _, err := to.Write(p.data); err != nil {
				return
			}
		}
	}()
	defer close(under)
	free := time.Now() // when the link can take more
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if late := time.Now().Add(-slack); free.Before(late) {
			free = late
		}
		free = free.Add(time.Duration(float64(8*n) / l.rate * float64(time.Second)))
		under <- parcel{buffer[:n], free.Add(l.delay)}
		if ahead := time.Until(free); ahead > slack {
			time.Sleep(ahead)
		}
	}
}

// settled reports whether a round has begun whose length follows from a measured exchange.
func (a *averages) settled() bool {
	return len(a.peers) > 0 && a.peers[0].measured && a.made == 0
}
