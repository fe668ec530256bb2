package tysiac

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func seen(s *State, eye int) View { return s.game.View(s, eye).(View) }

// In the auction a seat sees the highest bid that its own dearest meld proves, and not the
// other's.
func TestViewOfTheAuction(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "9♠ Q♦ A♦", "Q♠ K♠ Q♣ K♣ 9♦ J♦ K♦ 10♦ 10♥ A♥")
	act(t, s, "bid 100", "bid 150")
	v := seen(s, 1)
	require.Equal(t, []Call{{1, "bid", 100, ""}, {0, "bid", 150, ""}}, v.Auction.Calls)
	require.Equal(t, 150, v.Auction.Bid)
	require.Equal(t, 0, v.Auction.Bidder)
	require.Equal(t, 160, v.Seats[1].Provable)
	require.Zero(t, v.Seats[0].Provable)
	require.Empty(t, v.Seats[0].Held)
	require.Equal(t, 10, v.Seats[0].Cards)
	require.Equal(t, 120, seen(s, engine.Everything).Seats[0].Provable, "no meld: what needs no proof")
	require.Equal(t, Rung{100, bidAction(100)}, v.Auction.Rungs[0])
	require.Len(t, v.Auction.Rungs, 19)
	require.Contains(t, v.String(), "Auction: You bid 100, The other bid 150, you can prove bids up to 160.")

	act(t, s, "challenge")
	require.Equal(t, &HandView{Hand: 1, End: "unproved", Player: 0, Contract: 150, Change: [2]int{-150, 0}},
		seen(s, engine.Public).Ended)
	require.True(t, strings.HasPrefix(seen(s, 1).String(),
		"Hand 1: the other bid 150 without the meld to prove it. The other -150, you +0.\nHand 2, You deal: the cards are dealt.\n"),
		seen(s, 1))
}

// In the play the own cards tell which actions they stand for, and the tricks who has won them.
func TestViewOfThePlay(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "10♠ K♥ Q♥ J♥ 9♥ K♦ Q♦ J♦ 9♦ 9♣", "9♠ J♠ Q♠ K♠ A♠ Q♣ K♣ A♣ A♥ A♦")
	act(t, s, "bid 100", "pass", "take musik 1", "play on", "return J♣")
	require.Equal(t, 1, seen(s, 0).Seats[1].Returns)
	require.Empty(t, seen(s, 0).Seats[1].Returned)
	require.Equal(t, []string{"J♣"}, seen(s, 1).Seats[1].Returned)
	require.Equal(t, HeldCard{Card: "Q♣", Action: Return + 8}, seen(s, 1).Seats[1].Held[5])
	act(t, s, "return 10♣")
	require.Equal(t, Rung{100, Announce}, seen(s, 1).Contracts[0])
	act(t, s, "contract 120", "play Q♠ and declare 40")
	mine := seen(s, 0)
	require.Equal(t, []PlayedCard{{1, "Q♠", 40}}, mine.Trick)
	require.Equal(t, "♠", mine.Trump)
	require.Equal(t, HeldCard{Card: "Q♥", Action: Play + 20, Declare: Declare + 7}, mine.Seats[0].Held[8])
	act(t, s, "play 10♠")
	mine = seen(s, 0)
	require.Equal(t, []TrickView{{Cards: [2]PlayedCard{{1, "Q♠", 40}, {0, "10♠", 0}}, Winner: 0, Points: 13, Trump: "♠"}},
		mine.Tricks)
	require.Empty(t, mine.Trick)
	require.Equal(t, `Hand 1, You deal: play, your turn.
You: 0 points, 2 bombs left.
The other: 0 points, 2 bombs left.
Auction: The other bid 100, You passed.
The other took musik 1: J♣ 10♣.
Contract of 120, the other to make it, trump ♠. This hand: you 13, the other 40 (declared ♠).
Last trick: Q♠ (declared 40), 10♠, You won.
Your hand: 9♣ 9♦ J♦ Q♦ K♦ 9♥ J♥ Q♥ K♥
The other's hand: 9 cards
`, mine.String())
	require.Contains(t, seen(s, engine.Public).String(), "Seat 2's hand: 9 cards")
	require.Contains(t, seen(s, engine.Everything).String(), "Seat 2's hand: 9♠")
}

// A hand that was played is summed up after it, and after the end of the game.
func TestViewTellsHowTheLastHandEnded(t *testing.T) {
	s := newHandState(t, "")
	rng := engine.NewRNG(3, 0)
	dealAnyhow(t, s, rng)
	takeContract(t, s)
	act(t, s, "play on")
	random(t, s, rng, func() bool { return false })
	require.Equal(t, engine.Terminal, s.Player())
	v := seen(s, 0)
	require.Equal(t, "over", v.Phase)
	require.Equal(t, 1, v.Hand)
	require.Equal(t, "played", v.Ended.End)
	require.Len(t, v.Tricks, tricks)
	for seat := range seats {
		require.Equal(t, v.Seats[seat].Score, v.Ended.Change[seat])
		require.Equal(t, v.Seats[seat].Points, v.Ended.Points[seat])
	}
	require.Contains(t, v.String(), "The game is over after hand 1.")
}
