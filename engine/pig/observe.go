package pig

import "croupier/engine"

// The observation:
//
//	turn        own turn, other's turn, the die is rolling, holding wins
//	points      own score / target, other's score / target, turn points / target,
//	            turn points / 20 (at most 4)
//	own_ramp    own score in tenths of the target: element k is how much of tenth k is filled
//	other_ramp  the other's score in the same way
//	turn_ramp   turn points in fours up to 40, in the same way
//
// The ramps let a network draw the optimal policy's bent boundary in its first layer.
const (
	turnSize        = 4
	pointsSize      = 4
	rampSize        = 10
	observationSize = turnSize + pointsSize + 3*rampSize

	turnStep = 4  // turn points in an element of turn_ramp
	turnUnit = 20 // turn points shown as 1 in points
	maxTurn  = 4  // most of turn points / turnUnit
)

var segments, _ = engine.Segments([]engine.Segment{
	{Name: "turn", Size: turnSize},
	{Name: "points", Size: pointsSize},
	{Name: "own_ramp", Size: rampSize},
	{Name: "other_ramp", Size: rampSize},
	{Name: "turn_ramp", Size: rampSize},
})

// Observe writes the observation.
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	clear(dst)
	over := s.player == engine.Terminal
	if !over {
		dst[int(s.seat)^seat] = 1
	}
	if s.player == engine.Chance {
		dst[2] = 1
	}
	if !over && s.scores[s.seat]+s.turn >= s.target() {
		dst[3] = 1
	}
	dst = dst[turnSize:]
	scale := 1 / float32(s.target())
	own, other, turn := float32(s.scores[seat])*scale, float32(s.scores[1-seat])*scale, float32(s.turn)
	dst[0] = own
	dst[1] = other
	dst[2] = turn * scale
	dst[3] = min(turn/turnUnit, maxTurn)
	dst = dst[pointsSize:]
	ramp(dst, own*rampSize)
	dst = dst[rampSize:]
	ramp(dst, other*rampSize)
	ramp(dst[rampSize:], turn/turnStep)
}

// ramp fills the first v of the cleared rampSize elements of dst, the last of them in part.
func ramp(dst []float32, v float32) {
	for k := 0; k < rampSize && v > 0; k++ {
		dst[k] = min(v, 1)
		v--
	}
}
