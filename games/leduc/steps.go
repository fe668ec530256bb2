//go:build !wasip1

package leduc

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Text: "Two players, six cards: jack, queen and king, each twice. Suits never decide.",
		Cards: []string{"J", "J", "Q", "Q", "K", "K"}},
	{Stages: []string{"deal"},
		Text:  "Each puts one chip, the ante, into the pot and gets one card, which the other does not see.",
		Cards: []string{"K", ""}},
	{Stages: []string{"first-round"},
		Text: "In the first round a raise is 2 chips. Check or raise; a raise is answered by a fold, a call or " +
			"another raise."},
	{Text: "A round has two raises at most. It ends when a raise is called, or when both have checked."},
	{Stages: []string{"second-round"},
		Text:  "Then a card is laid open for both, and a second round follows in which a raise is 4 chips.",
		Cards: []string{"Q"}},
	{Text: "A card that makes a pair with the open one wins.", Cards: []string{"Q", "Q"}},
	{Stages: []string{"over"},
		Text: "Without a pair the higher card wins; equal cards split the pot.", Cards: []string{"K", "J"}},
}
