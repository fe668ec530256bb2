package ratingtest

import (
	"cmp"
	"math"
	"strings"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

// Simulation makes results of agents with known strengths.
type Simulation struct {
	Spec  *engine.Spec
	Theta map[string]float64 // nats, or the game's unit
	// Luck is the probability that all games of a set have the same dice and so the
	// same outcome, in both lineups: what clusters are for.
	Luck float64
	RNG  *engine.RNG
	// Own is what the first of two agents has over the other beyond the difference of their strengths.
	Own map[[2]string]float64
	// Spread of a game's return in games for money; 0: 1.
	Spread float64
}

// Spec is a game that is not played, with two figures.
func Spec(seats int) *engine.Spec {
	return &engine.Spec{Name: "test", Seats: seats, Actions: 2, MaxReturn: 1, Unit: "wins", Temperature: 1,
		Figures: []engine.Figure{
			{Name: "points", Unit: "points", Per: "turn", Help: "random points"},
			{Name: "aces", Unit: engine.Share, Per: "turn", Help: "a part of random turns"},
		}}
}

// MoneySpec is testSpec for money.
func MoneySpec(seats int) *engine.Spec {
	spec := Spec(seats)
	spec.Payoff, spec.MaxReturn, spec.Unit = engine.Money, 20, "coins"
	return spec
}

// Kind takes versions for networks, and all others for bots.
func Kind(name string) string {
	if strings.Contains(name, "@") {
		return "network"
	}
	return "bot"
}

// Rules is the hash of its rules.
var Rules = engine.RulesHash(Game{Is: Spec(2)})

// Game is the game that is not played.
type Game struct {
	Is      *engine.Spec
	Variant int // of its rules
}

// Spec implements engine.Game.
func (g Game) Spec() *engine.Spec { return g.Is }

// Rules implements engine.Game.
func (g Game) Rules() any { return g.Variant }

// NewState implements engine.Game.
func (Game) NewState() engine.State { panic("ratingtest: a game that nobody plays") }

// Bots implements engine.Game.
func (Game) Bots() *engine.Bots { return &engine.Bots{} }

// Play returns a result with random games. It depends on rng.
func (s *Simulation) Play(m *messages.Match) *messages.Result {
	n := s.Spec.Seats
	r := &messages.Result{Schema: messages.SchemaVersion, Run: m.Run, Match: m}
	var one, other []byte // lineups
	for range m.Sets {
		dice := s.RNG.Float64()
		shared := s.RNG.Float64() < s.Luck
		draw := func() float64 {
			if shared {
				return dice
			}
			return s.RNG.Float64()
		}
		one = s.playSet(one, func() float64 { return s.game(m.A, m.B, draw()) })
		if n > 2 {
			other = s.playSet(other, func() float64 { return s.game(m.B, m.A, 1-draw()) })
		}
	}
	r.Returns = append(one, other...)
	if err := messages.SumUp(s.Spec, r); err != nil {
		panic(err)
	}
	r.FiguresA, r.FiguresB = s.measure(m, 1), s.measure(m, 2)
	return r
}

// measure returns random figures, in thirds, that depend on the match and the stream
// alone.
func (s *Simulation) measure(m *messages.Match, stream uint64) *messages.FigureSums {
	rng := engine.NewRNG(m.FirstSet, stream)
	all := make([]stat.Ratio, len(s.Spec.Figures))
	for range m.Sets {
		turns, aces := 1+rng.IntN(5), rng.IntN(2)
		all[0].Add(float64(rng.IntN(1000)*turns)/3, float64(turns))
		all[1].Add(float64(aces)/3, float64(turns))
	}
	return messages.PackFigures(s.Spec.Figures, all)
}

// game returns the return of a focal agent among others with these dice, uniform in 0..1. Returns
// in games for money have a long tail to the right.
func (s *Simulation) game(focal, other string, dice float64) float64 {
	n, mean := float64(s.Spec.Seats), s.Cell(focal, other)
	if s.Spec.Payoff == engine.Money {
		return mean + cmp.Or(s.Spread, 1)*(min(-math.Log(dice), 15)-1)
	}
	if dice < 1/n+mean {
		return 1
	}
	return -1 / (n - 1)
}

// Cell is the true mean outcome of a focal agent among others: return, or share above parity.
func (s *Simulation) Cell(focal, other string) float64 {
	d, n := s.Theta[focal]-s.Theta[other]+s.Own[[2]string{focal, other}], float64(s.Spec.Seats)
	if s.Spec.Payoff == engine.Money {
		return d
	}
	return 1/(1+math.Exp(math.Log(n-1)-d)) - 1/n
}

// playSet appends the returns of a set's games. Where the focal agent loses, the seat after it wins
// or, for money, all others share what it has lost.
func (s *Simulation) playSet(column []byte, game func() float64) []byte {
	n := s.Spec.Seats
	returns := make([]float64, n)
	for focal := range n {
		ret := game()
		for seat := range returns {
			returns[seat] = -ret / float64(n-1)
		}
		if s.Spec.Payoff != engine.Money && ret < 0 {
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
