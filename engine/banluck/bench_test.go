package banluck

import (
	"testing"

	"croupier/engine"
	"croupier/internal/strict"
)

// benchmarkPlayouts plays random hands on one core and reports the decisions a second.
func benchmarkPlayouts(b *testing.B, rules string, observed bool) {
	g, err := New(strict.YAML(rules))
	if err != nil {
		b.Fatal(err)
	}
	var (
		s           = g.NewState()
		rng         engine.RNG
		legal       = make([]int, 0, actions)
		observation = make([]float32, g.Spec().ObservationSize)
		decisions   int
	)
	rng.Seed(1, 0)
	b.ReportAllocs()
	for b.Loop() {
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if seat := s.Player(); seat == engine.Chance {
				step = s.SampleChance(&rng)
			} else {
				decisions++
				if observed {
					s.Observe(seat, observation)
				}
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

var benchmarkRules = []string{"players: 1", "players: 2", "players: 4"}

func BenchmarkPlayouts(b *testing.B) {
	for _, rules := range benchmarkRules {
		b.Run(rules, func(b *testing.B) { benchmarkPlayouts(b, rules, false) })
	}
}

func BenchmarkPlayoutsObserved(b *testing.B) {
	for _, rules := range benchmarkRules {
		b.Run(rules, func(b *testing.B) { benchmarkPlayouts(b, rules, true) })
	}
}
