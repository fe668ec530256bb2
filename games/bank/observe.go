package bank

import (
	"math"

	"croupier/engine"
)

// Sizes of the observation's segments; others and seats take theirs once per seat.
const (
	roundSize  = 4
	rollSize   = 7
	diceSize   = 4
	bankSize   = 2
	ownSize    = 2
	othersSize = 4
	seatsSize  = 5

	fixedSize = roundSize + rollSize + diceSize + bankSize + ownSize
)

// Scales. Linear values are clipped at ±maxLinear, logarithms are not.
const (
	pointsPerRound = 100 // the own total is linear in this times the rounds
	bankUnit       = 250 // points shown as 1 in the linear bank and leads
	maxLinear      = 4
	logUnit        = 10 // log2(1+points) that is 1: 1023 points
	lastShownRoll  = 20
)

// segments returns the observation of n seats, and its size. Seats are relative: 0 is the
// observing seat, 1 the next one, and so on round the table.
//
//	round   finished rounds / rounds, rounds left / rounds, log2(rounds left) / 10, last round
//	roll    rolls in this round are 0, 1, 2, 3, more; min(rolls, 20) / 20; the next roll can bust
//	dice    lower die / 6, higher die / 6, doubles, seven (zeros before the first roll)
//	bank    linear, logarithm
//	own     own total, linear in 100 points a round, logarithm
//	others  for each other seat, own total less its total: linear, logarithm; logarithm of the
//	        same after the observer banks now, and after only the other seat banks now
//	seats   for each seat: active, banked in this phase, still to answer in this phase, is
//	        asked, is asked first after the next roll
func segments(n int) ([]engine.Segment, int) {
	return engine.Segments([]engine.Segment{
		{Name: "round", Size: roundSize},
		{Name: "roll", Size: rollSize},
		{Name: "dice", Size: diceSize},
		{Name: "bank", Size: bankSize},
		{Name: "own", Size: ownSize},
		{Name: "others", Size: othersSize * (n - 1)},
		{Name: "seats", Size: seatsSize * n},
	})
}

func roundSegment(done, rounds int) (v [roundSize]float32) {
	left := rounds - done
	v[0] = float32(done) / float32(rounds)
	v[1] = float32(left) / float32(rounds)
	v[2] = float32(math.Log2(float64(max(left, 1))) / logUnit)
	if left == 1 {
		v[3] = 1
	}
	return v
}

// rollSegments and diceSegments hold the second and third segment by State.roll
// (clipped) and State.dice.
var rollSegments, diceSegments = func() (
	rolls [lastShownRoll + 1][rollSize]float32, dice [outcomes + 1][diceSize]float32,
) {
	for roll := range rolls {
		rolls[roll][min(roll, safeRolls+1)] = 1
		rolls[roll][safeRolls+2] = float32(roll) / lastShownRoll
		if roll >= safeRolls {
			rolls[roll][safeRolls+3] = 1
		}
	}
	for outcome, pair := range pairs {
		v := &dice[outcome]
		v[0], v[1] = float32(pair.low)/6, float32(pair.high)/6
		if pair.doubles() {
			v[2] = 1
		}
		if pair.seven() {
			v[3] = 1
		}
	}
	return rolls, dice
}()

// seatSegments holds a seat's part of the last segment by its five bits.
var seatSegments = func() (v [1 << seatsSize][seatsSize]float32) {
	for set := range v {
		for i := range seatsSize {
			v[set][i] = float32(set >> i & 1)
		}
	}
	return v
}()

// Observe writes the observation, see segments. It is on the hot path of playing and learning,
// so tables replace branches that no processor can predict.
func (s *State) Observe(seat int, dst []float32) {
	g := s.game
	n := g.rules.Players
	dst = dst[:g.spec.ObservationSize]
	fixed := (*[fixedSize]float32)(dst)[:]
	*(*[roundSize]float32)(fixed) = g.rounds[s.round]
	fixed = fixed[roundSize:]
	*(*[rollSize]float32)(fixed) = rollSegments[min(s.roll, lastShownRoll)]
	fixed = fixed[rollSize:]
	*(*[diceSize]float32)(fixed) = diceSegments[s.dice]
	fixed = fixed[diceSize:]
	fixed[0] = linear(s.bank, bankUnit)
	fixed[1] = logarithm(s.bank)
	fixed = fixed[bankSize:]
	own := s.totals[seat&(maxSeats-1)]
	fixed[0] = linear(own, g.totalUnit)
	fixed[1] = logarithm(own)

	var asked, first uint8
	if s.player >= 0 {
		asked = 1 << s.player
	}
	if s.player != engine.Terminal {
		first = 1 << s.opener(s.roll+1)
	}
	// What a seat gains by banking now: the bank while it is active.
	gain := [2]int64{0, s.bank}
	ownGain := gain[s.active>>seat&1]
	others := dst[fixedSize:]
	seats := others[othersSize*(n-1):]
	for i, other := 0, seat; i < n; i++ {
		active := s.active >> other & 1
		set := active | s.banked>>other&1<<1 | s.asking>>other&1<<2 | asked>>other&1<<3 | first>>other&1<<4
		*(*[seatsSize]float32)(seats) = seatSegments[set]
		seats = seats[seatsSize:]
		if i > 0 {
			v := (*[othersSize]float32)(others)
			others = others[othersSize:]
			lead := own - s.totals[other&(maxSeats-1)]
			v[0] = linear(lead, bankUnit)
			v[1] = logarithm(lead)
			v[2] = logarithm(lead + ownGain)
			v[3] = logarithm(lead - gain[active])
		}
		if other++; other == n {
			other = 0
		}
	}
}

// linear scales points, clipped to maxLinear units.
func linear(points, unit int64) float32 {
	return float32(max(-maxLinear*unit, min(maxLinear*unit, points))) * (1 / float32(unit))
}

// logarithm returns the scaled log2(1+|points|) with the sign of points. Between two powers of
// two it follows the chord of the curve (at most 0.087 of log2 below it), which only takes a
// look at the bits of a float64.
func logarithm(points int64) float32 {
	const one = 1023 << 52
	sign := points >> 63
	size := math.Float64bits(float64((points^sign)-sign+1)) - one
	value := float32(int64(size)) * (0x1p-52 / logUnit)
	return math.Float32frombits(math.Float32bits(value) | uint32(sign)&(1<<31))
}
