// Package solve solves Banluck exactly where possible and estimates the rest with intervals.
//
// [HeadsUp] is the game of one player against the dealer on multisets of card values,
// composition by composition and without replacement. From it come the best play
// against a fixed dealer ([HeadsUp.Baseline]) and the equilibrium ([HeadsUp.Equilibrium]),
// each a [Solution] that knows what every choice is worth.
//
// [SolveCrowd] solves the game of several players, each with his own hand and all with one
// strategy, and bounds what a seat could still gain.
//
// Package games/banluck gives a hand's class, total and payment, so every switch of the rules
// takes effect. All results are in units (bets) a hand.
//
// The caller builds one HeadsUp for given rules and solves it; both may be shared.
package solve
