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
//   - A standing is the game between two turns. [Values] are what each seat still wins
//     from it, in units of 100 ct, if all play for their own money; they are fitted, see
//     [Train]. [NewMoney] makes a player who solves each of its turns exactly for them.
//
// Tables of solutions go to files with [WriteTurn] and [WriteMoney], and come back as
// players with [ReadPlayer].
package langestrasse
