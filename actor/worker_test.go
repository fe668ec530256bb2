package actor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/player"
	"croupier/policy"
)

// timedPolicy takes the same time for every decision, and counts it.
type timedPolicy struct {
	policy.Random
	takes time.Duration
	spent *time.Duration
}

func (p timedPolicy) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	time.Sleep(p.takes)
	*p.spent += p.takes
	return p.Random.Choose(s, legal, rng)
}

func timedPlayer(name string, takes time.Duration, spent *time.Duration) *player.Player {
	return &player.Player{Name: name, NewPolicy: func() policy.Policy { return timedPolicy{takes: takes, spent: spent} }}
}

// Solvers need seconds for a game in which a network needs milliseconds: the arena has its share of a worker's time,
// not of its tables, and training games never stand still for longer than a game of the arena takes.
func TestTheArenaHasItsShareOfTheTime(t *testing.T) {
	for name, test := range map[string]struct {
		solvers bool // play against one another, else against a network
		takes   time.Duration
	}{
		"solvers alone":       {true, time.Second},
		"solver and network":  {false, time.Second},
		"quick solver, alone": {true, time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				game := leducGame(t)
				b := memory.New(bus.Options{})
				defer b.Close()
				a := newActor(t, b, game, players{}, t.TempDir())
				var training, arena time.Duration
				a.links[0].pool.learner.Store(timedPlayer("main", 10*time.Millisecond, &training))
				w, err := a.newWorker(0, a.dealt[0][0])
				require.NoError(t, err)
				solver := timedPlayer("solver", test.takes, &arena)
				other := solver
				if !test.solvers {
					other = network(t, game, "main", 1)
				}
				w.match = newMatchPlay(game.Spec(), testSeed, &messages.Match{Sets: 3000}, solver, other)

				var longest time.Duration
				for began := time.Now(); time.Since(began) < 30*time.Minute && w.match.played < w.match.total/2; {
					a.links[0].unseen.Store(0) // a learner that keeps up
					turn := time.Now()
					w.turn(t.Context(), t.Context())
					longest = max(longest, time.Since(turn))
				}
				if share := arena.Seconds() / (arena + training).Seconds(); test.takes == time.Second {
					require.InDelta(t, a.opts.Config.ArenaShare, share, 0.02)
					require.Less(t, longest, 10*time.Second, "one game of two solvers is at most eight decisions")
				} else {
					require.GreaterOrEqual(t, w.match.played, w.match.total/2)
					require.Less(t, share, a.opts.Config.ArenaShare)
				}
				require.Positive(t, testutil.ToFloat64(a.metrics.games.WithLabelValues(kindTraining)))
			})
		})
	}
}

// Whatever a frozen process's turn seems to have taken, the arena is at work again after some minutes.
func TestAFrozenArenaPlaysAgain(t *testing.T) {
	w := &worker{arenaShare: 0.25}
	w.owe(0.75 * float64(10*time.Hour))
	require.Equal(t, mostOwed, w.owed)
	w.owe(-0.25 * float64(5*time.Minute))
	require.Negative(t, w.owed)
	w.owe(-0.25 * float64(time.Hour))
	require.Equal(t, -arenaTurn, w.owed, "it saves up nothing")
}
