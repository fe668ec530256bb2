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

// ramps holds a ramp by how many of its elements are full; the element that is full in part is missing.
var ramps = func() (v [rampSize + 1][rampSize]float32) {
	for full := range v {
		for k := range full {
			v[full][k] = 1
		}
	}
	return v
}()

// Observe writes the observation. It is on the hot path of playing and learning: a table draws the ramps,
// since no processor can predict where a loop over one ends.
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	s.observeTurn(seat, (*[turnSize]float32)(dst))
	dst = dst[turnSize:]
	scale := 1 / float32(s.target())
	own, other, turn := float32(s.scores[seat])*scale, float32(s.scores[1-seat])*scale, float32(s.turn)
	dst[0] = own
	dst[1] = other
	dst[2] = turn * scale
	dst[3] = min(turn/turnUnit, maxTurn)
	dst = dst[pointsSize:]
	observeRamp(float32(own*rampSize), (*[rampSize]float32)(dst))
	dst = dst[rampSize:]
	observeRamp(float32(other*rampSize), (*[rampSize]float32)(dst))
	observeRamp(turn/turnStep, (*[rampSize]float32)(dst[rampSize:]))
}

func (s *State) observeTurn(seat int, v *[turnSize]float32) {
	*v = [turnSize]float32{}
	if s.player == engine.Terminal {
		return
	}
	v[int(s.seat)^seat] = 1
	if s.player == engine.Chance {
		v[2] = 1
	}
	if s.scores[s.seat]+s.turn >= s.target() {
		v[3] = 1
	}
}

// observeRamp draws a ramp of which that many elements are full, the last of them in part. It must be
// given a rounded number: were a product fused with the difference, machines would differ in the last bits.
func observeRamp(filled float32, v *[rampSize]float32) {
	full := min(int(filled), rampSize)
	*v = ramps[full]
	if full < rampSize {
		v[full] = filled - float32(full)
	}
}
