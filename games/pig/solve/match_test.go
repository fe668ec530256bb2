package solve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
	"croupier/solver"
)

func pigTo(t testing.TB, target string) engine.Game {
	t.Helper()
	g, err := pig.New([]byte("target: " + target))
	require.NoError(t, err)
	return g
}

func pigMatch(t testing.TB, g engine.Game, newPolicy func() policy.Policy) Match {
	t.Helper()
	o, err := Solve(t.Context(), g, nil)
	require.NoError(t, err)
	m, err := o.Against(t.Context(), g, newPolicy)
	require.NoError(t, err)
	return m
}

// TestPigMatchOfTheOptimum: against itself the optimum wins what the first player wins, and so
// half of the games over both seats.
func TestPigMatchOfTheOptimum(t *testing.T) {
	for _, target := range []string{"1", "20", "100"} {
		g := pigTo(t, target)
		factory, _, err := SolveTables(t.Context(), g)
		require.NoError(t, err)
		m := pigMatch(t, g, func() policy.Policy { return factory() })
		require.InDelta(t, solvedPig(t, g.Rules().(pig.Rules).Target).FirstPlayer(), m.First, 1e-9)
		require.InDelta(t, 0.5, m.Mean(), 1e-9)
	}
}

// TestPigMatchOfHolders compares with the exact evaluation of players who hold at a total.
func TestPigMatchOfHolders(t *testing.T) {
	g := pigTo(t, "50") // that to 100 is played above
	for name, at := range map[string]int{"hold(20)": 20, "hold(10)": 10} {
		bot, err := g.Bots().New(name)
		require.NoError(t, err)
		m := pigMatch(t, g, func() policy.Policy { return policy.Bot(bot) })
		first, optimumFirst := evaluatePig(50, func(_, _, total int) bool { return total >= at },
			optimalPig(solvedPig(t, 50)))
		require.InDelta(t, first, m.First, 1e-8, name)
		require.InDelta(t, 1-optimumFirst, m.Second, 1e-8, name)
	}
}

// wavering rolls with a probability that depends on the position, also when it has won already.
type wavering struct{ policy.Random }

func (wavering) Distribution(s engine.State, _ []int, dst []float64) {
	scores := s.Scores(nil)
	dst[pig.Roll] = 1 / (1 + float64(s.(*pig.State).Turn()+int(scores[s.Player()]))/8)
	dst[pig.Hold] = 1 - dst[pig.Roll]
}

func (w wavering) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	var p [2]float64
	w.Distribution(s, legal, p[:])
	return legal[policy.Sample(p[:], rng)]
}

// TestPigMatchIsWhatIsPlayed plays games of a player that draws against the optimum.
func TestPigMatchIsWhatIsPlayed(t *testing.T) {
	g := pigTo(t, "40")
	factory, _, err := SolveTables(t.Context(), g)
	require.NoError(t, err)
	m := pigMatch(t, g, func() policy.Policy { return wavering{} })
	for own, exact := range []float64{m.First, m.Second} {
		players := []policy.Policy{factory(), factory()}
		players[own] = wavering{}
		state, rng, returns := g.NewState(), engine.NewRNG(1, engine.ChanceStream), make([]float64, 2)
		play := engine.Play{State: state, Chance: rng, Choose: func(seat int, legal []int) int {
			return players[seat].Choose(state, legal, rng)
		}}
		const games = 20_000
		wins := 0.0
		for range games {
			state.Reset()
			require.NoError(t, play.ToEnd())
			state.Returns(returns)
			wins += (1 + returns[own]) / 2 / games
		}
		t.Logf("seat %d: %.4f, played %.4f", own, exact, wins)
		require.InDelta(t, exact, wins, 4*0.5/math.Sqrt(games))
	}
}

// TestPigMatchRefuses what does not follow from the position alone.
func TestPigMatchRefuses(t *testing.T) {
	g := pigTo(t, "20")
	o, err := Solve(t.Context(), g, nil)
	require.NoError(t, err)
	for name, newPolicy := range map[string]func() policy.Policy{
		"memory": func() policy.Policy { return &forgetting{} },
		"dice":   func() policy.Policy { return policy.Bot(engine.BotFunc(policy.Random{}.Choose)) },
	} {
		_, err := o.Against(t.Context(), g, newPolicy)
		require.ErrorIs(t, err, solver.ErrTwoAnswers, name)
	}
}

// forgetting rolls in its first decisions only.
type forgetting struct {
	policy.Random
	decisions int
}

func (f *forgetting) Reset() { f.decisions = 0 }

func (f *forgetting) Distribution(_ engine.State, _ []int, dst []float64) {
	f.decisions++
	dst[pig.Roll], dst[pig.Hold] = 0, 1
	if f.decisions < 3 {
		dst[pig.Roll], dst[pig.Hold] = 1, 0
	}
}
