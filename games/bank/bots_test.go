package bank

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// choice returns what the named bot of the game does for the seat to move.
func choice(t *testing.T, s *State, name string) int {
	t.Helper()
	bot, err := s.game.Bots().New(name)
	require.NoError(t, err)
	return bot.Choose(s, s.LegalActions(nil), engine.NewRNG(1, 0))
}

func TestThresholdBanksAtTheFirstPollWithThatMuch(t *testing.T) {
	s := newState(t, "")
	apply(t, s, seven)
	require.Equal(t, Bank, choice(t, s, "threshold(70)"))
	require.Equal(t, Pass, choice(t, s, "threshold(71)"))
	require.Equal(t, Pass, choice(t, s, "threshold(70.5)"))
}

func TestRollsBanksAfterThatRoll(t *testing.T) {
	s := newState(t, "")
	for roll := 1; roll <= 5; roll++ {
		apply(t, s, oneTwo)
		require.Equal(t, map[bool]int{true: Bank, false: Pass}[roll >= 4], choice(t, s, "rolls(4)"), "roll %d", roll)
		asked(t, s, Pass, Pass, Pass)
	}
}

func TestLeaderChaser(t *testing.T) {
	for _, test := range []struct {
		name                  string
		roll                  int32
		bank, own, best, left int64
		want                  int
	}{
		{"the next roll cannot bust", 2, 210, 0, 0, 5, Pass},
		{"level, enough", 3, 200, 0, 0, 5, Bank},
		{"level, not enough", 3, 199, 0, 0, 5, Pass},
		{"behind wants its share more", 3, 299, 0, 500, 5, Pass},
		{"behind, and has it", 3, 300, 0, 500, 5, Bank},
		{"ahead wants less", 3, 100, 500, 0, 5, Bank},
		{"ahead, but wants the least", 3, 74, 5000, 0, 5, Pass},
		{"last round, not enough to lead", 3, 300, 0, 300, 1, Pass},
		{"last round, enough", 3, 500, 0, 300, 1, Bank},
	} {
		s := newState(t, "players: 2")
		s.roll, s.bank, s.player, s.dice = test.roll, test.bank, 0, uint8(fiveSix)
		s.asking = s.active
		s.totals[0], s.totals[1] = test.own, test.best
		s.round = int32(10 - test.left)
		require.Equal(t, test.want, choice(t, s, "leader-chaser"), test.name)
	}
}

func TestBotNames(t *testing.T) {
	g := newState(t, "").game
	for _, name := range []string{"threshold", "threshold(1,2)", "rolls(x)", "leader-chaser(3)", "nobody", "", "random"} {
		_, err := g.Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}
