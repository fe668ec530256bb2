//go:build !wasip1

package bankcards

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Stages: []string{"deal"},
		Text:  "The cards are the numbers 1 to 52. Each player gets five, which nobody else sees.",
		Cards: []string{"7", "18", "23", "39", "51"}},
	{Stages: []string{"turn"},
		Text: "In your turn do one thing: play a card or draw one."},
	{Stages: []string{"empty-pile"},
		Text: "A card may be played if it is higher than the top of the pile. On an empty pile any card may be " +
			"played.",
		Cards: []string{"18", "23"}},
	{Stages: []string{"draw"},
		Text: "Drawing a card ends the turn."},
	{Stages: []string{"empty-deck"},
		Text: "When the deck is empty, the whole pile becomes the new deck. Pass if both are empty."},
	{Stages: []string{"over"},
		Text: "The first without cards wins at once."},
}
