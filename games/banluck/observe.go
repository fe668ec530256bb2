package banluck

import "croupier/engine"

// Sizes of the observation's segments; others takes its size once per other seat.
const (
	roleSize   = 1
	totalSize  = limit + 2 // 0..21 and a bust
	handSize   = 1 + sizes + Values
	ownSize    = totalSize + handSize
	othersSize = 2 + sizes + Values

	sizes = MaxCards - dealt + 1 // a hand has two to five cards
	// manyCards of one value are shown as 1 in the observation.
	manyCards = 2
)

// segments returns the segments of the observation, and its size. Others are relative: the next
// seat first, and so on round the table. Values are 0 or 1 unless stated otherwise.
//
//	role    this is the dealer's seat
//	total   own total is 0, 1, …, 21, a bust
//	hand    own total is soft; own cards are 2, 3, 4, 5; cards of each value (two to nine, ten, ace) / 2
//	others  for each other seat: it is the dealer's; its hand is open; it has 2, 3, 4, 5 cards;
//	        cards of each value / 2 where the hand is open
func segments(players int) ([]engine.Segment, int) {
	return engine.Segments([]engine.Segment{
		{Name: "role", Size: roleSize},
		{Name: "total", Size: totalSize},
		{Name: "hand", Size: handSize},
		{Name: "others", Size: othersSize * players},
	})
}

// ownSegment returns the segments total and hand.
func ownSegment(s *shape, w Worth) (v [ownSize]float32) {
	v[min(w.Total, limit+1)] = 1
	hand := v[totalSize:]
	if w.Soft {
		hand[0] = 1
	}
	showSize(int(s.size), hand[1:])
	showValues(s, hand[1+sizes:])
	return v
}

func showSize(size int, dst []float32) {
	if size >= dealt {
		dst[size-dealt] = 1
	}
}

func showValues(s *shape, dst []float32) {
	for value, count := range s.counts {
		dst[value] = float32(count) / manyCards
	}
}

// closed holds the part of another seat whose hand is not open, by its size and
// whether it is the dealer's.
var closed = func() (v [2][MaxCards + 1][othersSize]float32) {
	for dealer := range v {
		for size := range v[dealer] {
			part := &v[dealer][size]
			part[0] = float32(dealer)
			showSize(size, part[2:])
		}
	}
	return v
}()

// Observe writes the observation, see segments. It is on the hot path of playing and learning,
// so tables replace branches.
func (s *State) Observe(seat int, dst []float32) {
	dst = dst[:s.game.spec.ObservationSize]
	dealer := int(s.game.dealer)
	dst[0] = 0
	if seat == dealer {
		dst[0] = 1
	}
	dst = dst[roleSize:]
	*(*[ownSize]float32)(dst) = s.game.hands.own[s.hands[seat]]
	open := s.openTo(seat)
	other := seat
	for others := dst[ownSize:]; len(others) > 0; others = others[othersSize:] {
		role := 0
		if other++; other == dealer {
			role = 1
		} else if other > dealer {
			other = 0
		}
		shape := &shapes[s.hands[other]]
		*(*[othersSize]float32)(others) = closed[role][shape.size]
		if open>>other&1 == 1 {
			others[1] = 1
			showValues(shape, others[2+sizes:])
		}
	}
}
