package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// A hand that wins every trick, with the cards of spades and hearts, against one that
// has all of diamonds and most of clubs.
func TestFigures(t *testing.T) {
	const kingOfSpades, kingOfHearts = Declare, Declare + 2*3
	for _, test := range []struct {
		declares  []int
		made      float64 // of a contract for 200; without the hearts the hand makes 156
		declared  float64
		different string
	}{
		{[]int{kingOfSpades}, 0, 1, "one meld"},
		{[]int{kingOfSpades, kingOfHearts}, 1, 2, "both melds"},
	} {
		s := newHandState(t, "hand: {dealer: 1}")
		deal(t, s, "9♠ J♠ Q♠ K♠ 10♠ A♠ Q♥ K♥ 10♥ A♥", "Q♣ K♣ 10♣ A♣ 9♦ J♦ Q♦ K♦ 10♦ A♦", "9♣ J♣")
		sums := engine.NewSums(s.game.Spec())
		measured := func(step int) {
			s.MeasureStep(step, sums)
			require.NoError(t, s.Apply(step), test.different)
		}
		for _, name := range []string{"bid 100", "pass", "take musik 1", "play on", "return 9♣", "return J♣",
			"contract 200"} {
			step, ok := find(s, name)
			require.True(t, ok, name)
			measured(step)
		}
		for declares := test.declares; s.Player() != engine.Terminal; {
			step := s.LegalActions(nil)[0]
			if s.Player() == 0 && len(declares) > 0 {
				step, declares = declares[0], declares[1:]
			}
			measured(step)
		}
		s.MeasureEnd(sums)
		require.Equal(t, []engine.Sum{
			contractSuccess: {Value: test.made, Weight: 1},
			meanContract:    {Value: 200, Weight: 1},
			bombsUsed:       {Value: 0, Weight: 1},
			bombWorth:       {},
			meldsDeclared:   {Value: test.declared, Weight: 2},
			returnPoints:    {Value: 2, Weight: 1},
		}, sums.Of(0), test.different)
		require.Equal(t, []engine.Sum{bombsUsed: {Weight: 1}, bombWorth: {}, meldsDeclared: {Weight: 2}, returnPoints: {}},
			sums.Of(1), test.different)
		require.Equal(t, test.made == 1, s.Scores(nil)[0] == 200, "the score says the same")
	}
}

func TestFigureOfBombs(t *testing.T) {
	for _, test := range []struct {
		hand, musik string
		lowest      float64
		highest     float64
	}{
		{"9♠ J♠ 9♣ J♣ 9♦ J♦ 9♥ J♥ Q♠ Q♣", "Q♦ 10♥", -180, -120}, // a contract that is lost
		{"9♠ J♠ Q♠ K♠ 10♠ A♠ Q♥ K♥ 10♥ A♥", "9♣ J♣", 120, 250},  // one that is not
	} {
		s := newHandState(t, "hand: {dealer: 1}")
		deal(t, s, test.hand, "", test.musik)
		act(t, s, "bid 100", "pass", "take musik 1")
		sums := engine.NewSums(s.game.Spec())
		s.MeasureStep(Bomb, sums)
		worth := sums.Of(0)[bombWorth]
		require.Equal(t, 1.0, worth.Weight)
		require.Greater(t, worth.Value, test.lowest)
		require.Less(t, worth.Value, test.highest)
		act(t, s, "bomb")
		s.MeasureEnd(sums)
		require.Equal(t, engine.Sum{Value: 1, Weight: 1}, sums.Of(0)[bombsUsed])
		require.Equal(t, engine.Sum{Weight: 1}, sums.Of(1)[bombsUsed])
	}
}

// The estimates are those of the heuristic bot's games, for weak, middling and strong
// hands and for forehand before the deal.
func TestExpectedLeads(t *testing.T) {
	const hands, tolerance = 2000, 20 // the standard error is about 4, the fit is off by up to 15
	s := newHandState(t, "bombing: {enabled: false}")
	bot, err := s.game.Bots().New("heuristic")
	require.NoError(t, err)
	var expected, actual [3]engine.Sum // by strength
	lead, returns := engine.Sum{}, make([]float64, seats)
	for seed := range uint64(hands) {
		rng := engine.NewRNG(seed, 0)
		class, playing := 0, int8(0)
		for s.Reset(); s.Player() != engine.Terminal; {
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			if s.phase == returning && s.returned == 0 {
				_, _, worth := bestReturn(s.hands[s.playing])
				class, playing = min(max(0, (worth-s.standing())/30), 2), s.playing
				if worth < s.standing() {
					class = 0
				}
				expected[class].Add(engine.Sum{Value: s.playingOn(), Weight: 1})
			}
			require.NoError(t, s.Apply(bot.Choose(s, s.LegalActions(nil), rng)))
		}
		s.Returns(returns)
		actual[class].Add(engine.Sum{Value: handUnit * returns[playing], Weight: 1})
		lead.Add(engine.Sum{Value: handUnit * returns[1-s.dealer], Weight: 1})
	}
	for class := range expected {
		require.Greater(t, actual[class].Weight, hands/10.0)
		require.InDelta(t, actual[class].Value/actual[class].Weight, expected[class].Value/expected[class].Weight,
			tolerance, "class %d", class)
	}
	require.InDelta(t, forehandsLead, lead.Value/lead.Weight, tolerance)
}
