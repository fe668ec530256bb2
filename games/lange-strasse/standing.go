package langestrasse

// Standing is the game between two turns: all of the past that matters, except for the money
// already paid.
type Standing struct {
	Points [seats]int32
	Strich uint8 // mask of the seats that have had one
	Round  uint8 // from 1
	Seat   int8  // whose turn it is
}

// Beginning is the standing at the start of a game.
func Beginning() Standing { return Standing{Round: 1} }

// Money is what each seat has won, in ct. It sums to 0.
type Money [seats]int32

// EndTurn scores the turn of s.Seat, or notes its strich, which scores nothing, and passes the
// dice on. It returns the money that changes hands, including the settlement at the end, and
// whether the game is over; then Seat is 0 and Round is the last one.
func (s *Standing) EndTurn(points int32, strich bool) (money Money, over bool) {
	if strich {
		s.Strich |= 1 << s.Seat
		if s.Round == 1 {
			money.fromOthers(int(s.Seat), -totaleMoney)
		}
	}
	s.Points[s.Seat] += points
	if s.Seat++; s.Seat < seats {
		return money, false
	}
	s.Seat = 0
	if s.Final() {
		s.settle(&money)
		return money, true
	}
	s.Round++
	return money, false
}

// reached reports whether somebody has the target, so that this round is the last.
func (s *Standing) reached() bool { return max(s.Points[0], s.Points[1], s.Points[2]) >= target }

// Final reports whether the game ends with this round whatever is still played: somebody has the
// target, or it is the last round that there is.
func (s *Standing) Final() bool { return s.reached() || s.Round == lastRound }

// settle pays the money due at the end.
func (s *Standing) settle(money *Money) {
	rank := s.ranking()
	winner := rank[0]
	money.pay(rank[1], winner, secondMoney)
	money.pay(rank[2], winner, thirdMoney)
	if s.Round <= fastRounds {
		money.fromOthers(winner, fastMoney)
	}
	for seat := range seats {
		if s.Strich>>seat&1 == 0 {
			money.fromOthers(seat, cleanMoney)
		}
		if s.reached() && s.Points[seat] < half {
			money.pay(seat, winner, halfMoney)
		}
	}
}

// ranking returns the seats by points, the earlier one first among equals.
func (s *Standing) ranking() (rank [seats]int) {
	for seat := range seats {
		place := 0
		for other, points := range s.Points {
			if points > s.Points[seat] || points == s.Points[seat] && other < seat {
				place++
			}
		}
		rank[place] = seat
	}
	return rank
}

// fromOthers pays the seat that many ct from each other.
func (m *Money) fromOthers(seat int, ct int32) {
	for other := range m {
		m[other] -= ct
	}
	m[seat] += seats * ct
}

// pay moves ct from one seat to another.
func (m *Money) pay(from, to int, ct int32) {
	m[from] -= ct
	m[to] += ct
}

func (m *Money) add(n *Money) {
	for seat, ct := range n {
		m[seat] += ct
	}
}
