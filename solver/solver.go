// Package solver computes exact answers, to prove what agents learn.
//
// A small game becomes a [Tree] in sequence form, and a policy on it a [Strategy] (a table of
// probabilities, see [StrategyOf]), whose expected returns, best responses and exploitability
// are exact. [CFR] approaches an equilibrium of a two-player zero-sum game as closely as
// wanted, and [MCCFR] does so by sampling. Games with solvers of their own have them in games/NAME/solve.
//
// A game of perfect information is smaller as the graph of its [Positions], where backward induction
// finds best play, an [Optimum].
//
// Values, returns and exploitabilities are in the game's unit, Spec.Unit; seats count from 0.
//
// Trees are in tree.go, what policies do on them in reader.go and strategy.go, best responses in
// bestresponse.go, CFR in cfr.go and mccfr.go, what drives them in equilibrium.go, positions in
// positions.go and optimum.go, and what commands print in answer.go, measured.go and entries.go.
//
// Solving takes from milliseconds to seconds: call [SolveTables] once and
// its factory for every policy; the policies share one immutable table.
package solver
