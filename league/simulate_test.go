package league

import (
	"cmp"
	"math"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// simulation makes results of agents with known strengths.
type simulation struct {
	spec  *engine.Spec
	theta map[string]float64 // nats, or the game's unit
	// luck is the probability that all games of a set have the same dice and so the
	// same outcome, in both lineups: what clusters are for.
	luck float64
	rng  *engine.RNG
	// spread of a game's return in games for money; 0: 1.
	spread float64
}

func testSpec(seats int) *engine.Spec {
	return &engine.Spec{Name: "test", Seats: seats, Actions: 2, MaxReturn: 1, Unit: "wins", Temperature: 1, Figures: []engine.Figure{
		{Name: "points", Unit: "points", Per: "turn", Help: "random points"},
		{Name: "aces", Unit: engine.Share, Per: "turn", Help: "a part of random turns"},
	}}
}

func moneySpec(seats int) *engine.Spec {
	spec := testSpec(seats)
	spec.Payoff, spec.MaxReturn, spec.Unit = engine.Money, 20, "coins"
	return spec
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
	for range m.Sets {
		dice := s.rng.Float64()
		shared := s.rng.Float64() < s.luck
		draw := func() float64 {
			if shared {
				return dice
			}
			return s.rng.Float64()
		}
		x := playSet(r.OneA, n, func() (share, ret float64) { return s.game(m.A, m.B, draw()) })
		if r.OneB != nil {
			r.ShareProducts += x * playSet(r.OneB, n, func() (share, ret float64) { return s.game(m.B, m.A, 1-draw()) })
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

// game returns what a focal agent among others got with these dice, uniform in 0..1. Returns
// in games for money have a long tail to the right.
func (s *simulation) game(focal, other string, dice float64) (share, ret float64) {
	n, mean := float64(s.spec.Seats), s.cell(focal, other)
	if s.spec.Payoff == engine.Money {
		ret = mean + cmp.Or(s.spread, 1)*(min(-math.Log(dice), 15)-1)
		return (1 + ret/s.spec.MaxReturn) / n, ret
	}
	if dice < 1/n+mean {
		return 1, 1
	}
	return 0, -1 / (n - 1)
}

// cell is the true mean outcome of a focal agent among others: return, or share above parity.
func (s *simulation) cell(focal, other string) float64 {
	d, n := s.theta[focal]-s.theta[other], float64(s.spec.Seats)
	if s.spec.Payoff == engine.Money {
		return d
	}
	return sigmoid(d-math.Log(n-1)) - 1/n
}

// playSet adds a set to a lineup and returns its share.
func playSet(l *messages.Lineup, seats int, game func() (share, ret float64)) float64 {
	share, ret := 0.0, 0.0
	for range seats {
		x, y := game()
		l.Games++
		if y > 0 {
			l.Wins++
		}
		l.GameShareSquares += x * x
		share += x
		ret += y
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
