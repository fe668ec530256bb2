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
	// own is what the first of two agents has over the other beyond the difference of their strengths.
	own map[[2]string]float64
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
	r := &messages.Result{Schema: messages.SchemaVersion, Run: m.Run, Match: m}
	var one, other []byte // lineups
	for range m.Sets {
		dice := s.rng.Float64()
		shared := s.rng.Float64() < s.luck
		draw := func() float64 {
			if shared {
				return dice
			}
			return s.rng.Float64()
		}
		one = s.playSet(one, func() float64 { return s.game(m.A, m.B, draw()) })
		if n > 2 {
			other = s.playSet(other, func() float64 { return s.game(m.B, m.A, 1-draw()) })
		}
	}
	r.Returns = append(one, other...)
	if err := messages.SumUp(s.spec, r); err != nil {
		panic(err)
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

// game returns the return of a focal agent among others with these dice, uniform in 0..1. Returns
// in games for money have a long tail to the right.
func (s *simulation) game(focal, other string, dice float64) float64 {
	n, mean := float64(s.spec.Seats), s.cell(focal, other)
	if s.spec.Payoff == engine.Money {
		return mean + cmp.Or(s.spread, 1)*(min(-math.Log(dice), 15)-1)
	}
	if dice < 1/n+mean {
		return 1
	}
	return -1 / (n - 1)
}

// cell is the true mean outcome of a focal agent among others: return, or share above parity.
func (s *simulation) cell(focal, other string) float64 {
	d, n := s.theta[focal]-s.theta[other]+s.own[[2]string{focal, other}], float64(s.spec.Seats)
	if s.spec.Payoff == engine.Money {
		return d
	}
	return sigmoid(d-math.Log(n-1)) - 1/n
}

// playSet appends the returns of a set's games. Where the focal agent loses, the seat after it wins
// or, for money, all others share what it has lost.
func (s *simulation) playSet(column []byte, game func() float64) []byte {
	n := s.spec.Seats
	returns := make([]float64, n)
	for focal := range n {
		ret := game()
		for seat := range returns {
			returns[seat] = -ret / float64(n-1)
		}
		if s.spec.Payoff != engine.Money && ret < 0 {
			for seat := range returns {
				returns[seat] = ret
			}
			returns[(focal+1)%n] = 1
		}
		returns[focal] = ret
		for _, v := range returns {
			column = messages.AppendFloat(column, float32(v))
		}
	}
	return column
}

// league plays the given sets of every pair and returns the book.
func (s *simulation) league(agents []string, sets uint64) *book {
	b := newBook(s.spec, "run", testRules, sequential{})
	for i, x := range agents {
		for _, y := range agents[:i] {
			if err := b.apply(s.play(b.match(newPairKey(x, y), span{0, sets}, 0))); err != nil {
				panic(err)
			}
		}
	}
	return b
}
