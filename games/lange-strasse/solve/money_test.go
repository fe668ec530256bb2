package solve

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/policy"
)

// With points for money the expectimax is the turn optimum, except for the Lange Strassen,
// which win a unit or two, and for the rest of turns beyond 6,000 points (six 1s).
func TestExpectimaxOfPointsIsTheTurnOptimum(t *testing.T) {
	e := newExpectimax()
	for i := range e.ends {
		e.ends[i] = cell{own: float32(i * Step)}
	}
	e.lost = cell{strich: 1}
	e.solve()
	scores, err := ScoresOf(newGame(t), newBot(t, "turn-optimum"))
	require.NoError(t, err)
	optimum := langestrasse.TurnOptimum()
	points, strich := optimum.Turn()
	won := float32(scores.Straights + scores.Supers)
	require.InDelta(t, points, e.values[0][0].own-won, 0.05)
	require.InDelta(t, strich, e.values[0][0].strich, 0.001)
	require.InDelta(t, -won/2, e.values[0][0].next, 0.001)
	turn := langestrasse.NewTurn()
	rapid.Check(t, func(t *rapid.T) {
		set, row := rapid.IntRange(0, turn.Sets()-1).Draw(t, "set"), rapid.IntRange(0, 20).Draw(t, "row")
		throw := rapid.IntRange(0, len(turn.Throws(set))-1).Draw(t, "throw")
		for _, m := range turn.Moves(set, throw) {
			want, _ := optimum.Value(row*Step, m)
			require.InEpsilon(t, want+1, e.move(turn, row, set, m).own+1, 0.02, "%+v", m)
		}
	})
}

// lastTurn returns a position at which the last turn of a game begins.
func lastTurn(t require.TestingT, seed uint64) *langestrasse.State {
	s, rng := newGame(t).NewState().(*langestrasse.State), engine.NewRNG(seed, 0)
	bot := newBot(t, "turn-optimum")
	play := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int { return bot.Choose(s, legal, rng) }}
	for {
		if p := s.Standing().Points; s.Standing().Seat == seats-1 && max(p[0], p[1]) >= target {
			return s
		}
		_, err := play.Step()
		require.NoError(t, err)
		if s.Player() == engine.Terminal {
			s.Reset()
		}
	}
}

// The last turn of a game needs no value function: what the player promises is what it
// wins.
func TestLastTurnsWinWhatTheyPromise(t *testing.T) {
	for seed := range uint64(2) {
		begin := lastTurn(t, seed)
		player := newMoneyPlayer(newValues(untrained()))
		promised := player.solver.solve(begin.Standing(), 0).values[0][0].of(begin.Standing().Seat)
		player.solver.eachEnd(func(i, _ int, _ int8) { t.Errorf("end %d does not end the game", i) })
		paid, s, rng := begin.Money(), begin.Clone(), engine.NewRNG(seed, 1)
		const turns = 5_000
		var won [seats]stat.Moments
		returns := make([]float64, seats)
		choose := func(_ int, legal []int) int { return player.Choose(s, legal, nil) }
		play := engine.Play{State: s, Chance: rng, Choose: choose}
		for range turns {
			s.CopyFrom(begin)
			require.NoError(t, play.ToEnd())
			s.Returns(returns)
			for seat, r := range returns {
				won[seat].Add(r - float64(paid[seat])/unit)
			}
		}
		for seat, m := range won {
			got := newEstimate(m)
			require.InDelta(t, got.Mean, promised[seat], 2.2*got.Half+1e-3, "seed %d, seat %d", seed, seat)
		}
	}
}

func untrained() (networks [seats]*network) {
	for seat := range networks {
		networks[seat] = newNetwork(engine.NewRNG(uint64(seat), 0))
	}
	return networks
}

func TestMoneyPlayerSaysWhatMovesAreWorth(t *testing.T) {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	p := factory()
	require.False(t, p.(policy.Valuer).Scale().Exact)
	rapid.Check(t, func(t *rapid.T) {
		s, legal := decision(t)
		for _, v := range requireBestChosen(t, p, s, legal, 0) {
			require.Less(t, v.Low, v.Mean)
			require.Less(t, math.Abs(v.Mean), 20.)
		}
	})
	s := lastTurn(t, 7)
	for s.Player() == engine.Chance && s.Standing().Seat == seats-1 {
		require.NoError(t, s.Apply(0)) // 1-1-1-1-1-1 is no strich
	}
	values := make([]policy.Value, len(s.LegalActions(nil)))
	p.(policy.Valuer).Values(s, nil, values)
	for _, v := range values {
		require.True(t, v.Low == v.Mean && v.Mean == v.High, "the last turn is exact")
	}
}

// A player in the middle of a turn with more points than the table has solves it again.
func TestMoneyPlayerGoesOnBeyondItsTable(t *testing.T) {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	p, s := factory(), newGame(t).NewState()
	for range 4 {
		require.NoError(t, s.Apply(0)) // six 1s, 8,000 points
		require.NoError(t, s.Apply(126))
	}
	require.NoError(t, s.Apply(0))
	legal := s.LegalActions(nil)
	require.Contains(t, legal, p.Choose(s, legal, nil))
	require.Equal(t, 8000*4/Step, p.(*moneyPlayer).solver.expectimax.base)
}

// The values built into the program reflect the rules' money: a strich in the first turn costs
// more than the 100 ct of the Totale, and being ahead is worth something.
func TestShippedValuesKnowTheGame(t *testing.T) {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	player := factory().(*moneyPlayer)
	e := player.solver.solve(langestrasse.Beginning(), 0)
	begin := e.values[0][0].of(0)
	require.InDelta(t, 0, begin[0]+begin[1]+begin[2], 1e-4)
	for _, m := range begin {
		require.InDelta(t, 0, m, 0.7, "no seat is much better than another")
	}
	require.Less(t, e.lost.own, begin[0]-1)
	for i := 300 / Step; i < 3000/Step; i += 5 {
		require.Greater(t, e.ends[i+10].own, e.ends[i].own)
	}
	off := player.solver.evaluator.values.errors
	for i := range stages {
		require.Positive(t, off.local[i])
		require.Less(t, off.whole[i], float32(0.25))
	}
	require.Less(t, len(moneyTable), 300<<10)
}

func TestMoneyTableComesBack(t *testing.T) {
	values, err := readValues(moneyTable[len(moneyLine)+digestSize : len(moneyTable)-32])
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, WriteMoney(&file, values))
	require.Equal(t, moneyTable, file.Bytes())
	_, err = ReadPlayer(newGame(t), resealed(moneyTable, func(b []byte) []byte { return b[:len(b)-4] }))
	require.ErrorContains(t, err, "its table has")
	_, err = ReadPlayer(newGame(t), resealed(moneyTable, func(b []byte) []byte {
		copy(b[len(b)-4:], []byte{0, 0, 0xc0, 0x7f}) // not a number
		return b
	}))
	require.ErrorContains(t, err, "not parameters")
	other, err := kuhn.New(nil)
	require.NoError(t, err)
	_, err = NewMoney(other)
	require.ErrorContains(t, err, "is kuhn, not lange-strasse")
}

func TestCompareCountsDecisions(t *testing.T) {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	comparison, err := Compare(t.Context(), newGame(t), factory, 2, 1, quietly)
	require.NoError(t, err)
	decisions, different := 0, 0
	for _, d := range comparison.Differences {
		require.GreaterOrEqual(t, d.Points, -1e-9, "nothing makes more points than the optimum")
		require.GreaterOrEqual(t, d.Units, 0.)
		decisions += d.Decisions
		different += d.Different()
	}
	require.Greater(t, decisions, 50)
	require.Greater(t, different, 0)
	require.Less(t, different, decisions)
}

// TestExpectedGain compares with draws: what the better of two actions is worth more than the one that was chosen.
func TestExpectedGain(t *testing.T) {
	require.Zero(t, expectedGain(0.1, 0), "nothing is to be won where nothing is uncertain")
	rng := rand.New(rand.NewPCG(1, 0))
	for _, c := range [][2]float64{{0, 1}, {0.5, 1}, {0.02, 0.03}, {0.3, 0.1}} {
		var gain stat.Moments
		for range 200_000 {
			gain.Add(max(0, -(c[0] + c[1]*rng.NormFloat64())))
		}
		require.InDelta(t, gain.Mean, expectedGain(c[0], c[1]), 2*gain.Margin()+1e-9, "%v", c)
	}
}

func BenchmarkTurn(b *testing.B) {
	factory, err := NewMoney(newGame(b))
	require.NoError(b, err)
	solver, s := factory().(*moneyPlayer).solver, langestrasse.Beginning()
	for b.Loop() {
		s.Round ^= 2 // another turn each time
		solver.solve(s, 0)
	}
}

func TestRenderComparison(t *testing.T) {
	var out strings.Builder
	c := Comparison{Differences: []Difference{
		{Situation: "any other", Decisions: 8, Stops: 1, Rolls: 1, Points: 63, Units: 0.027},
		{Situation: "no strich so far"},
	}}
	c.Room.Low, c.Room.High = stat.Normal(0.042, 1e-6), stat.Normal(0.064, 9e-6)
	require.NoError(t, c.Render(&out))
	require.Regexp(t, `any other +8 +25\.0 % +12\.5 % +12\.5 % +0\.0 % +63 +0\.027`, out.String())
	require.Regexp(t, `no strich so far +0 +0\.0 %`, out.String())
	require.Contains(t, out.String(), "would win 0.042 (0.040 .. 0.044) to 0.064 (0.058 .. 0.070) units a game")
}

// quietly shows nobody how far long work is.
func quietly(_, _ int) {}
