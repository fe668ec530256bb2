package enginetest

import (
	"testing"

	"croupier/engine"
	"croupier/internal/platform"
)

// BenchmarkPlayouts plays random games on one core under each of the rules documents, and
// reports the decisions per second and per second of processor time, which says more on a busy
// machine, without and with the observation of each.
func BenchmarkPlayouts(b *testing.B, newGame New, documents ...string) {
	for _, document := range documents {
		g, err := newGame([]byte(document))
		if err != nil {
			b.Fatal(err)
		}
		s, observation := g.NewState(), make([]float32, g.Spec().ObservationSize)
		name := document
		if name == "" {
			name = "default rules"
		}
		b.Run(name+"/plain", func(b *testing.B) { benchmark(b, g, s, nil) })
		b.Run(name+"/observed", func(b *testing.B) { benchmark(b, g, s, observation) })
	}
}

func benchmark(b *testing.B, g engine.Game, s engine.State, observation []float32) {
	rng, legal, decisions := engine.NewRNG(1, engine.ChanceStream), make([]int, 0, g.Spec().Actions), 0
	b.ReportAllocs()
	before := platform.ProcessorTime()
	for b.Loop() {
		n, err := engine.Playouts(s, 1, rng, legal, observation)
		if err != nil {
			b.Fatal(err)
		}
		decisions += n
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(float64(decisions)/(platform.ProcessorTime()-before).Seconds(), "decisions/cpu-s")
}
