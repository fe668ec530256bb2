package bank

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, New, "players: 2", "players: 8\nrounds: 3", "players: 4\nrounds: 2\nroller: random\nrepoll: false")
}

// Outcomes by their dice.
var (
	doubleOnes  = outcomeOf(1, 1)
	oneTwo      = outcomeOf(1, 2)
	seven       = outcomeOf(3, 4)
	doubleThree = outcomeOf(3, 3)
	fiveSix     = outcomeOf(5, 6)
)

func outcomeOf(low, high uint8) int {
	return slices.IndexFunc(pairs[:], func(d die) bool { return d.low == low && d.high == high })
}

func newState(t require.TestingT, rules string) *State {
	g, err := New([]byte(rules))
	require.NoError(t, err)
	return g.NewState().(*State)
}

// apply makes the steps, all of which must be legal.
func apply(t require.TestingT, s *State, steps ...int) {
	for i, step := range steps {
		require.NoError(t, s.Apply(step), "step %d of %v", i, steps)
	}
}

// rollOnly rolls and lets everybody pass until the next roll.
func rollOnly(t require.TestingT, s *State, outcomes ...int) {
	for _, outcome := range outcomes {
		apply(t, s, outcome)
		for s.Player() >= 0 {
			apply(t, s, Pass)
		}
	}
}

// asked answers with the given actions and returns the seats that were asked.
func asked(t require.TestingT, s *State, actions ...int) (seats []int) {
	for _, action := range actions {
		seats = append(seats, s.Player())
		apply(t, s, action)
	}
	return seats
}

func returns(s *State) []float64 {
	dst := make([]float64, s.game.rules.Players)
	s.Returns(dst)
	return dst
}

func TestTwentyOneOutcomes(t *testing.T) {
	s := newState(t, "")
	require.Equal(t, 0, doubleOnes)
	require.Equal(t, 1, oneTwo)
	require.Equal(t, 20, outcomeOf(6, 6))
	for _, o := range s.Outcomes(nil) {
		want := 2.0 / 36
		if pairs[o.Index].doubles() {
			want = 1.0 / 36
		}
		require.Equal(t, want, o.Probability, s.OutcomeName(o.Index))
	}
}

func TestEarlySevenAddsSeventy(t *testing.T) {
	s := newState(t, "")
	for roll := range 3 {
		rollOnly(t, s, seven)
		require.EqualValues(t, 70*(roll+1), s.bank)
	}
	rollOnly(t, s, seven)
	require.EqualValues(t, 1, s.round, "the fourth roll's seven ends the round")
	require.Zero(t, s.bank)
	require.Equal(t, []int64{0, 0, 0}, s.Scores(nil))
}

func TestEarlyDoublesAddTheirSum(t *testing.T) {
	s := newState(t, "")
	rollOnly(t, s, doubleThree, doubleThree, doubleThree)
	require.EqualValues(t, 18, s.bank)
}

func TestLateDoublesDoubleTheBankWithoutTheSum(t *testing.T) {
	s := newState(t, "")
	rollOnly(t, s, fiveSix, fiveSix, fiveSix, doubleThree)
	require.EqualValues(t, 66, s.bank)
}

func TestOtherRollsAddTheirSum(t *testing.T) {
	s := newState(t, "")
	rollOnly(t, s, oneTwo, oneTwo, oneTwo, oneTwo)
	require.EqualValues(t, 12, s.bank)
}

func TestBankingScoresTheBankAndDoesNotReduceIt(t *testing.T) {
	s := newState(t, "")
	apply(t, s, fiveSix, Bank)
	require.EqualValues(t, 11, s.bank)
	require.Equal(t, []int64{11, 0, 0}, s.Scores(nil))
	apply(t, s, Bank)
	require.Equal(t, []int64{11, 11, 0}, s.Scores(nil))
}

func TestWhoHasBankedIsOutForTheRound(t *testing.T) {
	s := newState(t, "")
	apply(t, s, fiveSix)
	require.Equal(t, []int{0, 1, 2, 0}, asked(t, s, Pass, Bank, Pass, Pass))
	apply(t, s, oneTwo)
	require.Equal(t, []int{0, 2}, asked(t, s, Pass, Pass))
	apply(t, s, oneTwo)
	require.Equal(t, []int{0, 2}, asked(t, s, Bank, Bank))
	apply(t, s, fiveSix)
	require.Equal(t, []int{0, 1, 2}, asked(t, s, Pass, Pass, Pass), "all are back in the next round")
}

func TestPhaseEndsWhenAllHavePassedSinceTheNewestBank(t *testing.T) {
	s := newState(t, "players: 4")
	apply(t, s, fiveSix)
	// Seat 0 passed before seat 1 banked: asked again. Seat 2 passed after it, but
	// before seat 3 banked: asked again as well.
	require.Equal(t, []int{0, 1, 2, 3, 0, 2}, asked(t, s, Pass, Bank, Pass, Bank, Pass, Pass))
	require.Equal(t, engine.Chance, s.Player())
}

func TestWhoPassedAfterTheBankIsNotAskedAgain(t *testing.T) {
	s := newState(t, "")
	apply(t, s, fiveSix)
	require.Equal(t, []int{0, 1, 2}, asked(t, s, Bank, Pass, Pass))
	require.Equal(t, engine.Chance, s.Player())
}

func TestSeatOrderBreaksTies(t *testing.T) {
	s := newState(t, "")
	apply(t, s, fiveSix)
	require.Equal(t, []int{0, 1, 2}, asked(t, s, Bank, Bank, Bank))
	require.EqualValues(t, 1, s.round)
	require.Equal(t, []int64{11, 11, 11}, s.Scores(nil))
}

func TestRoundEndsWhenAllHaveBanked(t *testing.T) {
	s := newState(t, "players: 2")
	apply(t, s, fiveSix, Bank, Bank)
	require.Equal(t, engine.Chance, s.Player())
	require.EqualValues(t, 1, s.round)
	require.Zero(t, s.bank)
	require.Zero(t, s.roll)
}

func TestPointsBankedEarlierSurviveASeven(t *testing.T) {
	s := newState(t, "players: 2")
	apply(t, s, fiveSix, Bank, Pass)
	apply(t, s, oneTwo, Pass, oneTwo, Pass, seven)
	require.EqualValues(t, 1, s.round)
	require.Equal(t, []int64{11, 0}, s.Scores(nil))
}

func TestRollsAreCountedPerRound(t *testing.T) {
	s := newState(t, "players: 2")
	rollOnly(t, s, oneTwo, oneTwo, oneTwo, seven, seven)
	require.EqualValues(t, 70, s.bank, "the first roll of round 2 is safe again")
}

func TestWithoutRepollEachRollAsksOnceFromTheMovingSeat(t *testing.T) {
	s := newState(t, "repoll: false")
	// Round 1, roll 1: seat (1 + 1 - 2) mod 3 = 0. Nobody is asked again after a bank.
	apply(t, s, fiveSix)
	require.Equal(t, []int{0, 1, 2}, asked(t, s, Pass, Bank, Pass))
	// Round 1, roll 2: from seat 1, who has banked.
	apply(t, s, fiveSix)
	require.Equal(t, []int{2, 0}, asked(t, s, Pass, Pass))
	// Round 1, roll 3: from seat 2.
	apply(t, s, fiveSix)
	require.Equal(t, []int{2, 0}, asked(t, s, Bank, Bank))
	// Round 2, roll 1: from seat 1.
	apply(t, s, fiveSix)
	require.Equal(t, []int{1, 2, 0}, asked(t, s, Pass, Pass, Pass))
	// Round 2, roll 2: from seat 2.
	apply(t, s, fiveSix)
	require.Equal(t, []int{2, 0, 1}, asked(t, s, Pass, Pass, Pass))
}

func TestBankSaturates(t *testing.T) {
	s := newState(t, "players: 2\nrounds: 1")
	rollOnly(t, s, seven, seven, seven)
	for range 40 {
		rollOnly(t, s, doubleThree)
		require.LessOrEqual(t, s.bank, int64(MaxBank))
	}
	require.EqualValues(t, 1_000_000_000_000, s.bank)
	rollOnly(t, s, fiveSix)
	require.EqualValues(t, 1_000_000_000_000, s.bank)
	apply(t, s, fiveSix, Bank, Bank)
	require.Equal(t, []int64{MaxBank, MaxBank}, s.Scores(nil))
}

func TestHighestTotalWins(t *testing.T) {
	for _, test := range []struct {
		totals  []int64
		returns []float64
	}{
		{[]int64{5, 3}, []float64{1, -1}},
		{[]int64{3, 3}, []float64{0, 0}},
		{[]int64{0, 0, 0}, []float64{0, 0, 0}},
		{[]int64{1, 9, 2}, []float64{-0.5, 1, -0.5}},
		{[]int64{9, 1, 9}, []float64{0.5, -1, 0.5}},
		{[]int64{9, 1, 9, 9, 0}, []float64{1.0 / 3, -0.5, 1.0 / 3, 1.0 / 3, -0.5}},
	} {
		s := newState(t, fmt.Sprintf("players: %d\nrounds: 1", len(test.totals)))
		copy(s.totals[:], test.totals)
		require.Equal(t, make([]float64, len(test.totals)), returns(s), "before the end")
		s.endRound(true)
		require.Equal(t, test.returns, returns(s), "totals %v", test.totals)
	}
}

func TestExampleOfTheNotation(t *testing.T) {
	s := newState(t, `{"players": 2, "rounds": 1}`)
	apply(t, s, 5)
	require.EqualValues(t, 70, s.bank)
	require.Equal(t, []int{0, 1}, asked(t, s, Pass, Pass))
	apply(t, s, 1)
	require.EqualValues(t, 73, s.bank)
	require.Equal(t, []int{0, 1, 0}, asked(t, s, Pass, Bank, Pass))
	apply(t, s, 6, Bank)
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []int64{77, 73}, s.Scores(nil))
	require.Equal(t, []float64{1, -1}, returns(s))
}

func TestRollerChangesNothingButWhatIsShown(t *testing.T) {
	a, b := newState(t, ""), newState(t, "roller: random")
	shown := map[int]bool{}
	rng := engine.NewRNG(1, 0)
	for a.Player() != engine.Terminal {
		step := rng.IntN(2)
		if a.Player() == engine.Chance {
			require.Equal(t, int(a.round+a.roll)%3, a.roller(), "round robin")
			require.Contains(t, a.String(), fmt.Sprintf("seat %d rolls", a.roller()+1))
			shown[b.roller()] = true
			step = a.SampleChance(rng)
		}
		apply(t, a, step)
		apply(t, b, step)
		require.Equal(t, a.InformationKey(0, nil), b.InformationKey(0, nil))
	}
	require.Len(t, shown, 3)
}

// From roll 3 on one more roll changes the bank's expectation to bank + 14/3.
func TestOneMoreRollAddsFourteenThirds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newState(t, "")
		s.roll = int32(rapid.IntRange(3, 30).Draw(t, "roll"))
		s.bank = int64(rapid.IntRange(6, 1<<30).Draw(t, "bank"))
		mean := 0.0
		for _, o := range s.Outcomes(nil) {
			next := *s
			apply(t, &next, o.Index)
			mean += o.Probability * float64(next.bank)
		}
		require.InEpsilon(t, float64(s.bank)+14.0/3, mean, 1e-12)
	})
}

// Before roll 3 the next roll cannot bust, so one more roll always gains points.
func TestEarlyRollsAlwaysGain(t *testing.T) {
	s := newState(t, "")
	for range safeRolls {
		for _, o := range s.Outcomes(nil) {
			next := *s
			apply(t, &next, o.Index)
			require.Greater(t, next.bank, s.bank)
			require.Equal(t, s.round, next.round)
		}
		rollOnly(t, s, oneTwo)
	}
}

func TestRulesOutOfRange(t *testing.T) {
	for rules, message := range map[string]string{
		"players: 1":          "players: 1 is not in 2..8",
		"players: 9":          "players: 9 is not in",
		"rounds: 0":           "rounds: 0 is not in 1..1000",
		"rounds: 1001":        "rounds: 1001 is not in",
		"roller: nobody":      `roller: "nobody" is not one of round_robin, random`,
		"repoll: maybe":       "line 1",
		"players: 3\nseat: 1": "line 2: seat: unknown key; the keys are players, rounds, roller, repoll",
		"players: 2.5":        "2.5 is not a whole number",
	} {
		_, err := New([]byte(rules))
		require.ErrorContains(t, err, message, rules)
	}
}

// model is the decision phase as the rules state it, in the plainest form.
type model struct {
	active, passed []bool
	repoll         bool
	next           int
}

// run asks until the phase ends and returns the seats that were asked. banks says who
// banks at the k-th question.
func (m *model) run(banks func(k int) bool) (asked []int) {
	n := len(m.active)
	once := make([]bool, n)
	for misses := 0; misses < n; m.next = (m.next + 1) % n {
		seat := m.next
		if !m.active[seat] || m.passed[seat] || !m.repoll && once[seat] {
			misses++
			continue
		}
		misses = 0
		once[seat] = true
		if banks(len(asked)) {
			m.active[seat] = false
			if m.repoll {
				clear(m.passed)
			}
		} else {
			m.passed[seat] = true
		}
		asked = append(asked, seat)
	}
	return asked
}

func TestDecisionPhaseMatchesPlainModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "players")
		repoll := rapid.Bool().Draw(t, "repoll")
		s := newState(t, fmt.Sprintf("players: %d\nrounds: 3\nrepoll: %v", n, repoll))
		active := slices.Repeat([]bool{true}, n)
		for roll, round := 1, 1; s.Player() != engine.Terminal; roll++ {
			apply(t, s, fiveSix)
			m := model{active: active, passed: make([]bool, n), repoll: repoll}
			if !repoll {
				m.next = (round + roll - 2) % n
			}
			answers := rapid.SliceOfN(rapid.IntRange(0, 2), n*(n+1), n*(n+1)).Draw(t, "answers")
			want := m.run(func(k int) bool { return answers[k] == 0 })
			for k, seat := range want {
				require.Equal(t, seat, s.Player(), "round %d, roll %d, question %d", round, roll, k)
				require.True(t, s.active>>seat&1 == 1)
				apply(t, s, map[bool]int{true: Bank, false: Pass}[answers[k] == 0])
			}
			require.Less(t, s.Player(), 0, "nobody else is asked")
			if !slices.Contains(active, true) {
				round, roll = round+1, 0
				active = slices.Repeat([]bool{true}, n)
			}
			if roll == 50 {
				return
			}
		}
	})
}

func TestMaxHistoryHoldsForSeatsThatOnlyPass(t *testing.T) {
	for _, rules := range []string{"players: 2\nrounds: 1", "players: 8\nrounds: 20"} {
		s := newState(t, rules)
		rng := engine.NewRNG(1, 0)
		for range 200 {
			steps := 0
			for s.Reset(); s.Player() != engine.Terminal; steps++ {
				step := Pass
				if s.Player() == engine.Chance {
					step = s.SampleChance(rng)
				}
				apply(t, s, step)
			}
			require.Less(t, steps, s.game.spec.MaxHistory/2)
		}
	}
}

func TestSpecOfLongestGameIsFinite(t *testing.T) {
	s := newState(t, "players: 8\nrounds: 1000")
	s.round, s.bank = 999, MaxBank
	for seat := range 8 {
		s.totals[seat] = 999 * MaxBank
	}
	observation := make([]float32, s.game.spec.ObservationSize)
	s.Observe(3, observation)
	for i, v := range observation {
		require.Less(t, math.Abs(float64(v)), 10.0, "element %d", i)
	}
}
