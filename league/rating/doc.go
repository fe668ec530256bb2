// Package rating turns the results of matches into ratings: it sums the results of each pair of agents up, finds the
// strengths that explain them with their covariance, decides sequential tests, chooses which match says most, and
// analyses and renders the ladder that comes of it. It does no I/O and knows no population.
//
// Terms:
//
//   - A set is all the seat assignments of one seed. It is the unit of counting: games of a set share their dice, so
//     only sets are independent.
//   - A lineup is one focal agent among opponents of one other kind. A match plays a range of sets of a pair, in both
//     lineups where there are more than two seats.
//   - The share is how much of the win an agent got (engine.Spec.Shares). Equal agents have a share of 1/seats: parity.
//   - A standing is a ladder with the ratings and covariances behind it.
//
// [Results] keeps sums that do not depend on the order of results: any replay of them gives the same ladder. The caller
// serialises its calls.
//
// docs/explain/algorithms/ratings.md has the formulas, their sources and the reasons.
package rating
