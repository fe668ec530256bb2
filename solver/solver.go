// Package solver computes exact answers, to prove what agents learn.
//
// A small game becomes a [Tree] in sequence form, and a policy on it a [Strategy] (a table of
// probabilities, see [StrategyOf]), whose expected returns, best responses and exploitability
// are exact. [CFR] approaches an equilibrium of a two-player zero-sum game as closely as
// wanted, and [MCCFR] does so by sampling. Games with solvers of their own have them in games/NAME/solve.
//
// Solving takes from milliseconds to seconds: call [SolveTables] once and
// its factory for every policy; the policies share one immutable table.
package solver
