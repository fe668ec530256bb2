package bankcards

import "croupier/engine"

// Sizes of the segments that do not depend on the rules; seats takes its size once per seat.
const (
	tableSize = 6
	seatSize  = 4
)

// Scales.
const (
	handUnit  = 10 // cards shown as 1 in the size of a hand
	maxLinear = 3
)

// segments returns the segments of the observation, and its size. Seats are relative: 0 is the
// observing seat, then the next ones round the table. Segments with one value per card list the
// cards 1, 2, … deck.
//
//	hand      the cards of the seat's own hand
//	playable  the cards of it that may be played on the present pile
//	pile      the cards of the pile
//	held      cards that must be in other hands: not in the deck when it was last made, and
//	          neither on the pile nor in the own hand
//	table     top / deck; the pile is empty; cards in the deck / deck; cards on the pile /
//	          deck; the next draw turns the pile over; turns / 500
//	seats     for each seat: cards / 10 up to 3; has one card; has two; it is its turn
//	order     the observing seat, one-hot
func segments(r Rules) ([]engine.Segment, int) {
	return engine.Segments([]engine.Segment{
		{Name: "hand", Size: r.Deck},
		{Name: "playable", Size: r.Deck},
		{Name: "pile", Size: r.Deck},
		{Name: "held", Size: r.Deck},
		{Name: "table", Size: tableSize},
		{Name: "seats", Size: seatSize * r.Players},
		{Name: "order", Size: r.Players},
	})
}

// Observe writes the observation, see segments.
func (s *State) Observe(seat int, dst []float32) {
	rules := &s.game.rules
	v := dst[:s.game.spec.ObservationSize]
	hand := s.hands[seat]
	for _, c := range [...]cards{hand, s.playable(hand), s.pile, s.held(seat)} {
		c.observe(v, rules.Deck)
		v = v[rules.Deck:]
	}
	scale := 1 / float32(rules.Deck)
	v[0] = float32(s.top) * scale
	v[1] = flag(s.pile.empty())
	v[2] = float32(s.deck.len()) * scale
	v[3] = float32(s.pile.len()) * scale
	v[4] = flag(s.deck.empty() && !s.pile.empty())
	v[5] = float32(s.turns) * (1. / maxTurns)
	v = v[tableSize:]
	for i := range rules.Players {
		other := (seat + i) % rules.Players
		n := s.hands[other].len()
		v[0] = min(maxLinear, float32(n)*(1./handUnit))
		v[1], v[2] = flag(n == 1), flag(n == 2)
		v[3] = flag(s.player != engine.Terminal && s.receiver() == other)
		v = v[seatSize:]
	}
	clear(v)
	v[seat] = 1
}

// held returns the cards that, as far as the seat can know, must be in other hands.
func (s *State) held(seat int) cards {
	return s.game.all.without(s.fresh).without(s.pile).without(s.hands[seat])
}

// octets holds the eight values of each byte of a set.
var octets = func() (v [256][8]float32) {
	for set := range v {
		for bit := range v[set] {
			v[set][bit] = float32(set >> bit & 1)
		}
	}
	return v
}()

// observe writes 1 for the cards of the set and 0 for others, eight cards at a time. It also
// zeroes up to seven elements after the last card; they belong to segments that are written
// later.
func (c cards) observe(dst []float32, deck int) {
	low, high := c[0]>>1|c[1]<<63, c[1]>>1
	for card := 0; card < deck; card += 8 {
		*(*[8]float32)(dst[card:]) = octets[uint8(low)]
		low, high = low>>8|high<<56, high>>8
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
