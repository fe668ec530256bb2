package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(webtest.Main{M: m}) }

var quiet = slog.New(slog.DiscardHandler)

// trial is a made-up run on a bus: what a learner, a league and actors would write.
type trial struct {
	t   *testing.T
	bus *memory.Bus
}

func newTrial(t *testing.T) *trial {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return &trial{t, b}
}

// follow runs a feed of the trial until the test ends. It has all that was written before.
func (r *trial) follow() *Feed {
	feed := NewFeed(r.bus, "bank-1", nil, quiet)
	r.run(feed)
	wait(r.t, feed, "what was written", func(s *Snapshot) bool { return s.CaughtUp })
	return feed
}

// run works the feed and returns what stops it; the end of the test does so too.
func (r *trial) run(feed *Feed) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- feed.Run(ctx) }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(r.t, <-done)
		}
	}
	r.t.Cleanup(stop)
	return stop
}

// wait returns the first snapshot for which the condition holds.
func wait(t *testing.T, feed *Feed, what string, holds func(*Snapshot) bool) *Snapshot {
	t.Helper()
	changed, cancel := feed.Subscribe()
	defer cancel()
	deadline := time.After(webtest.Limit)
	for {
		if s := feed.Snapshot(); holds(s) {
			return s
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("never seen: %s", what)
		}
	}
}

func (r *trial) encode(m messages.Message) []byte {
	data, err := messages.Encode(m)
	require.NoError(r.t, err)
	return data
}

func (r *trial) points(source string, seconds float64, samples uint64, points ...*messages.Point) {
	msg := &messages.Points{Schema: messages.SchemaVersion, Source: source, Seconds: seconds, Samples: samples,
		Points: points}
	require.NoError(r.t, r.bus.Publish(r.t.Context(), bus.Curves, source, r.encode(msg)))
}

func (r *trial) put(key string, value []byte) {
	_, err := r.bus.State().Put(r.t.Context(), key, value)
	require.NoError(r.t, err)
}

func (r *trial) heartbeat(role, id, state string, values map[string]float64) {
	status := &messages.Status{Schema: messages.SchemaVersion, Role: role, Id: id, State: state,
		StartedMs: time.Now().Add(-2*time.Hour - 13*time.Minute).UnixMilli(), Values: values,
		MetricsAddress: "127.0.0.1:9100"}
	_, err := r.bus.Roles().Put(r.t.Context(), messages.RoleKey(role, id), r.encode(status))
	require.NoError(r.t, err)
}

func value(series string, v float64) *messages.Point {
	return &messages.Point{Series: series, Value: v}
}

func band(series string, v, half float64) *messages.Point {
	return &messages.Point{Series: series, Value: v, Low: v - half, High: v + half, HasInterval: true}
}

// train publishes learning curves of n updates from the given one on, and the
// league's measurements every 20.
func (r *trial) train(from, n int) {
	rng := engine.NewRNG(uint64(from), 0)
	noise := func(size float64) float64 { return size * (rng.Float64() + rng.Float64() - 1) }
	for u := from; u < from+n; u++ {
		x := float64(u)
		seconds, samples := 1.7*x, uint64(u)*4096
		fall := math.Exp(-x / 250)
		r.points("learner", seconds, samples,
			value("entropy", 0.25+0.44*fall+noise(0.02)), value("kl", 0.006+0.006*fall+math.Abs(noise(0.003))),
			value("policy_loss", -0.012+noise(0.01)), value("value_loss", 0.14+0.5*math.Exp(-x/60)+noise(0.02)),
			value("explained_variance", 0.62-0.6*math.Exp(-x/120)+noise(0.03)), value("clip_fraction", 0.09+noise(0.03)),
			value("learning_rate", 3e-4*(1-x/4000)), value("gradient_norm", 0.4+0.3*fall+math.Abs(noise(0.15))),
			value("lag", math.Round(1+2*rng.Float64())), value("updates_per_second", 0.59+noise(0.04)),
			value("samples_per_second", 2410+noise(150)), value("decisions_per_second", 7300+noise(500)),
			value("games_per_second", 262+noise(20)), value("episode_length", 27+9*fall+noise(1.5)),
			band("figure/banked_value", 60+40*(1-fall), 3), band("figure/banked", 0.5+0.2*(1-fall), 0.02))
		if u%20 == 0 && u > 0 {
			grown := 1 - math.Exp(-x/300)
			half := 0.02 + 0.03*fall
			r.points("league", seconds, samples,
				band("win_share/random", 0.34+0.6*grown+noise(0.01), half),
				band("win_share/threshold(100)", 0.15+0.5*grown+noise(0.02), half),
				band("win_share/threshold(60)", 0.2+0.52*grown+noise(0.02), half),
				band("rating/newest", -80+420*grown+noise(18), 22), band("rating/best", -60+410*grown, 16))
		}
	}
}

// ladder is a ladder of the given number of frozen versions and some references.
func ladder(versions int) *messages.Ladder {
	l := &messages.Ladder{Game: "bank", Scale: messages.Scale{Kind: messages.EloScale, Unit: "Elo", Zero: "leader-chaser"},
		Figures: []engine.Figure{
			{Name: "banked_value", Unit: "points", Per: "bank", Help: "what a bank scores"},
			{Name: "banked", Unit: engine.Share, Per: "round", Help: "rounds with a bank"},
		}, Agents: []messages.LadderAgent{
			{Name: "threshold(100)", Kind: "bot", Rating: 120, Low: 108, High: 132, Games: 14200},
			{Name: "threshold(60)", Kind: "bot", Rating: 64, Low: 51, High: 77, Games: 13860},
			{Name: "random", Kind: "bot", Rating: -240, Low: -262, High: -218, Games: 12120},
			{Name: "solver:turn", Kind: "solver", Rating: 171, Low: 158, High: 184, Games: 9000},
		}}
	for v := 1; v <= versions; v++ {
		rating := 330 - 420*math.Exp(-float64(v)/3)
		l.Agents = append(l.Agents, messages.LadderAgent{Name: fmt.Sprintf("main@%d", v), Kind: "network",
			Rating: rating, Low: rating - 20, High: rating + 22, Games: 4000, Best: v == versions-1,
			Figures: map[string]messages.Interval{
				"banked_value": {Value: 90 + float64(v), Low: 88, High: 95},
				"banked":       {Value: 0.75, Low: 0.7, High: 0.8},
			}})
	}
	for v := 1; v < versions; v++ {
		p := messages.LadderPromotion{Number: uint64(v), Agent: fmt.Sprintf("main@%d", v), Seconds: float64(60 * v),
			Samples: uint64(80000 * v)}
		if v > 1 {
			p.Over, p.GateSets = fmt.Sprintf("main@%d", v-1), 340
			p.Gain = &messages.Gain{Games: 2040, Value: 31, Low: -4, High: 66}
		}
		l.Promotions = append(l.Promotions, p)
	}
	for _, a := range l.Agents {
		for _, b := range l.Agents {
			if a.Name == b.Name || a.Kind != "network" && b.Kind != "network" {
				continue
			}
			mean := math.Tanh((a.Rating - b.Rating) / 300)
			l.Payoff = append(l.Payoff, messages.Payoff{A: a.Name, B: b.Name, Games: 1200, MeanReturnA: mean, Low: mean - 0.04,
				High:     mean + 0.04,
				WinShare: &messages.WinShare{ShareA: (1 + mean) / 2, ShareLow: mean/2 + 0.48, ShareHigh: mean/2 + 0.52}})
		}
	}
	return l
}

func (r *trial) rate(versions int) {
	data, err := json.Marshal(ladder(versions))
	require.NoError(r.t, err)
	r.put(messages.LadderKey, data)
	table := &messages.Matchmaking{Schema: messages.SchemaVersion, Learner: "main", SelfPlay: 0.6}
	for v := 1; v <= versions; v++ {
		name := messages.MemberName("main", uint64(v))
		r.put(messages.MemberKey("main", uint64(v)), r.encode(&messages.Member{Schema: messages.SchemaVersion,
			Name: name, Updates: uint64(20 * v), Samples: uint64(20*v) * 4096, Order: uint64(v)}))
		table.Opponents = append(table.Opponents, &messages.Opponent{Name: name, Weight: float64(v)})
	}
	table.Opponents = append(table.Opponents, &messages.Opponent{Name: "threshold(100)", Weight: 6})
	r.put(messages.MatchmakingKey(messages.LearningAgent), r.encode(table))
	r.put(messages.PointerKey("main"), r.encode(&messages.Pointer{Schema: messages.SchemaVersion, Agent: "main",
		Version: uint64(20 * versions), Updates: uint64(20 * versions), Samples: uint64(20*versions) * 4096}))
}

// rated says whether a snapshot has all that rate put: the keys are watched apart and come in any order.
func rated(s *Snapshot, versions int) bool {
	return s.Ladder != nil && len(s.Population) == versions && s.Matchmaking != nil && s.Newest != nil
}

func (r *trial) configure() {
	r.put(messages.ConfigKey, []byte(
		"game: bank\nrules:\n  players: 3\nlearner:\n  learning_rate: 0.0003\n  gae_lambda: 0.95\n"))
}

func (r *trial) beat() {
	for i := range 2 {
		r.heartbeat("actor", fmt.Sprintf("box-%d", i), "playing", map[string]float64{"games_per_second": 131.5,
			"decisions_per_second": 3650,
			"games":                982345, "decisions": 27.3e6, "batch_size": 58.2, "dropped": 0, "matches": 412})
	}
	r.heartbeat("learner", "box", "training", map[string]float64{"updates_per_second": 0.59, "updates": 1200,
		"samples": 4.9e6, "stale": 1204, "refused": 0, "lost": 64})
	r.heartbeat("league", "box", "rating", map[string]float64{"results_per_second": 1.2, "matches_open": 12,
		"results": 5120})
	r.heartbeat("web", "box", "serving", map[string]float64{"clients": 1})
}
