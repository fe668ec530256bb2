// Package search plays a game by looking ahead: a trained network judges a position after a
// move better than before it.
//
// A [Policy] asks a [Model], usually a network ([NewNetwork]), only what it was trained on: at
// a decision, what the position is worth to the seat to move, and how that seat plays. In
// between it follows the rules of the game.
//
//   - If nothing is hidden (dice games), the search is expectimax (D. Michie, "Game-playing
//     and game-learning automata", 1966): all outcomes of chance with their probabilities, and
//     the best action at the seat's own decisions. After Options.Depth decisions of the seat,
//     or where another seat is to move, the model says what the position is worth, as in
//     TD-Gammon (G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of
//     the ACM 38, 1995). Positions that several paths reach are searched once.
//   - In a game for more than two seats, the model plays the other seats between two of the
//     seat's own decisions, Options.Samples times: its value at their decisions is theirs,
//     not the searching seat's.
//   - If cards are hidden (Tysiąc, BANK! cards), the search is determinised: after every
//     action the model plays on from Options.Samples deals that are consistent with what
//     the seat knows (engine.Redealer), for Options.Depth decisions in all, and the mean
//     values are compared. In Tysiąc a deal counts as likely as the model would have bid and
//     played in the others' seats as they did (engine.Retracer). The model also makes the
//     seat's own later decisions and sees only what the seat will see, so no action is preferred
//     for what only the search knows (strategy fusion; I. Frank, D. Basin, "Search in games
//     with incomplete information", Artificial Intelligence 100, 1998).
//
// In worlds the model plays as well as it can: networks at the temperature at which those of the
// game play best.
//
// The model's values are wrong, often by more than actions differ, and the greatest of several
// wrong values is wrong in the direction that looks good. So the policy of the model is a prior
// that values have to outweigh, and what they weigh depends on how wrong they are ([Residual]).
// Worlds are spent by sequential halving, most of them on the actions between which the choice
// lies.
//
// Terms: a world is one possibility for everything hidden and still to come. Worlds with the
// same number have the same random streams after every action (common random numbers), so
// actions are compared under the same deals and dice.
//
// A search depends on the position alone: the random streams come from a hash of what the seat
// knows. The same position always gets the same answer, and [Policy.Choose] draws nothing from
// the generator it is given.
package search
