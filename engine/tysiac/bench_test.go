package tysiac

import (
	"testing"

	"croupier/engine"
	"croupier/internal/strict"
)

// benchmarkPlayouts plays random games on one core and reports the decisions a second.
func benchmarkPlayouts(b *testing.B, makeGame func(*strict.Document) (engine.Game, error), decide func(s *State)) {
	g, err := makeGame(nil)
	if err != nil {
		b.Fatal(err)
	}
	var (
		s         = g.NewState().(*State)
		rng       engine.RNG
		legal     = make([]int, 0, Actions)
		decisions int
	)
	rng.Seed(1, 0)
	b.ReportAllocs()
	for b.Loop() {
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if s.Player() == engine.Chance {
				step = s.SampleChance(&rng)
			} else {
				decisions++
				decide(s)
				legal = s.LegalActions(legal[:0])
				step = legal[rng.IntN(len(legal))]
			}
			if err := s.Apply(step); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
}

func BenchmarkPlayouts(b *testing.B) {
	b.Run("tysiac", func(b *testing.B) { benchmarkPlayouts(b, New, func(*State) {}) })
	b.Run("tysiac-hand", func(b *testing.B) { benchmarkPlayouts(b, NewHand, func(*State) {}) })
}

func BenchmarkPlayoutsObserved(b *testing.B) {
	observation := make([]float32, observationSize)
	observe := func(s *State) { s.Observe(s.Player(), observation) }
	b.Run("tysiac", func(b *testing.B) { benchmarkPlayouts(b, New, observe) })
	b.Run("tysiac-hand", func(b *testing.B) { benchmarkPlayouts(b, NewHand, observe) })
}
