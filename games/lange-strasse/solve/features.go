package solve

import (
	"math"
	"sync"

	langestrasse "croupier/games/lange-strasse"
)

// Features of a standing, for a network of the seat in turn. Seats are in their order, because
// ties and the last turn of a game depend on it.
const (
	seatFeatures  = 10
	pairFeatures  = 4
	roundFeatures = fastRounds + 2
	features      = seats*seatFeatures + seats*pairFeatures + roundFeatures

	target     = 10_000
	half       = 5_000
	fastRounds = 10
)

// reach is, by steps of points, the chance that the turn optimum scores at least that much in a
// turn.
var reach = sync.OnceValue(func() []float32 {
	game, _ := langestrasse.New(nil)
	bot, _ := game.Bots().New("turn-optimum")
	scores, err := ScoresOf(game, bot)
	if err != nil {
		panic(err) // the bot looks only at the turn
	}
	table, tail := make([]float32, len(scores.Points)), 0.0
	for i := len(table) - 1; i >= 0; i-- {
		tail += scores.Points[i]
		table[i] = float32(tail)
	}
	return table
})

// scoring is the chance of scoring that many points in a turn, or 1 if they are 0 or fewer.
func scoring(table []float32, points int32) float32 {
	if points <= 0 {
		return 1
	}
	if i := int(points) / Step; i < len(table) {
		return table[i]
	}
	return 0
}

// describe writes the features of a standing.
//
//	seat   points / target; missing to the target: two exponentials, the chance to score
//	       it in a turn; has the target; points beyond it / 1000; the chance to score what
//	       is missing to 5,000; points / 5,000 up to 1; no strich yet; that times the most
//	       points of any seat / target
//	pair   lead / 2500, clipped at ±3; lead / 600, clipped at ±1; the chances of either to
//	       score more than the lead of the other
//	round  1..10 and later, one-hot; round / 10 up to 3
func describe(s *langestrasse.Standing, table []float32, dst []float32) {
	dst = dst[:features]
	clear(dst)
	most := max(s.Points[0], s.Points[1], s.Points[2])
	for seat, points := range s.Points {
		f := dst[seat*seatFeatures:][:seatFeatures]
		missing := float64(max(target-points, 0))
		f[0] = float32(points) / target
		f[1] = float32(math.Exp(-missing / 700))
		f[2] = float32(math.Exp(-missing / 2500))
		f[3] = scoring(table, target-points)
		if points >= target {
			f[4] = 1
			f[5] = min(float32(points-target)/1000, 3)
		}
		f[6] = scoring(table, half-points)
		f[7] = min(float32(points)/half, 1)
		if s.Strich>>seat&1 == 0 {
			f[8] = 1
			f[9] = min(float32(most)/target, 1)
		}
		other := (seat + 1) % seats
		lead := points - s.Points[other]
		g := dst[seats*seatFeatures+seat*pairFeatures:][:pairFeatures]
		g[0] = max(-3, min(float32(lead)/2500, 3))
		g[1] = max(-1, min(float32(lead)/600, 1))
		g[2] = scoring(table, tieBroken(-lead, seat > other))
		g[3] = scoring(table, tieBroken(lead, other > seat))
	}
	r := dst[seats*(seatFeatures+pairFeatures):]
	r[min(int(s.Round), fastRounds+1)-1] = 1
	r[fastRounds+1] = min(float32(s.Round)/fastRounds, 3)
}

// tieBroken is what a seat that is behind by that many points must score to overtake.
func tieBroken(behind int32, losesTies bool) int32 {
	if losesTies {
		return behind + Step
	}
	return behind
}
