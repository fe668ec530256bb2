// Package search plays a game by looking ahead: what a trained network knows of the
// position after a move is better than what it knows before it.
//
// A [Policy] asks a [Model], mostly a network ([NewNetwork]), only what it was trained on:
// at a decision, what the position is worth to the seat that is to move, and how that
// seat plays. In between the rules of the game are followed.
//
//   - Where nothing is hidden (dice games) it is expectimax (D. Michie, "Game-playing and
//     game-learning automata", 1966): all outcomes of chance with their probabilities, the
//     best action at the seat's own decisions, and with two seats the worst for it at the
//     other's. After Options.Depth decisions the model says what the position is worth, as
//     in TD-Gammon (G. Tesauro, "Temporal difference learning and TD-Gammon",
//     Communications of the ACM 38, 1995). Positions that are reached in several ways are
//     searched once.
//   - Between two own decisions of a game for more than two seats, the other seats are
//     played by the model, Options.Samples times: what it says of their decisions is their
//     value, not that of the seat that searches.
//   - Where cards are hidden (Tysiąc, BANK! cards) it is determinised: Options.Samples deals that are
//     consistent with what the seat knows (engine.Redealer) are played on by the model
//     after every action, for Options.Depth decisions in all, and their mean values
//     compared. The seat's own later decisions are the model's, which sees only what
//     the seat will see: so that no action is preferred for what only the search knows
//     (strategy fusion; I. Frank, D. Basin, "Search in games with incomplete information",
//     Artificial Intelligence 100, 1998).
//
// Terms: a world is one way in which what is hidden and what is to come may be. Worlds of
// the same number have the same random streams after every action (common random
// numbers), so that actions are compared under the same deals and dice.
//
// A search depends on the position alone: the random streams come from a hash of what the
// seat knows. The same position always has the same answer, and [Policy.Choose] draws
// nothing from the generator that it is given.
package search
