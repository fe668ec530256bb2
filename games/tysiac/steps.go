//go:build !wasip1

package tysiac

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = append(DealSteps(), catalog.Step{Text: "The first with 1000 points wins."})

// DealSteps are those about one deal.
func DealSteps() []catalog.Step {
	return []catalog.Step{
		{Text: "24 cards, from the nine up to the ace; the ten is the second highest. The ace counts 11, ten 10, " +
			"king 4, queen 3, jack 2, nine nothing.",
			Cards: []string{"A♠", "10♠", "K♠", "Q♠", "J♠", "9♠"}},
		{Stages: []string{"deal"},
			Text: "Each gets ten cards; two pairs of cards, the musiks, lie face down.", Cards: []string{"", ""}},
		{Stages: []string{"auction"},
			Text: "Bid for the right to play, in tens from 100 on. A player who passes is out. A bid above 120 may be " +
				"challenged: its bidder must show a meld worth what is above 100, or loses the bid."},
		{Stages: []string{"musik", "bomb", "return"},
			Text: "The player takes one musik, which both see, and returns two cards face down. Before that he may " +
				"bomb, twice a game: the deal is dealt again and nobody scores.",
			Cards: []string{"K♥", "9♦"}},
		{Stages: []string{"contract"},
			Text: "Then he names his contract: his bid or more."},
		{Stages: []string{"play"},
			Text: "Follow suit, higher if you can; without the suit, play a trump if you can. The higher trump takes " +
				"the trick, else the higher card of the suit led, and its winner leads.",
			Cards: []string{"10♣", "A♣"}},
		{Text: "Lead the king or queen of a pair to declare a meld. It scores 40 in spades, 60 in clubs, 80 in " +
			"diamonds, 100 in hearts, and its suit is trump at once.",
			Cards: []string{"K♥", "Q♥"}},
		{Stages: []string{"over"},
			Text: "The player with tricks and melds worth the contract scores the contract, else loses it. The other " +
				"scores what he took, rounded up to tens, but nothing from 800 points on."},
	}
}
