//go:build !wasip1

package langestrasse

import "croupier/catalog"

// steps explain the rules to a beginner.
var steps = []catalog.Step{
	{Text: "Three players roll six dice. The game is for 10,000 points, and for money."},
	{Stages: []string{"keep"},
		Text: "Keep at least one die that counts and roll the rest, or stop and write the points down. A single 1 " +
			"counts 100, a single 5 counts 50.",
		Dice: []int{1, 5}},
	{Text: "Three of a face count a hundred times the face, three 1s count 1000. Each further die of that face " +
		"doubles it.",
		Dice: []int{4, 4, 4, 4}},
	{Text: "To stop, the set of six dice must have 300 points, with a die left to roll.", Dice: []int{1, 1, 1}},
	{Text: "When all six dice are kept you continue with six fresh ones, and need 300 again."},
	{Stages: []string{"throw"},
		Text: "A roll in which nothing counts is a strich: the turn is over, and all its points are lost.",
		Dice: []int{2, 3, 4, 6}},
	{Text: "1 to 6 are the Lange Strasse: 1250 points, and 50 cents from each other player. With single 1s and " +
		"5s kept, the last dice may complete it.",
		Dice: []int{1, 2, 3, 4, 5, 6}},
	{Text: "Three pairs are a Talheim: 500 points, 1000 if the faces are neighbours, and the turn ends.",
		Dice: []int{2, 2, 3, 3, 4, 4}},
	{Stages: []string{"over"},
		Text: "The round in which somebody reaches 10,000 is the last. The winner gets 50 cents from the second and " +
			"70 from the third, and more for a quick win; a strich in the first turn costs, and a game without a " +
			"strich pays."},
}
