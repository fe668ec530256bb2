package bank

import (
	"testing"

	"croupier/engine"
	"croupier/internal/strict"
)

// benchmarkPlayouts plays random games on one core and reports the decisions a second.
func benchmarkPlayouts(b *testing.B, rules string, decide func(s *State)) {
	g, err := New(strict.YAML(rules))
	if err != nil {
		b.Fatal(err)
	}
	var (
		s         = g.NewState().(*State)
		rng       engine.RNG
		legal     = make([]int, 0, 2)
		decisions int
	)
	rng.Seed(1, 0)
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
	for _, rules := range []string{"players: 2", "players: 3", "players: 8"} {
		b.Run(rules, func(b *testing.B) { benchmarkPlayouts(b, rules, func(*State) {}) })
	}
}

func BenchmarkPlayoutsObserved(b *testing.B) {
	for _, rules := range []string{"players: 2", "players: 3", "players: 8"} {
		b.Run(rules, func(b *testing.B) {
			g, err := New(strict.YAML(rules))
			if err != nil {
				b.Fatal(err)
			}
			observation := make([]float32, g.Spec().ObservationSize)
			benchmarkPlayouts(b, rules, func(s *State) { s.Observe(s.Player(), observation) })
		})
	}
}
