// Package langestrasse answers Lange Strasse: the turn, exactly, and the money of the
// game, as well as a fitted value function allows.
//
// Terms:
//
//   - The turn optimum makes the most points of a turn on average; its dynamic program
//     is [langestrasse.Optimum], beside the bot that plays it. [NewTurnOptimum] makes the
//     same player able to say what each action is worth.
//   - Turn scores are the distribution of what a turn brings under a fixed way to play,
//     see [ScoresOf].
//
// Tables of solutions go to files with [WriteTurn] and come back as players with
// [ReadPlayer].
package langestrasse
