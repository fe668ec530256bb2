//go:build !wasip1

package kuhn

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Text: "Two players, three cards: jack, queen and king. The king is the highest.",
		Cards: []string{"J", "Q", "K"}},
	{Stages: []string{"deal"},
		Text:  "Each puts one chip, the ante, into the pot and gets one card, which the other does not see.",
		Cards: []string{"Q", ""}},
	{Stages: []string{"begin"},
		Text: "The first player checks or bets one chip."},
	{Stages: []string{"answer"},
		Text: "A bet is answered: fold and lose the ante, or call with one chip."},
	{Stages: []string{"after-check"},
		Text: "After a check the second player checks or bets, and a bet is answered in the same way."},
	{Stages: []string{"over"},
		Text:  "After a call or two checks both cards are shown, and the higher one wins the pot.",
		Cards: []string{"K", "Q"}},
}
