package league

import (
	"math"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// simulation makes results of agents with known strengths.
type simulation struct {
	spec  *engine.Spec
	theta map[string]float64 // nats
	// luck is the probability that all games of a set have the same dice and so the
	// same outcome, in both lineups: what clusters are for.
	luck float64
	rng  *engine.RNG
}

func testSpec(seats int) *engine.Spec {
	return &engine.Spec{Name: "test", Seats: seats, Actions: 2, MaxReturn: 1, Unit: "wins", Temperature: 1, Figures: []engine.Figure{
		{Name: "points", Unit: "points", Per: "turn", Help: "random points"},
		{Name: "aces", Unit: engine.Share, Per: "turn", Help: "a part of random turns"},
	}}
}

func testKind(name string) string {
	if isMember(name) {
		return "network"
	}
	return "bot"
}

var testRules = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}

// play returns a result with random games. It depends on rng.
func (s *simulation) play(m *messages.Match) *messages.Result {
	n := s.spec.Seats
	r := &messages.Result{Schema: messages.SchemaVersion, Run: m.Run, Match: m, OneA: &messages.Lineup{}}
	if n > 2 {
		r.OneB = &messages.Lineup{}
	}
	d := s.theta[m.A] - s.theta[m.B]
	offset := math.Log(float64(n - 1))
	p, q := sigmoid(d-offset), sigmoid(-d-offset)
	for range m.Sets {
		dice := s.rng.Float64()
		shared := s.rng.Float64() < s.luck
		draw := func() float64 {
			if shared {
				return dice
			}
			return s.rng.Float64()
		}
		x := playSet(r.OneA, n, func() bool { return draw() < p })
		if r.OneB != nil {
			r.ShareProducts += x * playSet(r.OneB, n, func() bool { return draw() > 1-q })
		}
	}
	r.FiguresA, r.FiguresB = s.measure(m, 1), s.measure(m, 2)
	return r
}

// measure returns random figures, in thirds, that depend on the match and the stream
// alone.
func (s *simulation) measure(m *messages.Match, stream uint64) *messages.FigureSums {
	rng := engine.NewRNG(m.FirstSet, stream)
	all := make([]stat.Ratio, len(s.spec.Figures))
	for range m.Sets {
		turns, aces := 1+rng.IntN(5), rng.IntN(2)
		all[0].Add(float64(rng.IntN(1000)*turns)/3, float64(turns))
		all[1].Add(float64(aces)/3, float64(turns))
	}
	return messages.PackFigures(s.spec.Figures, all)
}

// playSet adds a set to a lineup and returns its share.
func playSet(l *messages.Lineup, seats int, won func() bool) float64 {
	share, ret := 0.0, 0.0
	for range seats {
		l.Games++
		if won() {
			l.Wins++
			l.GameShareSquares++
			share++
			ret++
		} else {
			ret -= 1 / float64(seats-1)
		}
	}
	share, ret = share/float64(seats), ret/float64(seats)
	l.Sets++
	l.ShareSum += share
	l.ShareSquares += share * share
	l.ReturnSum += ret
	l.ReturnSquares += ret * ret
	return share
}

// league plays the given sets of every pair and returns the book.
func (s *simulation) league(agents []string, sets uint64) *book {
	b := newBook(s.spec, "run", testRules, sequential{})
	for i, x := range agents {
		for _, y := range agents[:i] {
			if err := b.apply(s.play(b.match(newPairKey(x, y), span{0, sets}))); err != nil {
				panic(err)
			}
		}
	}
	return b
}
