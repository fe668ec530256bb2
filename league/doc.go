// Package league freezes versions of the learning agent, chooses the opponents of its
// training games, and has agents play each other. Package rating rates them (its terms,
// such as set and lineup, are used here), package tournament plays tournaments.
//
// Terms:
//
//   - A member is a frozen version of the learning agent, "main@12". The newest
//     ones and the best are active; older ones are retired: no agent is matched with
//     them any more, but they keep their place on the ladder.
//   - A reference is a bot or solver. References never change.
//   - The gate is what a member has to pass to become best.
//
// The core decides: step by step, without I/O, from events (new weights, a member, a
// result, a second that has gone by) to effects (freeze, publish a match, a table,
// a ladder, curve points). What it keeps of the results are sums that do not
// depend on their order, so that any replay of them gives the same ladder. The
// [League] around it carries out the effects on a bus.Bus and in the run directory.
//
// What the caller must do: run one League for each run (rundir.Lock), and call
// [League.Finish] when training has come to its own end.
//
// docs/explain/algorithms/league.md has the formulas, their sources and the reasons.
package league
