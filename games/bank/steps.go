//go:build !wasip1

package bank

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Text: "A game has ten rounds. Each round begins with an empty bank, and everybody is in it."},
	{Stages: []string{"safe-roll"},
		Text: "Two dice are rolled for all. In rolls 1 to 3 of a round their sum goes into the bank.",
		Dice: []int{2, 6}},
	{Text: "In rolls 1 to 3 a seven is good: it adds 70.", Dice: []int{3, 4}},
	{Text: "From roll 4 on a double doubles the bank; every other sum is added.", Dice: []int{5, 5}},
	{Stages: []string{"roll"},
		Text: "From roll 4 on a seven ends the round, and the bank is lost.", Dice: []int{1, 6}},
	{Stages: []string{"ask"},
		Text: "After each roll everybody who is still in the round is asked: bank or pass. Passing costs nothing " +
			"but the risk."},
	{Stages: []string{"again"},
		Text: "Banking scores the whole bank and ends the round for you. The bank stays for the others, who are " +
			"asked again."},
	{Stages: []string{"over"},
		Text: "The round ends with a seven, or when everybody has banked. The highest total after the last round " +
			"wins; equal totals share the win."},
}
