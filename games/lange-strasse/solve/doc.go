// Package solve solves Lange Strasse: the turn exactly, and the money of the game as
// well as a fitted value function allows.
//
// Terms:
//
//   - The turn optimum maximises the expected points of a turn; its dynamic program is
//     [langestrasse.Optimum], next to the bot that plays it. [NewTurnOptimum] makes the same
//     player, which can also tell what each action is worth.
//   - Turn scores are the distribution of what a turn scores under a fixed strategy, see
//     [ScoresOf].
//   - A standing is the game between two turns. [Values] are what each seat will still win
//     from it, in units of 100 ct, if all play for their own money; they are fitted, see
//     [Train]. [NewMoney] makes a player who solves each of its turns exactly for them. In the last
//     round of a game they are not fitted but solved.
//
// [WriteTurn] and [WriteMoney] write solutions to files as tables, and [ReadPlayer] turns them
// back into players.
package solve
