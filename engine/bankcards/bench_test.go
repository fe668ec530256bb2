package bankcards

import (
	"testing"

	"croupier/engine"
)

// benchmarkPlayouts plays random games on one core and reports the decisions a second.
func benchmarkPlayouts(b *testing.B, observed bool) {
	g, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	var (
		s           = g.NewState().(*State)
		rng         = engine.NewRNG(1, engine.ChanceStream)
		legal       = make([]int, 0, g.Spec().Actions)
		observation = make([]float32, g.Spec().ObservationSize)
		decisions   int
	)
	b.ReportAllocs()
	for b.Loop() {
		for s.Reset(); s.Player() != engine.Terminal; {
			var step int
			if s.Player() == engine.Chance {
				step = s.SampleChance(rng)
			} else {
				decisions++
				if observed {
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

func BenchmarkPlayouts(b *testing.B)         { benchmarkPlayouts(b, false) }
func BenchmarkPlayoutsObserved(b *testing.B) { benchmarkPlayouts(b, true) }
