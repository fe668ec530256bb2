//go:build !wasip1

package banluck

import "croupier/catalog"

// steps tell the rules to somebody who sits down for the first time.
var steps = []catalog.Step{
	{Stages: []string{"deal"},
		Text: "Everybody bets against the dealer, one unit or more. All get two cards, which nobody else sees. 21 " +
			"is the goal, and more than 21 is a bust.",
		Cards: []string{"10", "7"}},
	{Text: "Figures count 10. An ace counts 10 or 11 in two cards, and 1 or 10 in three or more.",
		Cards: []string{"K", "A"}},
	{Text: "Two aces are Ban Ban and win 3 units. An ace with a ten or a figure is Ban Luck and wins 2. Both " +
		"settle before anybody draws.",
		Cards: []string{"A", "A"}},
	{Stages: []string{"draw"},
		Text: "Draw as often as you like, up to five cards, or stand. A total of 15 or less loses, and so does a " +
			"bust, even when the dealer is bust.",
		Cards: []string{"8", "4", "6"}},
	{Text: "Three sevens win 7 units; five cards up to 21 win 2, and 3 with exactly 21.",
		Cards: []string{"7", "7", "7"}},
	{Stages: []string{"dealer"},
		Text: "The dealer must draw below 16 and stands from 18 on. With 15 in two cards without an ace he may " +
			"surrender: all bets are returned.",
		Cards: []string{"10", "5"}},
	{Stages: []string{"reveal"},
		Text: "With 16 or 17 the dealer draws, stands, or reveals: all hands with three or more cards are settled " +
			"against his cards as they are, and he decides again.",
		Cards: []string{"10", "6"}},
	{Stages: []string{"over"},
		Text: "At the end the higher class wins, and among ordinary hands the higher total, for the dealer as well. " +
			"Equal hands push."},
}
