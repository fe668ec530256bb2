package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hand reads a hand from its values, in any order.
func hand(t require.TestingT, values string) (h Hand) {
	for _, c := range values {
		h = h.With(valueNamed(t, c))
	}
	return h
}

func valueNamed(t require.TestingT, name rune) int {
	for value, c := range "23456789TA" {
		if c == name {
			return value
		}
	}
	require.Fail(t, "no value", "%c", name)
	return 0
}

func newGame(t require.TestingT, rules string) *Game {
	g, err := New([]byte(rules))
	require.NoError(t, err)
	return g.(*Game)
}

func TestCardValues(t *testing.T) {
	for card, value := range map[int]int{0: 0, 3: 0, 4: 1, 31: 7, 32: Ten, 35: Ten, 36: Ten, 44: Ten, 47: Ten, 48: Ace,
		51: Ace} {
		require.Equal(t, value, CardValue(card), "card %d", card)
	}
}

func TestWorth(t *testing.T) {
	g := newGame(t, "")
	for _, test := range []struct {
		values string
		total  int8
		soft   bool
		class  Class
	}{
		{"AA", 21, true, BanBan},
		{"AT", 21, true, BanLuck},
		{"A9", 20, true, Regular},
		{"A6", 17, true, Regular},
		{"A4", 15, true, Regular},
		{"78", 15, false, Regular},
		{"TT", 20, false, Regular},
		{"AAA", 21, true, Regular},
		{"AAT", 21, true, Regular},
		{"A56", 21, true, Regular},
		{"AT9", 20, false, Regular},
		{"A29", 21, true, Regular},
		{"AA29", 13, false, Regular},
		{"AAAT", 13, false, Regular},
		{"AAAA", 13, true, Regular},
		{"777", 21, false, Sevens},
		{"7772", 23, false, Regular},
		{"23456", 20, false, FiveCard},
		{"22344", 15, false, FiveCard},
		{"2346A", 16, false, FiveCard},
		{"2226A", 13, false, FiveCard},
		{"2223A", 19, true, FiveCard},
		{"33456", 21, false, FiveCard21},
		{"2234T", 21, false, FiveCard21},
		{"TT2", 22, false, Regular},
		{"5678A", 27, false, Regular},
	} {
		require.Equal(t, Worth{test.total, test.soft, test.class}, g.Worth(hand(t, test.values)), test.values)
	}
}

// The source's greedy order makes a bust of 21 hands that the better choice saves.
func TestAcesBestAndGreedy(t *testing.T) {
	best, greedy := newGame(t, ""), newGame(t, "ace: greedy")
	differ := 0
	for h := Hand(1); h < Hands; h++ {
		if h.Count(Ace) > suits {
			continue
		}
		b, g := best.Worth(h), greedy.Worth(h)
		if b == g {
			continue
		}
		differ++
		require.LessOrEqual(t, b.Total, int8(limit), h)
		require.Greater(t, g.Total, int8(limit), h)
	}
	require.Equal(t, 21, differ)
	for values, total := range map[string]int8{"AAAT": 22, "AA29": 22, "AAA": 21, "AA": 21, "A6": 17} {
		require.Equal(t, total, greedy.Worth(hand(t, values)).Total, values)
	}
}

// TestWorthIsTheBestOfAllCounts tries every way to count the aces.
func TestWorthIsTheBestOfAllCounts(t *testing.T) {
	g := newGame(t, "")
	rapid.Check(t, func(t *rapid.T) {
		h := Hand(rapid.IntRange(1, Hands-1).Draw(t, "hand"))
		low, high := 1, 10
		if h.Size() <= 2 {
			low, high = 10, 11
		}
		others := 0
		for value := range Ace {
			others += (value + 2) * h.Count(value)
		}
		best := others + low*h.Count(Ace)
		for aces := range h.Count(Ace) + 1 {
			if total := others + high*aces + low*(h.Count(Ace)-aces); total <= 21 {
				best = max(best, total)
			}
		}
		require.EqualValues(t, best, g.Worth(h).Total, "%s", h)
	})
}

func TestHandsAreMultisets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(0, Values-1), 0, MaxCards).Draw(t, "values")
		shuffled := rapid.Permutation(values).Draw(t, "shuffled")
		var h, again Hand
		for i := range values {
			h, again = h.With(values[i]), again.With(shuffled[i])
		}
		require.Equal(t, h, again)
		require.Equal(t, len(values), h.Size())
		counts := map[int]int{}
		for _, value := range values {
			counts[value]++
		}
		for value := range Values {
			require.Equal(t, counts[value], h.Count(value))
		}
	})
	require.Equal(t, "2-7-T-A", hand(t, "TA72").String())
}

func TestSurrenderable(t *testing.T) {
	g := newGame(t, "")
	for values, want := range map[string]bool{"69": true, "78": true, "5T": true, "A4": false, "555": false,
		"9A5": false, "6T": false} {
		require.Equal(t, want, g.Surrenderable(hand(t, values)), values)
	}
	require.False(t, newGame(t, "surrender: false").Surrenderable(hand(t, "78")))
}

func TestSettle(t *testing.T) {
	for _, test := range []struct {
		name, player, dealer string
		want                 int
	}{
		{"Ban Ban beats Ban Luck", "AA", "AT", 3},
		{"Ban Luck loses to Ban Ban", "AT", "AA", -3},
		{"Ban Luck beats 20", "AT", "TT", 2},
		{"Ban Luck of the dealer collects 2 from a forfeit hand too", "23", "AT", -2},
		{"a bust loses 1", "TT2", "TT", -1},
		{"a bust loses 1 when the dealer busts", "TT2", "TT5", -1},
		{"a bust loses 1 against a bonus", "TT2", "777", -1},
		{"15 loses 1 against a bonus", "78", "777", -1},
		{"five cards with 15 forfeit", "22344", "TT2", -1},
		{"five cards with 15 of the dealer are a five-card", "TT", "22344", -2},
		{"five cards of both, the dealer's with 15", "23456", "22344", 1},
		{"dealer bust pays 1", "9T", "TT2", 1},
		{"dealer bust pays 777", "777", "TT2", 7},
		{"dealer bust pays five cards", "23456", "TT2", 2},
		{"dealer bust pays five cards of 21", "33456", "TT2", 3},
		{"777 beats five cards of 21", "777", "33456", 7},
		{"777 of the dealer beats five cards of 21", "33456", "777", -7},
		{"five cards beat a regular 21", "22345", "T56", 2},
		{"five cards of 21 beat a regular 21", "33456", "T56", 3},
		{"five cards of 21 of the dealer collect 3", "TT", "33456", -3},
		{"five cards of 21 against fewer win 1", "33456", "22345", 1},
		{"777 against 777", "777", "777", 0},
		{"higher total", "T9", "T8", 1},
		{"lower total", "T8", "T83", -1},
		{"equal totals push", "T8", "468", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, newGame(t, "").Settle(hand(t, test.player), hand(t, test.dealer)))
		})
	}
}

// TestSettleIsSymmetric: with a hand that is not forfeited, dealer and player get the
// same from each other.
func TestSettleIsSymmetric(t *testing.T) {
	g := newGame(t, "")
	rapid.Check(t, func(t *rapid.T) {
		kept := rapid.IntRange(11, Hands-1).Filter(func(h int) bool {
			total := g.Worth(Hand(h)).Total
			return total > forfeit && total <= limit
		})
		a, b := Hand(kept.Draw(t, "a")), Hand(kept.Draw(t, "b"))
		require.Equal(t, g.Settle(a, b), -g.Settle(b, a), "%s and %s", a, b)
	})
}

func TestPayoutsAreRules(t *testing.T) {
	g := newGame(t, `payouts: {ban_ban: 11, ban_luck: 12, "777": 13, five_card_21: 14, five_card: 15}`)
	for values, units := range map[string]int{"AA": 11, "AT": 12, "777": 13, "33456": 14, "23456": 15, "T9": 1} {
		require.Equal(t, units, g.Settle(hand(t, values), hand(t, "T8")), values)
	}
}
