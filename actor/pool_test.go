package actor

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/player"
)

// In a game of a curriculum the learner meets frozen networks but no bots, which are
// made for the run's own game.
func TestBotsStayAwayFromStages(t *testing.T) {
	game := leducGame(t)
	frozen, bot := network(t, game, "main@1", 2), randomPlayer()
	b := memory.New(bus.Options{})
	defer b.Close()
	l := newPolicyPool(b, players{"main@1": frozen, "random": bot}, "main", 1, slog.New(slog.DiscardHandler),
		newMetrics(prometheus.NewRegistry()))
	met := func(stage int, opponents ...*messages.Opponent) map[*player.Player]bool {
		table, err := messages.Encode(&messages.Matchmaking{Schema: messages.SchemaVersion, Learner: "main",
			Opponents: opponents})
		require.NoError(t, err)
		l.takePairings(t.Context(), table)
		l.close()
		learner := network(t, game, "main", 1)
		learner.Stage = stage
		seen, rng := map[*player.Player]bool{}, engine.NewRNG(1, 0)
		for range 100 {
			seats := make([]*player.Player, 2)
			l.seat(learner, seats, 2, rng)
			require.Contains(t, seats, learner)
			for _, p := range seats {
				if p != learner {
					seen[p] = true
				}
			}
		}
		return seen
	}
	both := []*messages.Opponent{{Name: "main@1", Weight: 0.2}, {Name: "random", Weight: 0.8}}
	require.Equal(t, map[*player.Player]bool{frozen: true, bot: true}, met(0, both...))
	require.Equal(t, map[*player.Player]bool{frozen: true}, met(1, both...))
	require.Empty(t, met(1, both[1]))
}

func TestWeightsOfAnUnknownStageAreRefused(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	l := newPolicyPool(b, players{}, "main", 1, slog.New(slog.DiscardHandler), newMetrics(prometheus.NewRegistry()))
	publishWeights(t, b, leducGame(t), 1)
	entry, err := b.State().Get(t.Context(), messages.PointerKey("main"))
	require.NoError(t, err)
	var p messages.Pointer
	require.NoError(t, messages.Decode(entry.Value, &p))
	for stage, taken := range map[uint32]bool{2: false, 1: true} {
		l.learner.Store(nil)
		p.Stage = stage
		value, err := messages.Encode(&p)
		require.NoError(t, err)
		l.takeWeights(t.Context(), value)
		require.Equal(t, taken, l.learner.Load() != nil)
	}
}

// slowResolver answers for a name when its gate is closed, or with the caller's error.
type slowResolver struct {
	players
	gates map[string]chan struct{}
	calls *atomic.Int32
	fails *atomic.Bool
}

func (r slowResolver) Player(ctx context.Context, name string) (*player.Player, error) {
	r.calls.Add(1)
	if gate := r.gates[name]; gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if r.fails.Load() {
		return nil, errors.New("not now")
	}
	return r.players.Player(ctx, name)
}

func newSlowResolver(names ...string) slowResolver {
	r := slowResolver{players: players{}, gates: map[string]chan struct{}{}, calls: &atomic.Int32{}, fails: &atomic.Bool{}}
	for _, name := range names {
		p := randomPlayer()
		p.Name = name
		r.players[name] = p
		r.gates[name] = make(chan struct{})
	}
	return r
}

func newTestPool(t *testing.T, r player.Resolver) *policyPool {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { b.Close() })
	return newPolicyPool(b, r, "main", 0, slog.New(slog.DiscardHandler), newMetrics(prometheus.NewRegistry()))
}

// A caller that needs another player does not wait for a slow one, which is loaded once for
// all that ask for it.
func TestSlowPlayerIsLoadedOnceAndHoldsUpNobody(t *testing.T) {
	r := newSlowResolver("slow", "quick")
	close(r.gates["quick"])
	l := newTestPool(t, r)
	got := make(chan *player.Player, 10)
	for range cap(got) {
		l.running.Go(func() {
			p, err := l.player(t.Context(), "slow")
			assert.NoError(t, err)
			got <- p
		})
	}
	require.Eventually(t, func() bool { return r.calls.Load() == 1 }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := l.player(ctx, "quick")
	require.NoError(t, err)
	require.Same(t, r.players["quick"], p)
	close(r.gates["slow"])
	l.close()
	for range cap(got) {
		require.Same(t, r.players["slow"], <-got)
	}
	require.EqualValues(t, 2, r.calls.Load())
}

// A caller that goes away gets its context's error at once, and does not take the
// player from those that still wait for it.
func TestPlayerEndsWithItsCallersContext(t *testing.T) {
	r := newSlowResolver("slow")
	l := newTestPool(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	l.running.Go(func() {
		_, err := l.player(ctx, "slow")
		first <- err
	})
	require.Eventually(t, func() bool { return r.calls.Load() == 1 }, time.Minute, time.Millisecond)
	second := make(chan error, 1)
	l.running.Go(func() {
		_, err := l.player(t.Context(), "slow")
		second <- err
	})
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	close(r.gates["slow"])
	require.NoError(t, <-second)
	l.close()
}

func TestErrorsOfPlayersAreNotKept(t *testing.T) {
	r := newSlowResolver("a")
	close(r.gates["a"])
	r.fails.Store(true)
	l := newTestPool(t, r)
	_, err := l.player(t.Context(), "a")
	require.ErrorContains(t, err, "not now")
	r.fails.Store(false)
	_, err = l.player(t.Context(), "a")
	require.NoError(t, err)
}

// The opponents of a table that are at hand are played while another one is loaded,
// also when newer tables come meanwhile, and the slow one joins the newest.
func TestTableDoesNotWaitForASlowOpponent(t *testing.T) {
	r := newSlowResolver("slow", "quick")
	close(r.gates["quick"])
	l := newTestPool(t, r)
	take := func(weight float64) {
		table, err := messages.Encode(&messages.Matchmaking{Schema: messages.SchemaVersion, Learner: "main",
			Opponents: []*messages.Opponent{
				{Name: "slow", Weight: weight}, {Name: "quick", Weight: 1 - weight}, {Name: "never", Weight: 0},
			}})
		require.NoError(t, err)
		l.takePairings(t.Context(), table)
	}
	seated := func(want opponents) func() bool {
		return func() bool {
			p := l.pairing.Load()
			return p != nil && assert.ObjectsAreEqual(want, p.all)
		}
	}
	take(0.5)
	require.Eventually(t, seated(opponents{[]*player.Player{r.players["quick"]}, []float64{1}}), time.Minute,
		time.Millisecond)
	take(0.25)
	require.True(t, seated(opponents{[]*player.Player{r.players["quick"]}, []float64{1}})())
	close(r.gates["slow"])
	l.close()
	require.True(t, seated(opponents{[]*player.Player{r.players["slow"], r.players["quick"]}, []float64{0.25, 0.75}})())
	require.EqualValues(t, 2, r.calls.Load())
}
