package solve

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/internal/nightly"
	"croupier/policy"
)

// TestPigFirstPlayer: Neller and Presser give 0.5306 for the first player when both
// play optimally to 100.
func TestPigFirstPlayer(t *testing.T) {
	o := solvedPig(t, 100)
	t.Logf("first player wins %.6f; residual %.1e", o.begin[0], o.residual())
	require.InDelta(t, 0.5306, o.begin[0], 5e-5)
	require.Less(t, o.residual(), 1e-14)
}

func TestPigTargetsAreSolvedExactly(t *testing.T) {
	for target := 1; target <= 60; target++ {
		require.Less(t, solvedPig(t, target).residual(), 1e-14, "target %d", target)
	}
}

// residual is the largest amount by which the values miss their equations.
func (o *Optimum) residual() float64 {
	largest, values := 0.0, o.newTurn()
	for own := range o.target {
		for other := range o.target {
			o.turn(own, other, 0, values)
			largest = max(largest, math.Abs(o.begin[own*o.target+other]-values[0]))
		}
	}
	return largest
}

// TestPigEqualsPlainValueIteration iterates all positions at once for small targets.
func TestPigEqualsPlainValueIteration(t *testing.T) {
	for _, target := range []int{1, 2, 3, 7, 20} {
		t.Run(fmt.Sprint(target), func(t *testing.T) {
			o, plain := solvedPig(t, target), plainPig(target)
			for own := range target {
				for other := range target {
					require.InDelta(t, plain(own, other, 0), o.begin[own*target+other], 1e-12, "%d-%d", own, other)
				}
			}
		})
	}
}

// plainPig is value iteration as the paper writes it, on a map of all positions.
func plainPig(target int) func(own, other, total int) float64 {
	type position struct{ own, other, total int }
	values := map[position]float64{}
	win := func(own, other, total int) float64 {
		if own+total >= target {
			return 1
		}
		return values[position{own, other, total}]
	}
	for change := 1.0; change > 1e-14; {
		change = 0
		for own := range target {
			for other := range target {
				for total := range target - own {
					roll := (1 - win(other, own, 0)) / 6
					for face := 2; face <= 6; face++ {
						roll += win(own, other, total+face) / 6
					}
					hold := 1 - win(other, own+total, 0)
					p := position{own, other, total}
					change = max(change, math.Abs(max(roll, hold)-values[p]))
					values[p] = max(roll, hold)
				}
			}
		}
	}
	return win
}

// solvedPig solves the game to the target.
func solvedPig(t testing.TB, target int) *Optimum {
	t.Helper()
	o, err := solve(t.Context(), target, nil)
	require.NoError(t, err)
	return o
}

// A caller that has left does not wait for the optimum.
func TestPigIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, err := pig.New([]byte("target: 500"))
	require.NoError(t, err)
	_, _, err = SolveTables(ctx, g)
	require.ErrorIs(t, err, context.Canceled)
}

// TestPigKnownPolicy: the optimal policy is not a threshold on the turn total. A published
// example (possiblywrong.wordpress.com, "Pig puzzle solution", 2014): with 41 against 49 it
// rolls to 22 or more, but once more at exactly 27.
func TestPigKnownPolicy(t *testing.T) {
	o := solvedPig(t, 100)
	scratch := o.newTurn()
	for total := range 22 + 6 {
		require.Equal(t, total < 22 || total == 27, o.rolls(41, 49, total, scratch), "turn total %d", total)
	}
	require.False(t, o.rolls(41, 49, 59, scratch), "59 wins")
}

// TestPigOptimumIsUnbeaten evaluates players exactly: the optimal policy reaches the
// values of the iteration, and nobody who holds at a fixed total does better.
func TestPigOptimumIsUnbeaten(t *testing.T) {
	for _, target := range []int{25, nightly.Cases(50, 100)} {
		o := solvedPig(t, target)
		optimal := optimalPig(o)
		first, second := evaluatePig(target, optimal, optimal)
		require.InDelta(t, o.begin[0], first, 1e-9)
		require.InDelta(t, o.begin[0], second, 1e-9)
		for _, at := range []int{1, 10, 20, 25} {
			first, second := evaluatePig(target, optimal, func(_, _, total int) bool { return total >= at })
			t.Logf("to %d: optimal play wins %.4f going first and %.4f going second against hold at %d", target, first,
				1-second, at)
			require.Greater(t, first, o.begin[0])
			require.Less(t, second, o.begin[0])
		}
	}
}

// optimalPig says for every position whether the optimal player holds.
func optimalPig(o *Optimum) func(own, other, total int) bool {
	scratch := o.newTurn()
	rolls := make([]bool, o.target*o.target*o.target)
	index := func(own, other, total int) int { return (own*o.target+other)*o.target + total }
	for own := range o.target {
		for other := range o.target {
			o.turn(own, other, 0, scratch)
			for total := range o.target - own {
				rolls[index(own, other, total)] = o.roll(own, other, scratch[total:]) > o.hold(own, other, total)
			}
		}
	}
	return func(own, other, total int) bool { return !rolls[index(own, other, total)] }
}

// evaluatePig returns the probability that each of two players wins when it goes first; a
// player reports whether it holds.
func evaluatePig(target int, players ...func(own, other, total int) bool) (first, second float64) {
	var begin [2][]float64 // by player, own score and other score, at the beginning of its turn
	for i := range begin {
		begin[i] = make([]float64, target*target)
	}
	turn := make([]float64, target+6)
	play := func(player, own, other int) float64 {
		for total := len(turn) - 1; total >= 0; total-- {
			switch {
			case own+total >= target:
				turn[total] = 1
			case players[player](own, other, total):
				turn[total] = 1 - begin[1-player][other*target+own+total]
			default:
				turn[total] = (1 - begin[1-player][other*target+own]) / 6
				for face := 2; face <= 6; face++ {
					turn[total] += turn[total+face] / 6
				}
			}
		}
		return turn[0]
	}
	for own := target - 1; own >= 0; own-- {
		for other := target - 1; other >= 0; other-- {
			for change := 1.0; change > 1e-10; {
				value := play(0, own, other)
				change = math.Abs(value - begin[0][own*target+other])
				begin[0][own*target+other] = value
				begin[1][other*target+own] = play(1, other, own)
			}
		}
	}
	return begin[0][0], begin[1][0]
}

// TestPigAgentPlaysTheOptimum plays games of the contract against hold(20), seats
// alternated; exactly, the optimum wins (0.5715 + 0.5083) / 2 of them.
func TestPigAgentPlaysTheOptimum(t *testing.T) {
	g, err := pig.New(nil)
	require.NoError(t, err)
	factory, _, err := SolveTables(t.Context(), g)
	require.NoError(t, err)
	bot, err := g.Bots().New("hold(20)")
	require.NoError(t, err)

	const games = 10_000
	agent, other, wins := factory(), policy.Bot(bot), 0
	state, rng, returns := g.NewState(), engine.NewRNG(1, engine.ChanceStream), make([]float64, 2)
	mine := 0
	play := engine.Play{State: state, Chance: rng, Choose: func(seat int, legal []int) int {
		if seat == mine {
			return agent.Choose(state, legal, rng)
		}
		return other.Choose(state, legal, rng)
	}}
	for game := range games {
		mine = game % 2
		state.Reset()
		require.NoError(t, play.ToEnd())
		state.Returns(returns)
		if returns[mine] > 0 {
			wins++
		}
	}
	const exact = (0.5715 + 0.5083) / 2
	require.InDelta(t, exact, float64(wins)/games, 4*math.Sqrt(exact*(1-exact)/games))
}

func TestPigAgentIsPure(t *testing.T) {
	g, err := pig.New([]byte("target: 12"))
	require.NoError(t, err)
	factory, _, err := SolveTables(t.Context(), g)
	require.NoError(t, err)
	state, p := g.NewState(), [2]float64{9, 9}
	factory().Distribution(state, []int{pig.Roll, pig.Hold}, p[:])
	require.Equal(t, [2]float64{1, 0}, p, "nobody holds with nothing at the start")
	for range 2 { // two sixes reach the target
		require.NoError(t, state.Apply(pig.Roll))
		require.NoError(t, state.Apply(5))
	}
	factory().Distribution(state, []int{pig.Roll, pig.Hold}, p[:])
	require.Equal(t, [2]float64{0, 1}, p, "holding wins")
}

func TestPigTargetLimit(t *testing.T) {
	g, err := pig.New([]byte("target: 501"))
	require.NoError(t, err)
	_, _, err = SolveTables(t.Context(), g)
	require.EqualError(t, err, "solver: pig: the optimum is computed for targets up to 500, the target is 501")
}

// The greatest value is that of the action chosen, at every position of a short game.
func TestPigValuesAgreeWithItsChoices(t *testing.T) {
	g, err := pig.New([]byte("target: 30"))
	require.NoError(t, err)
	factory, _, err := SolveTables(t.Context(), g)
	require.NoError(t, err)
	p := factory().(policy.Valuer)
	require.Equal(t, policy.Scale{Unit: "wins", Exact: true, Risk: "lost turn"}, p.Scale())
	v, rng := make([]policy.Value, 2), engine.NewRNG(1, engine.ChanceStream)
	state := g.NewState()
	play := engine.Play{State: state, Chance: rng, Choose: func(seat int, legal []int) int {
		p.Values(state, legal, v)
		require.Equal(t, []float64{1.0 / 6, 0}, []float64{v[pig.Roll].Risk, v[pig.Hold].Risk})
		require.GreaterOrEqual(t, v[p.Choose(state, legal, nil)].Mean, max(v[0].Mean, v[1].Mean))
		if state.Scores(nil)[seat]+int64(state.(*pig.State).Turn()) >= 30 {
			require.Equal(t, 1.0, v[pig.Hold].Mean)
			require.Less(t, v[pig.Roll].Mean, 1.0)
		}
		return rng.IntN(2)
	}}
	require.NoError(t, play.ToEnd())
}

func TestPigTurns(t *testing.T) {
	turns := solvedPig(t, 100).Turns()
	require.Len(t, turns, 100*100)
	turn := turns[41*100+49]
	require.Equal(t, [2]int{41, 49}, [2]int{turn.Own, turn.Other})
	require.Equal(t, [][2]int{{0, 21}, {27, 27}, {57, 58}}, turn.Roll, "at 57 and 58 any roll but a 1 makes holding win")
}

func BenchmarkPig(b *testing.B) {
	for b.Loop() {
		solvedPig(b, 100)
	}
}

func TestPigTurnsAreRows(t *testing.T) {
	turn := Turn{Own: 49, Other: 41, Win: 0.5, Roll: [][2]int{{0, 21}, {27, 27}}}
	require.Equal(t, []string{"49", "41", "0.5", "0-21 27-27"}, turn.Cells())
	require.Len(t, turn.Cells(), len(TurnColumns))
}
