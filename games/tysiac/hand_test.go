package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// takeContract lets seat 1 win the auction at 100 and take the first musik.
func takeContract(t tester, s *State) {
	t.Helper()
	act(t, s, "bid 100", "pass", "take musik 1")
}

func TestMusikIsShownAndTaken(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "", "", "9♥ 10♥")
	act(t, s, "bid 100", "pass")
	for seat := range seats {
		require.Equal(t, uncovered+18*cards.Count+22, s.Seen(seat, TakeMusik))
	}
	act(t, s, "take musik 1")
	require.Equal(t, 12, s.hands[1].Len())
	require.Equal(t, cards.Of(18)|cards.Of(22), s.hands[1]&s.musiks[0])
	require.Equal(t, cards.Of(18)|cards.Of(22), s.view(0).musik)
}

func TestBombAfterTheMusikOnly(t *testing.T) {
	s := newState(t, "")
	deal(t, s)
	act(t, s, "bid 100", "pass")
	require.NotContains(t, legalNames(s), "bomb")
	act(t, s, "take musik 1")
	require.Equal(t, []string{"bomb", "play on"}, legalNames(s))
	act(t, s, "play on")
	for s.hand == 0 {
		require.NotContains(t, legalNames(s), "bomb", "no bomb after cards are returned")
		act(t, s, legalNames(s)[0])
	}
}

func TestBombKeepsDealerAndScores(t *testing.T) {
	s := newState(t, "")
	deal(t, s)
	takeContract(t, s)
	act(t, s, "bomb")
	require.Equal(t, engine.Chance, s.Player(), "a new shuffle")
	require.Len(t, s.Outcomes(nil), 24)
	require.Equal(t, []int64{0, 0}, s.Scores(nil))
	require.Equal(t, [2]uint8{2, 1}, s.bombs)
	require.EqualValues(t, 1, s.hand, "a bombed hand counts")
	deal(t, s)
	require.Equal(t, 1, s.Player(), "the same dealer")
}

func TestBombLimit(t *testing.T) {
	s := newState(t, "")
	for range 2 {
		deal(t, s)
		takeContract(t, s)
		act(t, s, "bomb")
	}
	deal(t, s)
	takeContract(t, s)
	require.Equal(t, returning, s.phase, "no question where no bomb is left")
	require.ErrorIs(t, s.Apply(Bomb), engine.ErrIllegal)

	s = newState(t, "bombing: {enabled: false}")
	deal(t, s)
	takeContract(t, s)
	require.Equal(t, returning, s.phase)

	s = newHandState(t, "hand: {bombs_left: [0, 1]}")
	deal(t, s)
	takeContract(t, s)
	act(t, s, "bomb")
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []float64{0, 0}, returns(s))
}

func TestReturn(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "", "9♠ A♠ 9♣ A♣ 9♦ A♦ 9♥ J♥ Q♥ K♥", "10♥ A♥")
	takeContract(t, s)
	act(t, s, "play on")
	require.NotContains(t, legalNames(s), "return A♥", "the highest cannot be the lower of two")
	require.Len(t, legalNames(s), 11)
	act(t, s, "return A♦")
	require.Equal(t, []string{"return 9♥", "return J♥", "return Q♥", "return K♥", "return 10♥", "return A♥"},
		legalNames(s))
	require.Equal(t, engine.Hidden, s.Seen(0, Return+18))
	act(t, s, "return 9♥")
	require.Equal(t, 10, s.hands[1].Len())
	require.Equal(t, [2]int16{0, 0}, s.points, "worth nothing to anybody")
	require.Equal(t, announcing, s.phase)
}

func TestContract(t *testing.T) {
	s := newState(t, "contract: {max: 300}")
	deal(t, s)
	act(t, s, "bid 100", "bid 120", "pass", "take musik 1", "play on")
	act(t, s, legalNames(s)[0])
	act(t, s, legalNames(s)[0])
	names := legalNames(s)
	require.Equal(t, "contract 120", names[0])
	require.Equal(t, "contract 300", names[len(names)-1])
	require.Len(t, names, 19)
	act(t, s, "contract 150")
	require.Equal(t, 0, s.Player(), "the declarer leads")
}

// A hand without a choice in its contract still announces it.
func TestForcedContractIsANode(t *testing.T) {
	s := newState(t, "bidding: {max_bid: 100}\ncontract: {max: 100}")
	deal(t, s)
	act(t, s, "bid 100")
	require.Equal(t, []string{"pass"}, legalNames(s))
	act(t, s, "pass", "take musik 1", "play on")
	act(t, s, legalNames(s)[0])
	act(t, s, legalNames(s)[0])
	require.Equal(t, []string{"contract 100"}, legalNames(s))
}

// meldDeal is a deal in which seat 1 leads with the melds of ♠ and ♦, and seat 0 has
// that of ♥.
func meldDeal(t tester, rules string) *State {
	t.Helper()
	s := newState(t, rules)
	deal(t, s, "9♠ 9♣ J♣ 10♣ A♣ 9♦ Q♥ K♥ A♥ 9♥", "Q♠ K♠ A♠ J♠ Q♦ K♦ 10♦ A♦ Q♣ K♣", "J♥ 10♥")
	takeContract(t, s)
	act(t, s, "play on", "return J♥", "return 10♥", "contract 100")
	return s
}

func TestMeldSetsTrumpAtOnceAndLaterOnesChangeIt(t *testing.T) {
	s := meldDeal(t, "")
	act(t, s, "play K♠ and declare 40")
	require.Equal(t, int8(0), s.trump)
	require.Equal(t, int16(40), s.points[1])
	act(t, s, "play 9♠")
	require.Equal(t, int16(40+4), s.points[1])
	require.NotContains(t, legalNames(s), "play Q♠ and declare 40", "a suit is declared once")
	act(t, s, "play Q♦ and declare 80")
	require.Equal(t, int8(2), s.trump)
	act(t, s, "play 9♦")
	require.Equal(t, int16(44+80+3), s.points[1])
}

// Seat 1 declares ♦, seat 0 replies and then declares ♥ as the leader of the next trick.
func TestMeldOverride(t *testing.T) {
	s := meldDeal(t, "")
	act(t, s, "play Q♣ and declare 60", "play A♣")
	require.Equal(t, 0, s.Player())
	require.Equal(t, int16(14), s.points[0])
	require.Equal(t, int16(60), s.points[1], "a meld scores where its card loses the trick")
	act(t, s, "play K♥ and declare 100")
	require.Equal(t, int8(3), s.trump, "the later meld overrides")
	require.Equal(t, int16(114), s.points[0])
	act(t, s, "play K♣")
	require.Equal(t, 0, s.Player(), "♣ is no trump any more")
}

func TestFollowerDeclaresOnlyInItsVariant(t *testing.T) {
	s := meldDeal(t, "")
	act(t, s, "play A♠", "play 9♠", "play K♠ and declare 40")
	require.NotContains(t, legalNames(s), "play K♥ and declare 100")
}

// The variant of the source's test: the follower's meld in the same trick decides it.
func TestMeldOverrideSameTrick(t *testing.T) {
	s := meldDeal(t, "trick_rules: {follower_melds: true}")
	act(t, s, "play A♠")
	require.Equal(t, []string{"play 9♠"}, legalNames(s))
	act(t, s, "play 9♠", "play Q♦ and declare 80", "play 9♦", "play K♠ and declare 40")
	require.Equal(t, []string{"play 9♣", "play J♣", "play 10♣", "play A♣", "play 9♥", "play Q♥", "play K♥", "play A♥",
		"play K♥ and declare 100", "play Q♥ and declare 100"}, legalNames(s))
	act(t, s, "play Q♥ and declare 100")
	require.Equal(t, int8(3), s.trump, "♥ is trump for the trick")
	require.Equal(t, 0, s.Player(), "and takes it")
	require.Equal(t, int16(100+3+4), s.points[0])
}

// Which cards may be played is judged by the trump before the follower's own meld.
func TestFollowerMeldIsJudgedByTheTrumpBefore(t *testing.T) {
	s := newState(t, "trick_rules: {follower_melds: true}")
	deal(t, s, "9♠ J♠ 9♦ J♦ 10♦ A♦ 9♥ J♥ Q♥ K♥", "Q♠ K♠ A♠ 10♠ Q♣ K♣ 9♣ J♣ 10♣ A♣")
	takeContract(t, s)
	act(t, s, "play on", "return Q♦", "return K♦", "contract 100", "play Q♠ and declare 40", "play J♠",
		"play Q♣ and declare 60")
	require.Contains(t, legalNames(s), "play Q♥ and declare 100", "neither ♣ nor a trump in the hand")
	s = newState(t, "trick_rules: {follower_melds: true}")
	deal(t, s, "9♠ J♠ 9♦ J♦ 10♦ A♦ 9♥ J♥ Q♥ K♥", "Q♠ K♠ A♠ 10♠ Q♣ K♣ 9♣ J♣ 10♣ A♣")
	takeContract(t, s)
	act(t, s, "play on", "return Q♦", "return K♦", "contract 100", "play Q♠ and declare 40", "play 9♠", "play 9♣")
	require.Equal(t, []string{"play J♠"}, legalNames(s), "must trump with ♠, so no meld")
}

func TestLastTrickEndsTheHand(t *testing.T) {
	s, rng := newState(t, "bidding: {proof_threshold: 280}\nbombing: {enabled: false}"), engine.NewRNG(4, 0)
	for range 100 {
		s.Reset()
		random(t, s, rng, func() bool { return false })
		require.EqualValues(t, 1, s.dealer, "the dealer alternates")
		require.Equal(t, engine.Chance, s.Player())
	}
}

// All points are somewhere: in tricks, in melds, in the return, or in the hidden musik.
func TestPointsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newHandState(t, rapid.SampledFrom([]string{"",
			"trick_rules: {follower_melds: true, must_overtake: false, must_overtrump: false}"}).Draw(t, "rules"))
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		random(t, s, rng, func() bool { return false })
		if s.contract == 0 || s.hands[0]|s.hands[1] != 0 {
			return
		}
		all := s.played[0] | s.played[1] | s.returned | s.musiks[1-s.taken]
		require.Equal(t, cards.All, all)
		require.Equal(t, 2, s.returned.Len())
		melds := cards.MeldPoints(s.declared[0]) + cards.MeldPoints(s.declared[1])
		lost := s.returned.Points() + s.musiks[1-s.taken].Points()
		require.EqualValues(t, 120-lost+melds, s.points[0]+s.points[1])
		require.Zero(t, s.declared[0]&s.declared[1])
	})
}
