package langestrasse

import (
	"math"

	"croupier/engine"
)

// Sizes of the observation's segments. Seats are relative: 0 is the observing seat, then the
// next ones round the table.
const (
	rollSize  = dice * dice
	setSize   = 6 + 3 + 5 + 5 + 6 + 5
	turnSize  = 4
	roundSize = 5
	orderSize = seats
	seatSize  = 8 // for each seat
	leadSize  = 4 // for each other seat

	observationSize = rollSize + setSize + turnSize + roundSize + orderSize + seats*seatSize + (seats-1)*leadSize
)

// segments describes the observation.
//
//	roll   for each position of the sorted dice its face, one-hot; zeros without a die
//	set    face of the group, one-hot; its size 3, 4, 5, one-hot; singles of 1: at least 1,
//	       2, … 5; singles of 5 likewise; dice left 1..6, one-hot; set score linear and
//	       missing to 300; a Lange Strasse, a Super Strasse, a Talheim can still be made
//	turn   points of the finished sets: linear, logarithm; with the set score: the same
//	round  round / 10 up to 2; rounds left to the fast end / 10; first round; somebody has
//	       the target, so that this round is the last; round / 200
//	order  the observing seat, one-hot
//	seats  for each seat: points / target, logarithm of the points missing to the target,
//	       has 5,000, has the target, has no strich, money / 5 units, it is his turn, his
//	       turn of this round is over
//	leads  for each other seat, own points less his: linear, logarithm; and the same when
//	       who is in turn stops with what the turn has so far
var segments, _ = engine.Segments([]engine.Segment{
	{Name: "roll", Size: rollSize},
	{Name: "set", Size: setSize},
	{Name: "turn", Size: turnSize},
	{Name: "round", Size: roundSize},
	{Name: "order", Size: orderSize},
	{Name: "seats", Size: seats * seatSize},
	{Name: "leads", Size: (seats - 1) * leadSize},
})

// Scales.
const (
	turnUnit     = 1000 // points shown as 1 in linear points of a turn
	leadUnit     = 2500 // points shown as 1 in linear leads
	maxLinear    = 4
	moneyUnit    = 500 // ct
	step         = 50  // all points are multiples of it
	loggedPoints = 512 // logarithms grow up to 511 steps, 25,550 points, where they are 1
)

// Observe writes the observation, see segments.
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	clear(dst[:rollSize])
	if s.player >= 0 {
		r := s.tables.roll(s.set, s.node)
		for i, face := range r.dice[:r.n] {
			dst[dice*i+int(face)-1] = 1
		}
	}
	dst = dst[rollSize:]
	*(*[setSize]float32)(dst) = s.tables.shown[s.set]
	dst = dst[setSize:]
	inPlay := s.turn + int32(s.tables.scores[s.set])
	turn := (*[turnSize]float32)(dst)
	turn[0], turn[1] = linear(s.turn, turnUnit), s.logarithm(s.turn)
	turn[2], turn[3] = linear(inPlay, turnUnit), s.logarithm(inPlay)
	dst = dst[turnSize:]
	s.observeRound((*[roundSize]float32)(dst))
	dst = dst[roundSize:]
	order := (*[orderSize]float32)(dst)
	*order = [orderSize]float32{}
	order[seat] = 1
	dst = dst[orderSize:]
	leads := dst[seats*seatSize:]
	for i, other := 0, seat; i < seats; i++ {
		s.observeSeat(other, (*[seatSize]float32)(dst[i*seatSize:]))
		if i > 0 {
			s.observeLead(seat, other, inPlay, (*[leadSize]float32)(leads[(i-1)*leadSize:]))
		}
		if other++; other == seats {
			other = 0
		}
	}
}

func (s *State) observeRound(v *[roundSize]float32) {
	round := int32(s.standing.Round)
	v[0] = float32(min(round, 2*fastRounds)) * (1. / fastRounds)
	v[1] = float32(max(fastRounds-round, 0)) * (1. / fastRounds)
	v[2] = flag(round == 1)
	v[3] = flag(s.standing.reached())
	v[4] = float32(round) * (1. / lastRound)
}

func (s *State) observeSeat(seat int, v *[seatSize]float32) {
	score := s.standing.Points[seat]
	v[0] = float32(score) * (1. / target)
	v[1] = s.logarithm(max(target-score, 0))
	v[2] = flag(score >= half)
	v[3] = flag(score >= target)
	v[4] = float32(^s.standing.Strich >> seat & 1)
	v[5] = float32(s.money[seat]) * (1. / moneyUnit)
	v[6] = flag(seat == int(s.standing.Seat) && s.player != engine.Terminal)
	v[7] = flag(seat < int(s.standing.Seat) || s.player == engine.Terminal)
}

func (s *State) observeLead(seat, other int, inPlay int32, v *[leadSize]float32) {
	lead := s.standing.Points[seat] - s.standing.Points[other]
	v[0], v[1] = linear(lead, leadUnit), s.logarithm(lead)
	switch int(s.standing.Seat) {
	case seat:
		lead += inPlay
	case other:
		lead -= inPlay
	}
	v[2], v[3] = linear(lead, leadUnit), s.logarithm(lead)
}

// observation returns the segment that shows a set.
func (s set) observation() (v [setSize]float32) {
	if s.size > 0 {
		v[s.face-1] = 1
		v[6+s.size-3] = 1
	}
	for i := range 5 {
		v[9+i] = flag(int(s.ones) > i)
		v[14+i] = flag(int(s.fives) > i)
	}
	v[19+dice-s.kept()-1] = 1
	points := int32(s.points())
	v[25] = linear(points, turnUnit)
	v[26] = float32(max(stopPoints-points, 0)) * (1. / stopPoints)
	v[27] = flag(s.size == 0 && s.ones <= 1 && s.fives <= 1)
	v[28] = flag(s.super || s.kept() <= 1)
	v[29] = flag(s.size == 0 && s.ones <= 2 && s.fives <= 2)
	return v
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// linear scales points, clipped to maxLinear units.
func linear(points, unit int32) float32 {
	return float32(max(-maxLinear*unit, min(maxLinear*unit, points))) * (1 / float32(unit))
}

// logarithm is log2(1 + |points|/50) / 9 with the sign of points, at most 1.
func (s *State) logarithm(points int32) float32 {
	if points < 0 {
		return -s.tables.logs[min(uint32(-points)/step, loggedPoints-1)]
	}
	return s.tables.logs[min(uint32(points)/step, loggedPoints-1)]
}

func logarithms() (logs [loggedPoints]float32) {
	for i := range logs {
		logs[i] = float32(math.Log2(float64(1+i)) / math.Log2(loggedPoints))
	}
	return logs
}
