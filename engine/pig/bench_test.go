package pig

import (
	"testing"

	"croupier/engine"
)

// BenchmarkPlayouts plays random games on one core and reports the decisions a
// second, without and with the observation of each.
func BenchmarkPlayouts(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkPlayouts(b, newState(b, ""), false) })
	b.Run("observed", func(b *testing.B) { benchmarkPlayouts(b, newState(b, ""), true) })
}

func benchmarkPlayouts(b *testing.B, s *State, observe bool) {
	var (
		rng         engine.RNG
		legal       = make([]int, 0, 2)
		observation = make([]float32, observationSize)
		decisions   int
	)
	rng.Seed(1, 0)
	for b.Loop() {
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if s.Player() == engine.Chance {
				step = s.SampleChance(&rng)
			} else {
				decisions++
				if observe {
					s.Observe(s.Player(), observation)
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
