// Package sweep compares settings of training by experiment: it trains every candidate on the same seeds
// for the same processor time, measures the outcome, and says with intervals which is better.
//
// Terms:
//
//   - A [File] describes a sweep: the game, the base settings, the candidates, seeds, budget and objective.
//   - A candidate is the base settings with some others. Candidate 0 is the base itself.
//   - A [Job] is one run: a candidate, a seed and a budget of processor time. A round is the jobs that can be
//     played at the same time; what the next round is depends on the results so far ([File.Rounds]).
//   - Rounds of tuning choose a winner by seeds of their own. The last round is the report, on other seeds:
//     numbers by which something was chosen flatter it.
//
// [Sweep.Run] plays what is missing of a sweep in a directory, each run in a process of its own, of which the
// processor time is known exactly; [Work] is the work of such a process. [Tabulate] makes the tables, and
// [Pages] the pages of them.
package sweep
