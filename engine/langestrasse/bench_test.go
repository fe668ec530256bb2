package langestrasse

import (
	"testing"

	"croupier/engine"
)

// benchmarkPlayouts plays random games on one core and reports the decisions a second.
func benchmarkPlayouts(b *testing.B, decide func(s *State)) {
	g, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	var (
		s         = g.NewState().(*State)
		rng       = engine.NewRNG(1, engine.ChanceStream)
		legal     = make([]int, 0, actions)
		decisions int
	)
	b.ReportAllocs()
	for b.Loop() {
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if s.Player() == engine.Chance {
				step = s.SampleChance(rng)
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

func BenchmarkPlayouts(b *testing.B) { benchmarkPlayouts(b, func(*State) {}) }

func BenchmarkPlayoutsObserved(b *testing.B) {
	observation := make([]float32, observationSize)
	benchmarkPlayouts(b, func(s *State) { s.Observe(s.Player(), observation) })
}

// BenchmarkOptimum solves the turn.
func BenchmarkOptimum(b *testing.B) {
	t := newTables()
	for b.Loop() {
		newOptimum(t)
	}
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		newTables()
	}
}
