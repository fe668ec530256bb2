package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestDeal(t *testing.T) {
	s := newState(t, "")
	for step := range 24 {
		require.Equal(t, engine.Chance, s.Player())
		outcomes := s.Outcomes(nil)
		require.Len(t, outcomes, 24-step)
		require.InDelta(t, 1/float64(24-step), outcomes[0].Probability, 1e-12)
		require.ErrorIs(t, s.Apply(24-step), engine.ErrIllegal, "dealt already, or no card")
		require.NoError(t, s.Apply(23-step))
	}
	require.Equal(t, "Q♦ K♦ 10♦ A♦ 9♥ J♥ Q♥ K♥ 10♥ A♥", s.hands[0].String())
	require.Equal(t, 10, s.hands[1].Len())
	require.Equal(t, "Q♠ K♠", s.musiks[0].String())
	require.Equal(t, "9♠ J♠", s.musiks[1].String())
	require.Equal(t, 1, s.Player(), "seat 0 deals the first hand, forehand speaks first")
}

func TestBids(t *testing.T) {
	s := newState(t, "bidding: {max_bid: 140}")
	deal(t, s)
	require.Equal(t, []string{"pass", "bid 100"}, legalNames(s), "the opening bid is the start bid")
	act(t, s, "bid 100")
	require.Equal(t, []string{"pass", "bid 110", "bid 120", "bid 130", "bid 140"}, legalNames(s))
	act(t, s, "bid 120", "bid 140")
	require.Equal(t, []string{"pass", "challenge"}, legalNames(s), "nothing above max_bid")
	act(t, s, "pass")
	require.Equal(t, 1, s.Player(), "who did not pass has the contract")
	require.Equal(t, []string{"take musik 1", "take musik 2"}, legalNames(s))
}

func TestBidsInSingleSteps(t *testing.T) {
	s := newState(t, "bidding: {start_bid: 120, increment: 30, jump_bids: false, proof_threshold: 280}")
	deal(t, s)
	require.Equal(t, []string{"pass", "bid 120"}, legalNames(s))
	act(t, s, "bid 120")
	require.Equal(t, []string{"pass", "bid 150"}, legalNames(s))
}

func TestDealerMayOpenAfterForehandPassed(t *testing.T) {
	s := newState(t, "")
	deal(t, s)
	act(t, s, "pass")
	require.Equal(t, []string{"pass", "bid 100"}, legalNames(s))
	act(t, s, "bid 100")
	require.Equal(t, 0, s.Player(), "forehand is out")
	require.Equal(t, takingMusik, s.phase)
}

func TestBothPass(t *testing.T) {
	s := newState(t, "")
	deal(t, s)
	act(t, s, "pass", "pass")
	require.Equal(t, 1, s.Player())
	act(t, s, "take musik 2", "play on", "return 9♦", "return J♦", "contract 100")

	s = newState(t, "bidding: {all_pass: redeal}")
	deal(t, s)
	act(t, s, "pass", "pass")
	require.Equal(t, engine.Chance, s.Player())
	require.EqualValues(t, 1, s.hand, "the deal counts as a hand")
	deal(t, s)
	require.Equal(t, 0, s.Player(), "the other player deals")

	s = newHandState(t, "bidding: {all_pass: redeal}")
	deal(t, s)
	act(t, s, "pass", "pass")
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []int64{0, 0}, s.Scores(nil))
}

// A bid of 130 with king and queen of ♣ (60) holds: 130 - 100 is at most 60.
func TestProofExactlyAtThreshold(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "9♥", "Q♣ K♣ Q♦ K♦")
	act(t, s, "bid 100", "bid 110", "bid 130", "challenge")
	require.Equal(t, 0, s.Player(), "the challenger then bids or passes")
	require.Equal(t, [2]uint8{0, 2}, s.shown, "the cheapest meld is shown: ♣")
	require.NotContains(t, legalNames(s), "challenge", "once for each standing bid")
	require.Contains(t, legalNames(s), "bid 140")
	act(t, s, "bid 140")
	require.Contains(t, legalNames(s), "challenge", "a new standing bid")
	act(t, s, "pass", "take musik 1")
	require.Equal(t, int8(4), s.trump, "a proof sets no trump")
	require.Equal(t, [2]int16{0, 0}, s.points, "and scores nothing")
}

func TestProofOfNothingLosesTheBid(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "Q♠ Q♣ Q♦ Q♥")
	act(t, s, "bid 100", "bid 110", "bid 130", "challenge")
	require.Equal(t, []int64{0, -130}, s.Scores(nil), "the other scores nothing")
	require.Equal(t, engine.Chance, s.Player())
	require.EqualValues(t, 1, s.dealer, "the deal moves on")
}

func TestProofNeedsOneMeldThatIsDearEnough(t *testing.T) {
	for _, test := range []struct {
		bid         string
		other, hand string
		holds       bool
	}{
		{"bid 130", "Q♣ Q♦ Q♥", "Q♠ K♠", true},
		{"bid 140", "Q♣ Q♦ Q♥", "Q♠ K♠", true},
		{"bid 150", "Q♣ Q♦ Q♥", "Q♠ K♠", false},
		{"bid 180", "Q♣ Q♥", "Q♠ K♠ Q♦ K♦", true},
		{"bid 190", "Q♥", "Q♠ K♠ Q♣ K♣ Q♦ K♦", false},
		{"bid 200", "Q♠ Q♣ Q♦", "Q♥ K♥", true},
		{"bid 210", "", "Q♠ K♠ Q♣ K♣ Q♦ K♦ Q♥ K♥", false},
	} {
		s := newState(t, "")
		deal(t, s, test.other, test.hand)
		act(t, s, "bid 100", "bid 110", test.bid, "challenge")
		require.Equal(t, test.holds, s.hand == 0, "%s with %s", test.bid, test.hand)
	}
}

func TestNoChallengeAtOrBelowTheThreshold(t *testing.T) {
	s := newState(t, "")
	deal(t, s)
	act(t, s, "bid 100", "bid 110", "bid 120")
	require.NotContains(t, legalNames(s), "challenge")
	act(t, s, "bid 130")
	require.Contains(t, legalNames(s), "challenge")
}

// Challenges end with the auction: none is legal at any later node.
func TestChallengeTiming(t *testing.T) {
	s, rng := newState(t, ""), engine.NewRNG(1, 0)
	for range 20000 {
		if s.Player() == engine.Terminal {
			s.Reset()
		}
		if s.phase != auction && s.Player() != engine.Chance {
			require.NotContains(t, s.LegalActions(nil), Challenge)
			require.ErrorIs(t, s.Apply(Challenge), engine.ErrIllegal)
		}
		step := 0
		if s.Player() == engine.Chance {
			step = s.SampleChance(rng)
		} else {
			legal := s.LegalActions(nil)
			step = legal[rng.IntN(len(legal))]
		}
		require.NoError(t, s.Apply(step))
	}
}
