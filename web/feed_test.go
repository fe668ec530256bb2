package web

import (
	"context"
	"fmt"
	"maps"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/web/webtest"
)

func TestFeedShowsTheRun(t *testing.T) {
	r := newTrial(t)
	r.train(0, 41)
	feed := r.follow()
	r.configure()
	r.rate(2)
	r.beat()
	s := wait(t, feed, "everything", func(s *Snapshot) bool {
		return s.CaughtUp && s.Connected && s.Game != "" && rated(s, 2) && len(s.Roles) == 5
	})
	require.Equal(t, "bank-1", s.Run)
	require.Equal(t, "bank", s.Game)
	require.Equal(t, Rates{Games: 263, Decisions: 7300}, s.Rates())
	require.Equal(t, "main@1", s.Population[0].Name)
	best, found := s.Ladder.Best()
	require.True(t, found)
	require.Equal(t, "main@1", best.Name)

	rating, found := s.Latest("rating/best")
	require.True(t, found)
	require.Equal(t, 40.0*4096, rating.Samples)
	require.True(t, rating.HasInterval)
	entropy, found := s.Find("entropy")
	require.True(t, found)
	require.Equal(t, 41, entropy.Len())
	_, found = s.Latest("nothing")
	require.False(t, found)
	require.Same(t, s, feed.Snapshot(), "nothing changed: nothing is made anew")
}

func TestFeedForgetsWhatIsDeleted(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	r.rate(2)
	wait(t, feed, "two versions", func(s *Snapshot) bool { return len(s.Population) == 2 && s.Ladder != nil })
	require.NoError(t, r.bus.State().Delete(t.Context(), messages.MemberKey("main", 1)))
	require.NoError(t, r.bus.State().Delete(t.Context(), messages.LadderKey))
	wait(t, feed, "one version, no ladder", func(s *Snapshot) bool { return len(s.Population) == 1 && s.Ladder == nil })
}

// A heartbeat that expires marks its role gone; later the role is forgotten. One
// that comes back is present again.
func TestRolesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(bus.Options{RoleTTL: 10 * time.Second})
		r := &trial{t, b}
		ctx, cancel := context.WithCancel(t.Context())
		feed := NewFeed(b, "bank-1", nil, quiet)
		var running sync.WaitGroup
		running.Go(func() { require.NoError(t, feed.Run(ctx)) })
		status := func() string {
			synctest.Wait()
			roles := feed.Snapshot().Roles
			switch {
			case len(roles) == 0:
				return "forgotten"
			case roles[0].Gone.IsZero():
				return "present"
			}
			return "gone"
		}
		beat := func() {
			r.heartbeat("actor", "a", "playing", map[string]float64{"games_per_second": 3, "bad": math.NaN()})
		}

		beat()
		require.Equal(t, "present", status())
		require.Equal(t, 3.0, feed.Snapshot().Rates().Games)
		require.NotContains(t, feed.Snapshot().Roles[0].Values, "bad", "JSON has no NaN")
		time.Sleep(10 * time.Second)
		require.Equal(t, "gone", status())
		require.Zero(t, feed.Snapshot().Rates().Games, "a role that is gone does nothing")
		beat()
		require.Equal(t, "present", status())
		time.Sleep(10 * time.Second)
		require.Equal(t, "gone", status())
		time.Sleep(defaultLimits.goneFor - 2*time.Second)
		require.Equal(t, "gone", status())
		time.Sleep(4 * time.Second)
		require.Equal(t, "forgotten", status())

		cancel()
		running.Wait()
		require.NoError(t, b.Close())
	})
}

func TestFeedRefusesWhatCannotBeShown(t *testing.T) {
	r := newTrial(t)
	feed := newFeed(r.bus, "bank-1", nil, quiet, limits{points: 8, series: 2, name: 8, roles: 1, goneFor: time.Minute})
	r.run(feed)
	r.rate(1)
	wait(t, feed, "a ladder", func(s *Snapshot) bool { return s.Ladder != nil })
	r.put(messages.LadderKey, []byte(`{"agents": [{"name": ""}]}`))
	require.NoError(t, r.bus.Publish(t.Context(), bus.Curves, "learner", []byte("\xff\xff")))
	r.points("learner", 1, 1, value("a", math.NaN()), value("b", math.Inf(1)), value("", 1), value("much too long", 1))
	r.points("learner", math.NaN(), 1, value("a", 1))
	r.points("learner", 2, 2, value("a", 1), value("b", 1), value("c", 1))
	r.points("league", 3, 3, &messages.Point{Series: "a", Value: 2, Low: math.Inf(-1), High: 3, HasInterval: true})
	r.heartbeat("actor", "a", "playing", nil)
	s := wait(t, feed, "the first role and the last point", func(s *Snapshot) bool {
		p, found := s.Latest("a")
		return found && p.Value == 2 && len(s.Roles) == 1
	})
	r.heartbeat("actor", "b", "playing", nil)
	require.Eventually(t, func() bool {
		return maps.Equal(feed.Refused(), map[string]uint64{refusedUndecodable: 2, refusedNonFinite: 3, refusedLimit: 4})
	}, webtest.Limit, 10*time.Millisecond)
	require.NotNil(t, s.Ladder, "the last good one stays")
	require.Len(t, s.Series, 2)
	p, _ := s.Latest("a")
	require.False(t, p.HasInterval, "an interval without bounds is none")
}

func TestFeedMemoryIsBounded(t *testing.T) {
	m := newModel("e", nil, limits{points: 100, series: 4, name: 32})
	for i := range 20_000 {
		msg := &messages.Points{Schema: messages.SchemaVersion, Seconds: float64(i), Samples: uint64(i),
			Points: []*messages.Point{value(fmt.Sprintf("series-%d", i%8), 1)}}
		data, err := messages.Encode(msg)
		require.NoError(t, err)
		require.NoError(t, m.applyPoints(data))
	}
	s := m.snapshot("bank-1")
	require.Len(t, s.Series, 4)
	for _, series := range s.Series {
		require.LessOrEqual(t, series.Len(), 100)
		require.Greater(t, series.Len(), 45)
	}
	require.Equal(t, uint64(10_000), m.refused[refusedLimit])
}

// patchy is a bus whose reads and watches can be broken, and whose stream can be
// exchanged for another, as when a broker comes back with less than it had.
type patchy struct {
	bus.Bus
	mu     sync.Mutex
	breaks []func()
	down   bool
	curves bus.Bus
}

func (p *patchy) cut(ctx context.Context) (context.Context, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return nil, fmt.Errorf("broker unreachable")
	}
	ctx, cancel := context.WithCancel(ctx)
	p.breaks = append(p.breaks, cancel)
	return ctx, nil
}

func (p *patchy) set(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
	for _, cancel := range p.breaks {
		cancel()
	}
	p.breaks = nil
}

func (p *patchy) Connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.down
}

func (p *patchy) Read(ctx context.Context, stream bus.Stream, from uint64) (<-chan bus.Message, error) {
	ctx, err := p.cut(ctx)
	if err != nil {
		return nil, err
	}
	return p.curves.Read(ctx, stream, from)
}

func (p *patchy) Info(ctx context.Context, stream bus.Stream) (bus.StreamInfo, error) {
	return p.curves.Info(ctx, stream)
}

func (p *patchy) State() bus.KV { return patchyKV{p.Bus.State(), p} }
func (p *patchy) Roles() bus.KV { return patchyKV{p.Bus.Roles(), p} }

type patchyKV struct {
	bus.KV
	bus *patchy
}

func (kv patchyKV) Watch(ctx context.Context, prefix string) (<-chan bus.Entry, error) {
	ctx, err := kv.bus.cut(ctx)
	if err != nil {
		return nil, err
	}
	return kv.KV.Watch(ctx, prefix)
}

// While the broker is away the feed says so and keeps what it has; then it takes up
// where it was, and what vanished meanwhile is gone.
func TestFeedResumes(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	p := &patchy{Bus: r.bus, curves: r.bus}
	feed := NewFeed(p, "bank-1", nil, quiet)
	r.run(feed)
	r.train(0, 10)
	r.rate(2)
	wait(t, feed, "ten points", func(s *Snapshot) bool {
		entropy, _ := s.Find("entropy")
		return entropy.Len() == 10 && len(s.Population) == 2 && s.Connected
	})
	p.set(true)
	s := wait(t, feed, "no connection", func(s *Snapshot) bool { return !s.Connected })
	require.Len(t, s.Population, 2)
	epoch := s.position.epoch
	r.train(10, 5)
	require.NoError(t, r.bus.State().Delete(t.Context(), messages.MemberKey("main", 2)))
	p.set(false)
	s = wait(t, feed, "fifteen points, one version", func(s *Snapshot) bool {
		entropy, _ := s.Find("entropy")
		return entropy.Len() == 15 && len(s.Population) == 1 && s.Connected
	})
	require.Equal(t, epoch, s.position.epoch)
	require.Zero(t, feed.Lag())
}

// A stream that is shorter than what was read is read again, under a new epoch.
func TestFeedStartsOverWithAShorterStream(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	p := &patchy{Bus: r.bus, curves: r.bus}
	feed := NewFeed(p, "bank-1", nil, quiet)
	r.run(feed)
	r.train(0, 10)
	before := wait(t, feed, "ten points", func(s *Snapshot) bool {
		entropy, _ := s.Find("entropy")
		return entropy.Len() == 10
	})
	other := newTrial(t)
	other.train(0, 3)
	p.mu.Lock()
	p.curves = other.bus
	p.mu.Unlock()
	after := wait(t, feed, "three points", func(s *Snapshot) bool {
		entropy, _ := s.Find("entropy")
		return s.CaughtUp && entropy.Len() == 3
	})
	require.False(t, after.follows(before.position))
}

func TestFeedEndsWithTheBus(t *testing.T) {
	b := memory.New(bus.Options{})
	feed := NewFeed(b, "bank-1", nil, quiet)
	done := make(chan error, 1)
	go func() { done <- feed.Run(t.Context()) }()
	wait(t, feed, "history", func(s *Snapshot) bool { return s.CaughtUp })
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-done, bus.ErrClosed)
}

func TestSubscribersAreToldOnce(t *testing.T) {
	r := newTrial(t)
	feed := NewFeed(r.bus, "bank-1", nil, quiet)
	changed, cancel := feed.Subscribe()
	for i := range 10 {
		feed.update(func(m *model) error {
			m.setConnected(i%2 == 0)
			return nil
		})
	}
	require.Len(t, changed, 1)
	<-changed
	feed.update(func(*model) error { return nil })
	require.Empty(t, changed, "nothing changed")
	cancel()
	feed.update(func(m *model) error { m.setCaughtUp(); return nil })
	require.Empty(t, changed)
}

// A game that has a coin is shown in it: ladder and curves, kept ones and those that come.
func TestFeedShowsTheCoin(t *testing.T) {
	spec := &engine.Spec{Payoff: engine.Money, Unit: "units", Coin: engine.Coin{Name: "ct", PerUnit: 100}}
	at := func(seconds float64) *messages.Points {
		points := []*messages.Point{
			{Series: "rating/best", Value: 0.5, Low: 0.25, High: 1, HasInterval: true}, {Series: "entropy", Value: 0.5},
		}
		return &messages.Points{
			Schema: messages.SchemaVersion, Source: messages.LeagueRole, Seconds: seconds, Points: points,
		}
	}
	ladder := &messages.Ladder{
		Game:   "dice",
		Scale:  messages.Scale{Kind: messages.MoneyScale, Unit: "units per game", UnitMeaning: "100 ct", Decimals: 3},
		Agents: []messages.LadderAgent{{Name: "main@1", Rating: 0.5, Best: true}},
	}
	feed := NewKept("dice-1", spec, Kept{Ladder: ladder, Curves: []*messages.Points{at(1)}}, quiet)
	data, err := messages.Encode(at(2))
	require.NoError(t, err)
	feed.update(func(m *model) error { return m.applyPoints(data) })
	for range 2 {
		s := feed.Snapshot()
		require.Equal(t, messages.Scale{Kind: messages.MoneyScale, Unit: "ct per game", Decimals: 1}, s.Ladder.Scale)
		require.Equal(t, 50.0, s.Ladder.Agents[0].Rating)
		rating, _ := s.Find("rating/best")
		for _, p := range rating.Points() {
			require.Equal(t, [3]float64{50, 25, 100}, [3]float64{p.Value, p.Low, p.High})
		}
		require.Equal(t, 2, rating.Len())
		entropy, _ := s.Latest("entropy")
		require.Equal(t, 0.5, entropy.Value)
		feed.SetLadder(ladder)
	}
}
