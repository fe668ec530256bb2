//go:build !wasip1

package pig

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Text: "Two players take turns. The first with 100 points wins."},
	{Stages: []string{"begin", "roll"},
		Text: "In your turn roll one die as often as you like. What it shows is added to the points of the turn.",
		Dice: []int{4, 6, 3}},
	{Text: "A 1 ends the turn, and the points of the turn are lost.", Dice: []int{1}},
	{Stages: []string{"choose"},
		Text: "Hold to end the turn and keep its points. They can never be lost again."},
	{Stages: []string{"over"},
		Text: "You win when you hold with 100 or more in all."},
}
