package tysiac

import (
	"strings"
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
		tricks    float64 // sum of the numbers of the tricks with a declaration
		different string
	}{
		{[]int{kingOfSpades}, 0, 1, 2, "one meld"},
		{[]int{kingOfSpades, kingOfHearts}, 1, 2, 2 + 3, "both melds"},
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
			if s.Player() == 0 && s.hands[0].Len() < handCards && len(declares) > 0 { // from the second trick on
				step, declares = declares[0], declares[1:]
			}
			measured(step)
		}
		s.MeasureEnd(sums)
		points := 400*test.made - 200
		require.Equal(t, []engine.Sum{
			finalScore:      {Value: points, Weight: 1},
			winsForehand:    {Value: test.made, Weight: 1},
			pointsForehand:  {Value: points, Weight: 1},
			contractSuccess: {Value: test.made, Weight: 1},
			contractHighest: {Value: test.made, Weight: 1},
			meanContract:    {Value: 200, Weight: 1},
			bombsUsed:       {Value: 0, Weight: 1},
			meldsDeclared:   {Value: test.declared, Weight: 2},
			meldTrick:       {Value: test.tricks, Weight: test.declared},
			returnPoints:    {Value: 2, Weight: 1},
		}, sums.Of(0), test.different)
		require.Equal(t, []engine.Sum{
			finalScore: {Value: 0, Weight: 1}, winsDealer: {Value: 1 - test.made, Weight: 1},
			pointsDealer: {Value: 0, Weight: 1}, bombsUsed: {Weight: 1}, meldsDeclared: {Weight: 2}, returnPoints: {},
		}, sums.Of(1), test.different)
		require.Equal(t, test.made == 1, s.Scores(nil)[0] == 200, "the score says the same")
	}
}

func TestFigureOfBombs(t *testing.T) {
	for _, test := range []struct {
		hand, musik    string
		lowest         float64
		highest        float64
		escape, wasted float64
	}{
		{"9♠ J♠ 9♣ J♣ 9♦ J♦ 9♥ J♥ Q♠ Q♣", "Q♦ 10♥", -180, -120, 1, 0}, // a contract that is lost
		{"9♠ J♠ Q♠ K♠ 10♠ A♠ Q♥ K♥ 10♥ A♥", "9♣ J♣", 120, 250, 0, 1},  // one that is not
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
		require.Equal(t, engine.Sum{Value: test.escape, Weight: 1}, sums.Of(0)[bombEscapes])
		require.Equal(t, engine.Sum{Value: test.wasted, Weight: 1}, sums.Of(0)[bombsWasted])
		require.Equal(t, engine.Sum{Value: 0, Weight: 1}, sums.Of(0)[pointsForehand], "a bombed hand scores nothing")
		act(t, s, "bomb")
		s.MeasureEnd(sums)
		require.Equal(t, engine.Sum{Value: 1, Weight: 1}, sums.Of(0)[bombsUsed])
		require.Equal(t, engine.Sum{Weight: 1}, sums.Of(1)[bombsUsed])
	}
}

// A failed proof costs the bid, in a hand without a contract; a passed-out hand counts as well,
// and a proof that is shown ends nothing.
func TestFiguresByPosition(t *testing.T) {
	for _, test := range []struct {
		rules, steps string
		dealer       float64 // points
		hands        float64
	}{
		{"hand: {dealer: 0}", "bid 100,bid 130,challenge", -130, 1},
		{"hand: {dealer: 0}", "bid 100,bid 110,bid 130,challenge", 0, 0},
		{"hand: {dealer: 0}\nbidding: {all_pass: redeal}", "pass,pass", 0, 1},
		{"hand: {dealer: 0}\nbidding: {all_pass: forehand_plays}", "pass,pass", 0, 0},
		{"hand: {dealer: 0}", "bid 100,pass", 0, 0},
	} {
		s := newHandState(t, test.rules)
		deal(t, s, "9♠ J♠ 9♣ J♣ 9♦ J♦ 9♥ J♥ Q♠ Q♣", "10♠ A♠ K♠ K♣ 10♣ A♣ Q♦ K♦ 10♦ A♦", "Q♥ K♥")
		sums := engine.NewSums(s.game.Spec())
		for name := range strings.SplitSeq(test.steps, ",") {
			step, ok := find(s, name)
			require.True(t, ok, name)
			s.MeasureStep(step, sums)
			require.NoError(t, s.Apply(step))
		}
		require.Equal(t, engine.Sum{Value: test.dealer, Weight: test.hands}, sums.Of(0)[pointsDealer], test.steps)
		require.Equal(t, engine.Sum{Value: 0, Weight: test.hands}, sums.Of(1)[pointsForehand], test.steps)
		require.Zero(t, sums.Of(1)[contractSuccess])
	}
}

// A draw is half a win, and the first dealer of a game is seat 0, whichever seat deals last.
func TestFigureOfWins(t *testing.T) {
	g, err := New([]byte("game: {max_hands: 3}"))
	require.NoError(t, err)
	s := g.NewState().(*State)
	for _, test := range []struct {
		scores       [seats]int32
		dealer, fore float64
	}{
		{[seats]int32{120, 90}, 1, 0}, {[seats]int32{-120, 90}, 0, 1}, {[seats]int32{50, 50}, 0.5, 0.5},
	} {
		s.phase, s.dealer, s.scores = over, 1, test.scores
		sums := engine.NewSums(g.Spec())
		s.MeasureEnd(sums)
		require.Equal(t, engine.Sum{Value: test.dealer, Weight: 1}, sums.Of(0)[winsDealer])
		require.Equal(t, engine.Sum{Value: test.fore, Weight: 1}, sums.Of(1)[winsForehand])
		require.Equal(t, engine.Sum{Value: float64(test.scores[1]), Weight: 1}, sums.Of(1)[finalScore])
		require.Zero(t, sums.Of(0)[winsForehand])
	}
}

func TestFiguresOfContractsByHeight(t *testing.T) {
	for contract, figure := range map[int]int{
		100: contractLowest, 120: contractLowest, 130: contractMiddle, 160: contractMiddle, 170: contractHighest,
		400: contractHighest,
	} {
		require.Equal(t, figure, contractFigure(contract), contract)
	}
}

// Steps are measured without allocation, also those that end a hand.
func TestMeasuringDoesNotAllocate(t *testing.T) {
	s := newHandState(t, "hand: {dealer: 0}")
	deal(t, s, "9♠ J♠ 9♣ J♣ 9♦ J♦ 9♥ J♥ Q♠ Q♣", "10♠ A♠ K♠ K♣ 10♣ A♣ Q♦ K♦ 10♦ A♦", "Q♥ K♥")
	act(t, s, "bid 100", "bid 130")
	sums := engine.NewSums(s.game.Spec())
	require.Zero(t, testing.AllocsPerRun(100, func() { s.MeasureStep(Challenge, sums) }))
	require.NoError(t, s.Apply(Challenge))
	require.Zero(t, testing.AllocsPerRun(100, func() { s.MeasureEnd(sums) }))
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
				lead, _ := s.playingOn()
				expected[class].Add(engine.Sum{Value: lead, Weight: 1})
			}
			require.NoError(t, s.Apply(bot.Choose(s, s.LegalActions(nil), rng)))
		}
		s.Returns(returns)
		actual[class].Add(engine.Sum{Value: returns[playing], Weight: 1})
		lead.Add(engine.Sum{Value: returns[1-s.dealer], Weight: 1})
	}
	for class := range expected {
		require.Greater(t, actual[class].Weight, hands/10.0)
		require.InDelta(t, actual[class].Value/actual[class].Weight, expected[class].Value/expected[class].Weight,
			tolerance, "class %d", class)
	}
	require.InDelta(t, forehandsLead, lead.Value/lead.Weight, tolerance)
}
