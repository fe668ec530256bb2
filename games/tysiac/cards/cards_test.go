package cards

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Cards by name.
const (
	s9, sJ, sQ, sK, s10, sA = 0, 1, 2, 3, 4, 5
	c9, cQ, cK              = 6, 8, 9
	hQ, hK, hA              = 20, 21, 23
)

func set(cards ...int) (s Set) {
	for _, card := range cards {
		s |= Of(card)
	}
	return s
}

func TestDeck(t *testing.T) {
	require.Equal(t, 120, All.Points())
	require.Equal(t, 24, All.Len())
	require.Equal(t, uint8(15), All.Melds())
	require.Equal(t, 280, MeldPoints(15))
	require.Equal(t, "9♠ K♣ 10♦ A♥", set(s9, cK, 16, hA).String())
	require.Equal(t, []int{40, 60, 80, 100}, []int{MeldValue(0), MeldValue(1), MeldValue(2), MeldValue(3)})
}

func TestSetsMatchTheirCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Set(rapid.Uint32Range(0, uint32(All)).Draw(t, "set"))
		points, count, melds := 0, 0, uint8(0)
		for card := range Count {
			if s.Has(card) {
				points += Points(card)
				count++
			}
		}
		for suit := range Suits {
			if s.Has(suit*Ranks+Queen) && s.Has(suit*Ranks+King) {
				melds |= 1 << suit
				require.Equal(t, Meld(suit), s&Meld(suit))
			}
		}
		require.Equal(t, points, s.Points())
		require.Equal(t, count, s.Len())
		require.Equal(t, melds, s.Melds())
	})
}

func TestReplies(t *testing.T) {
	both, none := Rules{MustOvertake: true, MustOvertrump: true}, Rules{}
	hearts := 3
	for _, test := range []struct {
		name       string
		rules      Rules
		hand       Set
		led, trump int
		want       Set
	}{
		{"follow suit", none, set(sJ, sA, cK), sQ, NoTrump, set(sJ, sA)},
		{"follow suit and overtake", both, set(sJ, sK, sA, cK), sQ, NoTrump, set(sK, sA)},
		{"follow suit without a higher card", both, set(s9, sJ, hK), sQ, hearts, set(s9, sJ)},
		{"a trump led is overtaken", both, set(hK, hA, s9), hQ, hearts, set(hK, hA)},
		{"no suit: any card", none, set(cK, hK), sQ, hearts, set(cK, hK)},
		{"no suit: a trump", both, set(cK, hK, hA), sQ, hearts, set(hK, hA)},
		{"no suit, no trump", both, set(cK, c9), sQ, hearts, set(cK, c9)},
		{"no suit, no trump suit", both, set(cK, hK), sQ, NoTrump, set(cK, hK)},
		{"trump led, none held", both, set(cK, s9), hQ, hearts, set(cK, s9)},
		{"overtrump alone does not overtake", Rules{MustOvertrump: true}, set(sJ, sK), sQ, hearts, set(sJ, sK)},
	} {
		require.Equal(t, test.want, test.rules.Replies(test.hand, test.led, test.trump), test.name)
	}
}

func TestTakes(t *testing.T) {
	require.True(t, Takes(sQ, sK, NoTrump))
	require.False(t, Takes(sQ, sJ, NoTrump))
	require.True(t, Takes(sK, s10, NoTrump), "a ten beats a king")
	require.False(t, Takes(s9, hA, NoTrump))
	require.True(t, Takes(sA, hQ, 3))
	require.False(t, Takes(hQ, sA, 3))
	require.False(t, Takes(hK, hQ, 3))
}

// What a reply denies is exactly what would have made the reply impossible.
func TestDeniedCardsWouldForbidTheReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{MustOvertake: rapid.Bool().Draw(t, "overtake"), MustOvertrump: rapid.Bool().Draw(t, "overtrump")}
		card := rapid.IntRange(0, Count-1)
		led, trump := card.Draw(t, "led"), rapid.IntRange(0, NoTrump).Draw(t, "trump")
		reply := card.Filter(func(c int) bool { return c != led }).Draw(t, "reply")
		for other := range Count {
			if other == led || other == reply {
				continue
			}
			possible := rules.Replies(set(reply, other), led, trump).Has(reply)
			require.Equal(t, !possible, rules.Denied(led, reply, trump).Has(other), "%s", Name(other))
		}
	})
}
