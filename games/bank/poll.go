package bank

// MaxSeats is the largest number of players.
const MaxSeats = maxSeats

// A Poll is a position in which a seat is asked, reduced to what the rest of the game depends
// on: the dice, and who has banked since they were rolled, change nothing. Seats are bits of
// the masks.
type Poll struct {
	Seat   int             // the seat that is asked
	Round  int             // finished rounds
	Roll   int             // rolls in this round
	Bank   int64           //
	Totals [MaxSeats]int64 //
	Active uint8           // seats that have not banked in this round
	Asking uint8           // active seats that have still to answer after this roll
}

// Poll returns the position. Where no seat is to move, Seat is engine.Chance or Terminal.
func (s *State) Poll() Poll {
	return Poll{
		Seat: int(s.player), Round: int(s.round), Roll: int(s.roll), Bank: s.bank,
		Totals: s.totals, Active: s.active, Asking: s.asking,
	}
}

// SetPoll puts the state into the position, for solvers that ask bots what they would do there.
// A Seat below 0 stands for the one that is asked first after the roll. SetPoll does not check
// that play can lead there. The dice are not shown.
func (s *State) SetPoll(p Poll) {
	*s = State{
		game: s.game, player: int8(p.Seat), round: int32(p.Round), roll: int32(p.Roll), bank: p.Bank,
		totals: p.Totals, active: p.Active, asking: p.Asking, dice: noDice,
	}
	if p.Seat < 0 {
		s.player = firstFrom(p.Asking, s.opener(s.roll))
	}
}
