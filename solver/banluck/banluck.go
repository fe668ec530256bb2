// Package banluck solves Banluck exactly where that is possible, and estimates the rest
// with intervals.
//
// [HeadsUp] is the game of one player against the dealer on multisets of card values,
// composition by composition and without replacement. From it come the best play
// against a fixed dealer ([HeadsUp.Baseline]) and the equilibrium ([HeadsUp.Equilibrium]),
// each a [Solution] that knows what every choice is worth.
//
// A hand's class, total and payment are asked of package engine/banluck, so that every
// switch of the rules is honoured. All results are in units (bets) a hand.
//
// The caller builds one HeadsUp for given rules, solves it, and may share both.
package banluck
