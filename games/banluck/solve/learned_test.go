package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/internal/nightly"
	"croupier/policy"
	"croupier/solver"
)

// TestSolutionOfTheEquilibrium: what is read off a solution's policy is the solution.
func TestSolutionOfTheEquilibrium(t *testing.T) {
	for _, rules := range []string{otherRules, "surrender: false\nreveal: false"} {
		s := solved(t, rules)
		table := s.game
		read, err := table.SolutionOf(func() policy.Policy { return s.Policy() })
		require.NoError(t, err)
		require.InDeltaSlice(t, s.profile.Player[:], read.profile.Player[:], 1e-12, rules)
		require.InDeltaSlice(t, s.profile.GoesOn, read.profile.GoesOn, 1e-12, rules)
		for k := range sizes {
			require.InDeltaSlice(t, s.profile.Dealer[k][:], read.profile.Dealer[k][:], 1e-12, rules)
		}
		require.InDelta(t, s.EV, read.EV, 1e-9, rules)
		require.InDelta(t, s.Exploitability, read.Exploitability, 1e-9, rules)
		player, dealer := read.Losses(s.EV)
		require.InDelta(t, read.Exploitability, (player+dealer)/2, 1e-12, rules)
	}
}

// TestSolutionOfBots plays bots against themselves through the engine, and compares the
// baseline's dealer with the best play against him.
func TestSolutionOfBots(t *testing.T) {
	table, value := usualStudy(t).HeadsUp, usualStudy(t).Equilibrium.EV
	for i, name := range []string{"basic", "stand(16)", "baseline(0,0)", "baseline(1,1)"} {
		bot, err := table.game.Bots().New(name)
		require.NoError(t, err)
		s, err := table.SolutionOf(func() policy.Policy { return policy.Bot(bot) })
		require.NoError(t, err)
		requirePlayed(t, s, func() []policy.Policy { return []policy.Policy{policy.Bot(bot), policy.Bot(bot)} },
			nightly.Cases(few, 300_000), uint64(i))
		player, dealer := s.Losses(value)
		require.Greater(t, s.Exploitability, 1e-3, name)
		require.GreaterOrEqual(t, min(player, dealer), -1e-12, name)
		for _, d := range dealers {
			if d.String() == name {
				best, err := table.Baseline(d)
				require.NoError(t, err)
				require.InDelta(t, best.EV, s.High, 1e-12, name)
			}
		}
	}
}

// whim plays each hand with probabilities that have nothing to do with its worth.
type whim struct{ policy.Random }

func (whim) Distribution(s engine.State, legal []int, dst []float64) {
	state := s.(interface {
		engine.State
		Hand(seat int) banluck.Hand
	})
	seat := state.Player()
	rng := newRNG(uint64(seat)<<32 | uint64(state.Hand(seat))<<8 | uint64(state.Hand(1-seat).Size()))
	sum := 0.0
	for i := range legal {
		dst[i] = rng.Float64()
		sum += dst[i]
	}
	for i := range legal {
		dst[i] /= sum
	}
}

// TestSolutionOfEqualsTheTreeOfTheEngine compares what a policy is worth and loses with what the
// general solver says on the whole tree of the engine, with reveal as an action of its own.
func TestSolutionOfEqualsTheTreeOfTheEngine(t *testing.T) {
	for rules, cards := range map[string]deck{
		"":            {0: 4, 2: 4, banluck.Ten: 3},
		"ace: greedy": {2: 3, 4: 4, 7: 1, banluck.Ace: 3},
	} {
		g := newGame(t, rules)
		tree, err := solver.NewTree(&shortGame{g, cards}, solver.MaxNodes)
		require.NoError(t, err)
		plain, err := solver.StrategyOf(tree, func() policy.Policy { return whim{} })
		require.NoError(t, err)
		s, err := newHeadsUp(g, cards).SolutionOf(func() policy.Policy { return whim{} })
		require.NoError(t, err)
		require.InDelta(t, plain.Values()[0], s.EV, 1e-12, rules)
		require.InDelta(t, plain.Exploitability(), s.Exploitability, 1e-12, rules)
	}
}

// forgetful counts its decisions since the last reset.
type forgetful struct {
	policy.Random
	decisions int
}

func (p *forgetful) Reset() { p.decisions = 0 }

func (p *forgetful) Distribution(_ engine.State, legal []int, dst []float64) {
	clear(dst)
	dst[p.decisions%len(legal)] = 1
	p.decisions++
}

// lottery hides the probabilities of a policy.
type lottery struct{ policy.Policy }

// sure gives every action the probability 1.
type sure struct{ policy.Random }

func (sure) Distribution(_ engine.State, legal []int, dst []float64) {
	for i := range legal {
		dst[i] = 1
	}
}

func TestSolutionOfRefuses(t *testing.T) {
	table := newTable(t, "")
	for name, c := range map[string]struct {
		newPolicy func() policy.Policy
		text      string
	}{
		"memory":  {func() policy.Policy { return &forgetful{} }, "memory"},
		"lottery": {func() policy.Policy { return lottery{policy.Random{}} }, "draws at random"},
		"sum":     {func() policy.Policy { return sure{} }, "not a distribution"},
	} {
		_, err := table.SolutionOf(c.newPolicy)
		require.ErrorContains(t, err, c.text, name)
		require.ErrorContains(t, err, "seat 1:", name)
	}
}

func BenchmarkSolutionOf(b *testing.B) {
	table := newTable(b, "")
	for b.Loop() {
		if _, err := table.SolutionOf(func() policy.Policy { return whim{} }); err != nil {
			b.Fatal(err)
		}
	}
}
