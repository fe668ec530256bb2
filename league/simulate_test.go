package league

import (
	"math"

	"croupier/engine"
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
	return &engine.Spec{Name: "test", Seats: seats, Actions: 2, MaxReturn: 1, Unit: "wins"}
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
	return r
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
	b := newBook(s.spec, "run", testRules, func(pairKey) uint64 { return sets })
	for i, x := range agents {
		for _, y := range agents[:i] {
			if err := b.apply(s.play(b.match(newPairKey(x, y), span{0, sets}))); err != nil {
				panic(err)
			}
		}
	}
	return b
}
