package solutions

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/policy"
)

// slow is a solution of Pig that takes a minute, or fails on its first attempts.
type slow struct {
	started, given int
	failures       int
}

func (s *slow) solve(ctx context.Context, _ engine.Game) (catalog.Players, any, error) {
	s.started++
	select {
	case <-ctx.Done():
		s.given++
		return nil, nil, ctx.Err()
	case <-time.After(time.Minute):
	}
	if s.failures > 0 {
		s.failures--
		return nil, nil, errors.New("too hard")
	}
	return func() policy.Stochastic { return policy.Random{} }, nil, nil
}

// solvedBy returns the result of get with the slow solution.
func solvedBy(t *testing.T, s *slow) func(ctx context.Context) (catalog.Players, error) {
	t.Helper()
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	k := NewCache(catalog.Game{
		Name: "pig", Exact: catalog.Exact{Solutions: []catalog.Solution{{Agent: "solver:slow", Solve: s.solve}}},
	})
	return func(ctx context.Context) (catalog.Players, error) { return k.Get(ctx, game, "solver:slow") }
}

func TestSolvingIsGivenUpWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		get := solvedBy(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 20*time.Second, time.Since(begin))
		synctest.Wait()
		require.Equal(t, 1, s.given)

		_, err = get(t.Context())
		require.NoError(t, err, "the next call starts over")
		require.Equal(t, 2, s.started)
		_, err = get(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, s.started, "a solution is kept")
	})
}

func TestSolvingGoesOnForThoseWhoStillWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		get := solvedBy(t, s)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := get(impatient)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		for range 3 {
			callers.Go(func() {
				_, err := get(t.Context())
				require.NoError(t, err)
			})
		}
		callers.Wait()
		require.Equal(t, 1, s.started)
		require.Zero(t, s.given)
	})
}

func TestFailedSolvingIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		get := solvedBy(t, &slow{failures: 1})
		_, err := get(t.Context())
		require.EqualError(t, err, "too hard")
		_, err = get(t.Context())
		require.NoError(t, err)
	})
}

// renamed is a game under another name, which no list knows.
type renamed struct {
	engine.Game
	spec engine.Spec
}

func (g renamed) Spec() *engine.Spec { return &g.spec }

// A game of somebody else is solved if it is small enough; a larger one has no solver.
func TestSmallGamesAreSolvedWithoutBeingListed(t *testing.T) {
	for name, solved := range map[string]bool{"kuhn": true, "leduc": true, "tysiac-hand": false, "bank": false} {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		own := renamed{game, *game.Spec()}
		own.spec.Name = "own-" + name
		require.Equal(t, solved, Has(standard.Games.Of(own), own, "solver:equilibrium"), name)
		if name != "kuhn" {
			continue
		}
		found, err := Find(standard.Games.Of(own), own, "solver:equilibrium")
		require.NoError(t, err)
		require.False(t, found.Part, "it is on the ladder and gives advice")
		make, err := Solve(t.Context(), own, found)
		require.NoError(t, err)
		require.NotNil(t, make())
	}
}
