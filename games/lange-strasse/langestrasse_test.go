package langestrasse

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, New) }

func newState(t require.TestingT) *State {
	g, err := New(nil)
	require.NoError(t, err)
	return g.NewState().(*State)
}

// throw rolls the dice, given in any order.
func throw(t require.TestingT, s *State, dice ...uint8) {
	slices.Sort(dice)
	outcome := slices.IndexFunc(sortedThrows(len(dice)), func(d []uint8) bool { return slices.Equal(d, dice) })
	require.Equal(t, len(dice), int(s.tables.left[s.set]), "dice to roll")
	require.NoError(t, s.Apply(outcome), "%v", dice)
}

// keepAction is the action that keeps the dice of the roll and rolls on.
func keepAction(s *State, dice ...uint8) int {
	r, mask := s.tables.roll(s.set, s.node), 0
	for _, die := range dice {
		for i, face := range r.dice[:r.n] {
			if face == die && mask>>i&1 == 0 {
				mask |= 1 << i
				break
			}
		}
	}
	return 2 * mask
}

func keep(t require.TestingT, s *State, dice ...uint8) {
	require.NoError(t, s.Apply(keepAction(s, dice...)), "keep %v", dice)
}

func stop(t require.TestingT, s *State, dice ...uint8) {
	require.NoError(t, s.Apply(keepAction(s, dice...)+1), "keep %v and stop", dice)
}

// strich ends the turn without points.
func strich(t require.TestingT, s *State) { throw(t, s, 2, 2, 3, 3, 4, 6) }

// scoreThousand ends the turn with 1000 points.
func scoreThousand(t require.TestingT, s *State) {
	throw(t, s, 1, 1, 1, 2, 3, 3)
	stop(t, s, 1, 1, 1)
}

// score returns the set score after one roll of six dice of which some are kept.
func score(t require.TestingT, rolled, kept []uint8) int {
	s := newState(t)
	throw(t, s, rolled...)
	chosen := keepAction(s, kept...)
	for _, m := range s.tables.at(s.node) {
		if int(m.Action) == chosen {
			return int(m.Points)
		}
	}
	return -1
}

func TestKeepsAndTheirValue(t *testing.T) {
	for _, test := range []struct {
		rolled, kept []uint8
		want         int // -1: not legal
	}{
		{[]uint8{1, 2, 3, 4, 4, 6}, []uint8{1}, 100},
		{[]uint8{5, 2, 3, 4, 4, 6}, []uint8{5}, 50},
		{[]uint8{1, 1, 5, 5, 2, 3}, []uint8{1, 1, 5, 5}, 300},
		{[]uint8{2, 2, 2, 3, 4, 6}, []uint8{2, 2, 2}, 200},
		{[]uint8{6, 6, 6, 3, 4, 4}, []uint8{6, 6, 6}, 600},
		{[]uint8{1, 1, 1, 3, 4, 4}, []uint8{1, 1, 1}, 1000},
		{[]uint8{5, 5, 5, 3, 4, 4}, []uint8{5, 5, 5}, 500},
		{[]uint8{5, 5, 5, 3, 4, 4}, []uint8{5, 5}, 100},
		{[]uint8{2, 2, 2, 2, 4, 6}, []uint8{2, 2, 2, 2}, 400},
		{[]uint8{2, 2, 2, 2, 4, 6}, []uint8{2, 2, 2}, 200},
		{[]uint8{1, 1, 1, 1, 1, 1}, []uint8{1, 1, 1, 1, 1, 1}, 8000},
		{[]uint8{3, 3, 3, 4, 4, 4}, []uint8{3, 3, 3, 4, 4, 4}, 700},
		{[]uint8{3, 3, 3, 1, 5, 4}, []uint8{3, 3, 3, 1, 5}, 450},
		{[]uint8{2, 3, 3, 4, 1, 6}, []uint8{1, 2}, -1},
		{[]uint8{2, 3, 3, 4, 1, 6}, []uint8{3, 3}, -1},
		{[]uint8{2, 2, 2, 2, 1, 6}, []uint8{2, 2}, -1},
	} {
		require.Equal(t, test.want, score(t, test.rolled, test.kept), "%v of %v", test.kept, test.rolled)
	}
}

func TestAGroupTakesEveryFurtherDie(t *testing.T) {
	s := newState(t)
	throw(t, s, 5, 5, 5, 2, 3, 4)
	keep(t, s, 5, 5, 5)
	throw(t, s, 5, 2, 3)
	stop(t, s, 5)
	require.EqualValues(t, 1000, s.standing.Points[0], "a 5 joins the group of 5s")
	throw(t, s, 2, 2, 2, 3, 4, 6)
	keep(t, s, 2, 2, 2)
	throw(t, s, 2, 2, 3)
	stop(t, s, 2)
	require.EqualValues(t, 400, s.standing.Points[1], "one 2 is enough, and the other may stay")
}

func TestSinglesNeverJoinALaterGroup(t *testing.T) {
	s := newState(t)
	throw(t, s, 5, 5, 2, 3, 4, 6)
	keep(t, s, 5, 5)
	throw(t, s, 5, 2, 3, 4)
	keep(t, s, 5)
	require.Equal(t, 150, s.tables.sets[s.set].points(), "three singles are no group")
	s.Reset()
	throw(t, s, 1, 1, 2, 3, 4, 6)
	keep(t, s, 1, 1)
	throw(t, s, 1, 1, 1, 6)
	stop(t, s, 1, 1, 1)
	require.EqualValues(t, 1200, s.standing.Points[0], "a group next to two singles of its face")
}

func TestThreeOfAFaceInOneRollAreAGroup(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 1, 5, 5, 2)
	keep(t, s, 1, 1, 1)
	require.Equal(t, set{face: 1, size: 3}, s.tables.sets[s.set])
}

func TestStopNeedsThreeHundredInTheSet(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 5, 2, 3, 4)
	require.NotContains(t, s.LegalActions(nil), keepAction(s, 1, 1, 5)+1, "250 points")
	keep(t, s, 1, 1)
	throw(t, s, 5, 5, 2, 3)
	require.NotContains(t, s.LegalActions(nil), keepAction(s, 5)+1, "250 points")
	require.Contains(t, s.LegalActions(nil), keepAction(s, 5, 5)+1, "300 points, the dice just kept included")
}

func TestAllSixKeptGoOnWithANewSet(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 1, 5, 5, 5)
	all := keepAction(s, 1, 1, 1, 5, 5, 5)
	require.Contains(t, s.LegalActions(nil), all)
	require.NotContains(t, s.LegalActions(nil), all+1, "no stopping on the sixth die")
	keep(t, s, 1, 1, 1, 5, 5, 5)
	require.EqualValues(t, 1500, s.turn)
	throw(t, s, 1, 1, 5, 2, 3, 4)
	for _, action := range s.LegalActions(nil) {
		require.Zero(t, action%2, "300 points must be reached again")
	}
	keep(t, s, 1, 1)
	throw(t, s, 1, 2, 3, 4)
	stop(t, s, 1)
	require.EqualValues(t, 1800, s.standing.Points[0])
}

func TestStrichLosesAllSetsOfTheTurn(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 1, 5, 5, 5)
	keep(t, s, 1, 1, 1, 5, 5, 5)
	strich(t, s)
	require.Equal(t, []int64{0, 0, 0}, s.Scores(nil))
	require.EqualValues(t, 1, s.standing.Strich)
	require.EqualValues(t, 1, s.standing.Seat, "a strich has no node")
	require.Equal(t, engine.Chance, s.Player())
}

func TestKeptDiceDoNotSaveFromAStrich(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 2, 3, 4, 6, 6)
	keep(t, s, 1)
	throw(t, s, 2, 2, 3, 4, 6)
	require.EqualValues(t, 1, s.standing.Seat)
}

func TestALoneActionIsStillADecision(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 2, 2, 3, 4, 6)
	require.Equal(t, 0, s.Player())
	require.Len(t, s.LegalActions(nil), 1)
}

func TestEqualDiceAreKeptFromTheLowestPositions(t *testing.T) {
	s := newState(t)
	throw(t, s, 5, 5, 2, 3, 4, 6) // sorted 2 3 4 5 5 6
	require.Equal(t, []int{2 * 0b001000, 2 * 0b011000}, s.LegalActions(nil))
	require.ErrorContains(t, s.Apply(2*0b010000), "lowest positions")
}

func TestLangeStrasse(t *testing.T) {
	for _, test := range []struct {
		name  string
		keeps [][]uint8 // before the throw that completes it
		ct    int32     // from each other player
	}{
		{"in one roll", nil, 50},
		{"after a 1", [][]uint8{{1}}, 50},
		{"after a 5", [][]uint8{{5}}, 50},
		{"after a 1 and a 5 of one roll", [][]uint8{{1, 5}}, 50},
		{"super, 1 first", [][]uint8{{1}, {5}}, 100},
		{"super, 5 first", [][]uint8{{5}, {1}}, 100},
	} {
		s := newState(t)
		kept, missing := []uint8{}, []uint8{1, 2, 3, 4, 5, 6}
		for _, k := range test.keeps {
			rolled := append(slices.Clone(k), slices.Repeat([]uint8{2}, 2)...)
			for len(rolled) < 6-len(kept) {
				rolled = append(rolled, []uint8{3, 4, 6}[len(rolled)%3])
			}
			throw(t, s, rolled...)
			keep(t, s, k...)
			kept = append(kept, k...)
			missing = slices.DeleteFunc(missing, func(d uint8) bool { return slices.Contains(k, d) })
		}
		throw(t, s, missing...)
		require.Contains(t, s.LegalActions(nil), Straight, test.name)
		require.NoError(t, s.Apply(Straight), test.name)
		require.EqualValues(t, 1250, s.turn, "%s: in place of everything kept in the set", test.name)
		require.Equal(t, Money{2 * test.ct, -test.ct, -test.ct}, s.money, "%s: at once", test.name)
		require.Equal(t, engine.Chance, s.Player(), test.name)
		require.EqualValues(t, 0, s.standing.Seat, "%s: the turn continues", test.name)
		strich(t, s)
		require.EqualValues(t, 0, s.standing.Points[0], "%s: the points can still be lost", test.name)
	}
}

func TestNoLangeStrasseWithAGroupOrTwoOfASingle(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 2, 3, 4, 6)
	keep(t, s, 1, 1)
	throw(t, s, 2, 3, 4, 5)
	require.NotContains(t, s.LegalActions(nil), Straight)
}

func TestTalheim(t *testing.T) {
	for _, test := range []struct {
		name                 string
		rolled, kept, second []uint8
		want                 int64 // 0: no Talheim
	}{
		{"three pairs", []uint8{2, 2, 3, 3, 5, 5}, nil, nil, 500},
		{"consecutive", []uint8{2, 2, 3, 3, 4, 4}, nil, nil, 1000},
		{"consecutive with 6", []uint8{6, 6, 5, 5, 4, 4}, nil, nil, 1000},
		{"1 and 6 are no neighbours", []uint8{6, 6, 5, 5, 1, 1}, nil, nil, 500},
		{"after a 1", []uint8{1, 2, 3, 4, 6, 6}, []uint8{1}, []uint8{1, 3, 3, 4, 4}, 500},
		{"after two 1s", []uint8{1, 1, 3, 4, 6, 6}, []uint8{1, 1}, []uint8{2, 2, 3, 3}, 1000},
		{"after both", []uint8{1, 5, 3, 4, 6, 6}, []uint8{1, 5}, []uint8{1, 5, 3, 3}, 500},
		{"four and two are no pairs", []uint8{2, 2, 2, 2, 5, 5}, nil, nil, 0},
		{"six of a kind", []uint8{2, 2, 2, 2, 2, 2}, nil, nil, 0},
	} {
		s := newState(t)
		throw(t, s, test.rolled...)
		if test.kept != nil {
			keep(t, s, test.kept...)
			throw(t, s, test.second...)
		}
		if test.want == 0 {
			require.NotContains(t, s.LegalActions(nil), Talheim, test.name)
			continue
		}
		require.NoError(t, s.Apply(Talheim), test.name)
		require.Equal(t, test.want, s.Scores(nil)[0], test.name)
		require.EqualValues(t, 1, s.standing.Seat, "%s: the turn ends at once", test.name)
	}
}

func TestTalheimIsOptional(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 3, 3, 5, 5)
	require.Contains(t, s.LegalActions(nil), Talheim)
	keep(t, s, 1, 1)
	require.EqualValues(t, 0, s.standing.Seat)
}

func TestNoTalheimWithAGroup(t *testing.T) {
	s := newState(t)
	throw(t, s, 2, 2, 2, 3, 4, 6)
	keep(t, s, 2, 2, 2)
	throw(t, s, 2, 3, 3)
	require.NotContains(t, s.LegalActions(nil), Talheim)
}

func TestTalheimAddsToFinishedSets(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 1, 1, 5, 5, 5)
	keep(t, s, 1, 1, 1, 5, 5, 5)
	throw(t, s, 2, 2, 3, 3, 6, 6)
	require.NoError(t, s.Apply(Talheim))
	require.Equal(t, []int64{2000, 0, 0}, s.Scores(nil))
}

func TestOutcomesAreTheSortedThrowsInOrder(t *testing.T) {
	tables := sharedTables()
	for n := 1; n <= 6; n++ {
		sorted := sortedThrows(n)
		chances := make([]float64, len(sorted))
		for _, throw := range orderedThrows(n) {
			slices.Sort(throw)
			i, found := slices.BinarySearchFunc(sorted, throw, slices.Compare)
			require.True(t, found)
			chances[i] += 1 / float64(pow6(n))
		}
		require.Len(t, tables.odds[n], len(sorted))
		drawn := make([]int, len(sorted))
		for _, outcome := range tables.ways[n] {
			drawn[outcome]++
		}
		for i, dice := range sorted {
			require.Equal(t, dice, tables.rolls[n][i].dice[:n])
			require.InDelta(t, chances[i], tables.odds[n][i].Probability, 1e-12)
			require.InDelta(t, chances[i], float64(drawn[i])/float64(pow6(n)), 1e-12, "what SampleChance draws from")
		}
	}
	require.Len(t, sortedThrows(6), 462)
}

func TestIllegalKeepsSayWhy(t *testing.T) {
	s := newState(t)
	require.ErrorContains(t, s.Apply(462), "the throws of 6 dice are 0 to 461")
	throw(t, s, 1, 2, 2, 3, 4, 6)
	for action, reason := range map[int]string{
		0:        "the actions are 2 to 129",
		130:      "the actions are 2 to 129",
		2:        "",
		3:        "ending the turn takes 300 points in this set, and these dice make 100",
		4:        "a 2 counts only among three or more of one roll, or next to a group of 2s",
		Straight: "a Lange Strasse is 1-2-3-4-5-6",
		Talheim:  "a Talheim is three pairs of different faces",
	} {
		err := s.Clone().Apply(action)
		if reason == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, engine.ErrIllegal)
		require.ErrorContains(t, err, reason)
	}
	keep(t, s, 1)
	throw(t, s, 1, 1, 1, 2, 3)
	require.ErrorContains(t, s.Apply(2*0b100000), "only 5 dice were rolled")
	s.Reset()
	throw(t, s, 1, 2, 2, 2, 3, 4)
	require.ErrorContains(t, s.Apply(2*0b10), "a single 2 counts nothing: keep three or more of them, as a group")
	require.ErrorContains(t, s.Apply(2*0b1110+1), "ending the turn takes 300 points in this set, and these dice make 200")
	keep(t, s, 2, 2, 2)
	throw(t, s, 1, 4, 5)
	require.ErrorContains(t, s.Apply(Talheim), "needs a set in which nothing but single dice is kept")
	s.Reset()
	throw(t, s, 1, 1, 1, 1, 1, 1)
	require.ErrorContains(t, s.Apply(127), "when all six dice are kept the turn continues with six new ones")
}

func TestRulesHaveNoKeys(t *testing.T) {
	_, err := New([]byte("players: 4"))
	require.ErrorContains(t, err, "players")
}
