//go:build long

package tests

import (
	"flag"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/advice"
	"croupier/agents"
	rules "croupier/engine"
	"croupier/games/standard"
	"croupier/policy"
)

// How many positions of BANK! for four are judged, and by how many games after each action.
var (
	hintPositions = flag.Int("hint_positions", 200, "positions in which hints are judged")
	hintGames     = flag.Int("hint_games", 20_000, "games by which each action is judged")
)

// TestNoHintIsCertainAndWrong judges hints in BANK! for four, at positions of games of the family's network: after each
// action the same network plays many games to their end, in all seats and by its own frequencies. A hint is certain if
// the interval of what the next best action loses is above 0; it is wrong if the games say beyond chance (with a
// probability of 5 % for all positions together) that this action is better.
func TestNoHintIsCertainAndWrong(t *testing.T) {
	game, err := standard.Games.New("bank", []byte("players: 4"))
	require.NoError(t, err)
	known := agents.New(game, agents.Sources{Catalog: standard.Games})
	adviser, err := advice.Choose(t.Context(), known, "", nil)
	require.NoError(t, err)
	player, err := known.Player(t.Context(), agents.Trained)
	require.NoError(t, err)
	positions := positionsOf(t, game, player.Policy(), *hintPositions)
	limit := math.Sqrt2 * math.Erfinv(1-0.05/float64(len(positions))) // two-sided, of all positions together

	var certain, wrong, reversed, next atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			chooser := player.Policy()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(positions) {
					return nil
				}
				s := positions[i]
				o := advice.DefaultOptions()
				o.Workers, o.Samples = 1, 1024
				answer, err := advice.Advise(ctx, advice.Question{Game: game, State: s}, adviser, o)
				if err != nil {
					return err
				}
				other := 0
				for j := range answer.Actions {
					if answer.Actions[j].Action != answer.Best {
						other = j
					}
				}
				if answer.Actions[other].LossLow <= 0 {
					continue
				}
				certain.Add(1)
				rng := rules.NewRNG(uint64(i), 1)
				best, bestVar := judged(s, answer.Best, chooser, rng)
				second, secondVar := judged(s, answer.Actions[other].Action, chooser, rng)
				loss, deviation := best-second, math.Sqrt(bestVar+secondVar)
				if loss >= 0 {
					continue
				}
				reversed.Add(1)
				verdict := "within chance"
				if loss < -limit*deviation {
					wrong.Add(1)
					verdict = "WRONG"
				}
				a := answer.Actions[other]
				t.Logf("%s: %s: the hint has %s lose %.4f (%.4f to %.4f), the games %.4f ± %.4f", verdict, s, a.Name, a.Loss,
					a.LossLow, a.LossHigh, loss, 1.96*deviation)
			}
		})
	}
	require.NoError(t, group.Wait())
	t.Logf("%s advises: of %d hints %d are certain; in %d games after each action %d of these are wrong, and %d came out "+
		"the other way round", adviser.Name, len(positions), certain.Load(), *hintGames, wrong.Load(), reversed.Load())
	require.Greater(t, certain.Load(), int64(len(positions)/4), "hints that commit themselves to nothing cannot be wrong")
	require.Zero(t, wrong.Load())
}

// positionsOf returns decisions from games in which the policy has all seats, one of each game at random.
func positionsOf(t *testing.T, game rules.Game, chooser policy.Policy, n int) (positions []rules.State) {
	for number := uint64(0); len(positions) < n; number++ {
		require.Less(t, number, uint64(10*n))
		s, rng := game.NewState(), rules.NewRNG(number, 0)
		var seen int
		var taken rules.State
		playOn(s, chooser, rng, func() {
			if len(s.LegalActions(nil)) != 2 {
				return
			}
			if seen++; rng.IntN(seen) == 0 {
				taken = game.NewState()
				taken.CopyFrom(s)
			}
		})
		if taken != nil {
			positions = append(positions, taken)
		}
	}
	return positions
}

// judged returns the mean share of the win of the seat to move after an action, and the variance of that mean.
func judged(from rules.State, action int, chooser policy.Policy, rng *rules.RNG) (mean, variance float64) {
	seat, sum, squares, n := from.Player(), 0.0, 0.0, float64(*hintGames)
	s := from.Clone()
	returns := make([]float64, 4)
	for range *hintGames {
		s.CopyFrom(from)
		if err := s.Apply(action); err != nil {
			panic(err)
		}
		playOn(s, chooser, rng, func() {})
		s.Returns(returns)
		share := returns[seat] // the winners have 1 together
		if share == 0 {
			share = 1 / float64(len(returns)) // all have won
		}
		share = max(0, share)
		sum, squares = sum+share, squares+share*share
	}
	mean = sum / n
	return mean, (squares/n - mean*mean) / n
}

// playOn plays a game to its end; decides is called before each decision.
func playOn(s rules.State, chooser policy.Policy, rng *rules.RNG, decides func()) {
	var legal []int
	for s.Player() != rules.Terminal {
		action := 0
		if s.Player() == rules.Chance {
			action = s.SampleChance(rng)
		} else {
			decides()
			legal = s.LegalActions(legal[:0])
			action = chooser.Choose(s, legal, rng)
		}
		if err := s.Apply(action); err != nil {
			panic(err)
		}
	}
}
