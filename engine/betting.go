package engine

// Betting is a Game for money whose returns are those of bets of one unit each, and in which people may bet more.
type Betting interface {
	Game
	// Bets reports whether a seat bets; a dealer, against whom the others bet, does not.
	Bets(seat int) bool
	// WithBets turns the returns of a game, by seat, in units, into what each seat gains with these bets, by seat, in
	// units. Bets of one unit leave the returns as they are; bets of seats that do not bet are of no consequence.
	WithBets(returns, bets []float64)
}
