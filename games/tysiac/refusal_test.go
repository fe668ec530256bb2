package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// requireReason makes an impossible step and requires the sentence that reports why.
func requireReason(t *testing.T, s *State, step int, reason string) {
	t.Helper()
	var illegal *engine.IllegalError
	require.ErrorAs(t, s.Apply(step), &illegal)
	require.Equal(t, reason, illegal.Reason)
}

func cardNamed(t *testing.T, name string) int { return cardsOf(t, name)[0] }

func TestWhyABidIsRefused(t *testing.T) {
	s := newState(t, "{bidding: {increment: 20, max_bid: 200}}")
	requireReason(t, s, 30, "the cards are 0 to 23")
	deal(t, s)
	requireReason(t, s, Challenge, "there is no bid to challenge")
	requireReason(t, s, bidAction(120), "the opening bid is 100")
	requireReason(t, s, Play, "it is the auction: you bid, pass or challenge")
	act(t, s, "bid 100")
	requireReason(t, s, bidAction(100), "a bid must be higher than the standing one of 100")
	requireReason(t, s, bidAction(110), "bids rise in steps of 20")
	requireReason(t, s, bidAction(220), "the highest bid is 200")
	requireReason(t, s, Challenge, "bids up to 120 need no proof")

	s = newState(t, "{bidding: {jump_bids: false}}")
	deal(t, s, "", "Q♣ K♣")
	act(t, s, "bid 100")
	requireReason(t, s, bidAction(120), "the next bid is 110, no bid may be skipped")
	act(t, s, "bid 110", "bid 120", "bid 130")
	requireReason(t, s, TakeMusik, "it is the auction: you bid, pass or challenge")
}

func TestWhyAStepBeforeThePlayIsRefused(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "", "9♠ J♠ Q♠ K♠ 10♠ A♠ Q♣ K♣ 9♥ A♥", "10♣ A♣")
	act(t, s, "bid 100", "bid 110", "bid 130", "challenge")
	requireReason(t, s, Challenge, "the standing bid was challenged and proved already")
	act(t, s, "pass")
	requireReason(t, s, Bomb, "you take one of the two musiks first")
	act(t, s, "take musik 1")
	requireReason(t, s, Return, "you bomb or play on first")
	act(t, s, "play on")
	requireReason(t, s, Announce, "you return two cards first")
	requireReason(t, s, Return+cardNamed(t, "9♦"), "you do not hold the 9♦")
	requireReason(t, s, Return+cardNamed(t, "A♥"),
		"the lower of the two cards is returned first, and no card of yours is higher than the A♥")
	act(t, s, "return J♠")
	requireReason(t, s, Return+cardNamed(t, "J♠"), "you have returned the J♠ already")
	requireReason(t, s, Return+cardNamed(t, "9♠"),
		"the lower of the two cards is returned first, and you began with the J♠")
	act(t, s, "return 9♥")
	requireReason(t, s, Play, "you announce a contract first")
	requireReason(t, s, Announce, "the contract must be at least your bid of 130")

	s = newState(t, "{contract: {max: 280}}")
	deal(t, s)
	act(t, s, "bid 100", "pass", "take musik 1", "play on")
	act(t, s, legalNames(s)[0])
	act(t, s, legalNames(s)[0])
	requireReason(t, s, Announce+30, "the highest contract is 280")
}

func TestWhyACardIsRefused(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "10♠ K♥ Q♥ J♥ 9♥ K♦ Q♦ J♦ 9♦ 9♣", "9♠ J♠ Q♠ K♠ A♠ Q♣ K♣ A♣ A♥ A♦")
	act(t, s, "bid 100", "pass", "take musik 1", "play on", "return J♣", "return 10♣", "contract 100")
	requireReason(t, s, Challenge, "the hand is in play: you play a card")
	requireReason(t, s, Play+cardNamed(t, "9♥"), "you do not hold the 9♥")
	requireReason(t, s, declaration(cardNamed(t, "K♥")), "you do not hold the K♥")
	act(t, s, "play Q♠ and declare 40")
	requireReason(t, s, Play+cardNamed(t, "9♥"), "you hold a spade and must follow")
	act(t, s, "play 10♠")
	requireReason(t, s, Play+cardNamed(t, "9♠"), "you do not hold the 9♠")
	act(t, s, "play J♥")
	require.NotContains(t, legalNames(s), "play 9♠")
	act(t, s, "play A♥", "play A♣", "play 9♣", "play Q♣")
	require.Equal(t, 0, s.Player())
}

// A bid, a suit and a meld decide what may be replied.
func TestWhyAReplyIsRefused(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "9♠ A♠ K♥ Q♥ 9♥ 10♦ K♦ Q♦ J♦ 9♦", "J♠ Q♠ K♠ 9♣ J♣ Q♣ K♣ 10♣ A♣ A♥", "10♠ J♥")
	act(t, s, "bid 100", "pass", "take musik 1", "play on", "return 9♣", "return J♥", "contract 100", "play J♠")
	requireReason(t, s, Play+cardNamed(t, "9♠"), "you hold a spade that beats the J♠, and must beat it")
	requireReason(t, s, declaration(cardNamed(t, "K♥")), "you hold a spade and must follow")
	act(t, s, "play A♠", "play K♥ and declare 100", "play A♥", "play A♣")
	requireReason(t, s, Play+cardNamed(t, "9♦"), "you hold no club but a heart, which is trump, and must trump")
	requireReason(t, s, declaration(cardNamed(t, "Q♥")), "only the holder of king and queen of ♥ can declare them")

	s = newState(t, "")
	deal(t, s, "K♠ Q♠ 9♠", "J♠ A♠", "10♠")
	act(t, s, "bid 100", "pass", "take musik 1", "play on", "return 9♥", "return J♥", "contract 100", "play J♠")
	require.Equal(t, cards.NoTrump, int(s.trump))
	requireReason(t, s, declaration(cardNamed(t, "K♠")), "only the player who leads a trick may declare a meld")
}
