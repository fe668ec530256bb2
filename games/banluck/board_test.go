package banluck

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func viewed(t *testing.T, rules string, eye int, steps ...int) View {
	g, err := New([]byte(rules))
	require.NoError(t, err)
	s := g.NewState()
	for _, step := range steps {
		require.NoError(t, s.Apply(step))
	}
	return g.(engine.Viewed).View(s, eye).(View)
}

func TestView(t *testing.T) {
	// The player: 7, 9, hits a 2. The dealer: 10, 6.
	steps := []int{20, 28, 32, 16, Hit, 0}
	own := viewed(t, "", 0, steps...)
	require.Equal(t, HandView{Cards: []string{"7C", "9C", "2C"}, Total: 18}, own.Hands[0])
	require.Equal(t, HandView{Cards: []string{"?", "?"}}, own.Hands[1])
	require.Equal(t, "you: 7C 9C 2C = 18\ndealer: 2 cards face down\n", own.String())

	dealer := viewed(t, "", 1, append(steps, Stand)...)
	require.Equal(t, []string{"?", "?", "?"}, dealer.Hands[0].Cards, "the dealer sees how many cards")
	require.Equal(t, 16, dealer.Hands[1].Total)
	document, err := json.Marshal(dealer)
	require.NoError(t, err)
	require.NotContains(t, string(document), "7C")

	over := viewed(t, "", engine.Public, append(steps, Stand, Stand)...)
	require.Equal(t, []string{"10C", "6C"}, over.Hands[1].Cards, "all hands lie open at the end")
	require.Equal(t, 1, *over.Hands[0].Result)
	require.Nil(t, over.Hands[1].Result)
}

// A dealer with hard 15 must not learn of a Ban Luck before he has answered, and nobody that he was asked.
func TestViewOfSurrender(t *testing.T) {
	const rules = "players: 2"
	steps := []int{48, 32, 20, 28, 33, 12} // Ban Luck; 7, 9; the dealer has hard 15
	asked := viewed(t, rules, 2, steps...)
	require.Equal(t, []string{"?", "?"}, asked.Hands[0].Cards)
	answered := viewed(t, rules, 2, append(steps, Continue)...)
	require.Equal(t, "Ban Luck", answered.Hands[0].Class)
	require.Equal(t, 2, answered.Hands[0].Pays)
	require.Equal(t, viewed(t, rules, 1, steps...), viewed(t, rules, 1, append(steps, Continue)...))
	require.True(t, viewed(t, rules, 1, append(steps, Surrender)...).Surrendered)
}

// A revealed player is settled before the game is over.
func TestViewOfReveal(t *testing.T) {
	// 7, 7, hits a 7; 10, 9, stands; the dealer has 10 and 6 and reveals.
	v := viewed(t, "players: 2", 1, 20, 21, 32, 28, 33, 16, Hit, 22, Stand, Reveal)
	require.Equal(t, "777", v.Hands[0].Class)
	require.True(t, v.Hands[0].Open)
	require.Equal(t, 7, *v.Hands[0].Result)
	require.Nil(t, v.Hands[1].Result)
	require.False(t, v.Hands[2].Open)
}

// A dealer who may not do something sees the one rule that forbids it.
func TestDealerIsToldTheRule(t *testing.T) {
	for _, test := range []struct {
		rules  string
		action int
		reason string
	}{
		{"", Surrender, "the dealer may surrender only a hard 15, before anybody plays"},
		{"surrender: false", Surrender, "under these rules the dealer may not surrender"},
		{"", Reveal, "no player with three or more cards is left to be revealed"},
		{"reveal: false", Reveal, "under these rules the dealer may not reveal"},
		{"", Continue, "there is no surrender to decline"},
		{"", 9, "the actions are 0 (stand)"},
	} {
		g, err := New([]byte(test.rules))
		require.NoError(t, err)
		s := g.NewState()
		for _, step := range []int{20, 32, 33, 16, Stand} { // 7, 10 stands; the dealer has 10, 6
			require.NoError(t, s.Apply(step))
		}
		require.ErrorContains(t, s.Apply(test.action), test.reason)
	}
}
