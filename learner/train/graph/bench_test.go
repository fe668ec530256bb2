package graph

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
	"croupier/nn/kernel"
)

// benchmarkSpec has the observation and action sizes of the reference networks.
var benchmarkSpec = &engine.Spec{
	Name: "benchmark", Seats: 2, Actions: 32, ObservationSize: 128, MaxReturn: 1,
	Segments:     []engine.Segment{{Name: "all", Size: 128}},
	ActionGroups: []engine.ActionGroup{{Name: "all", Count: 32}},
}

// BenchmarkGradient measures one forward and backward pass. R128 is the reference network
// of the training speed goals. Use -cpu 1, since a learner runs one graph per core.
func BenchmarkGradient(b *testing.B) {
	for _, c := range []struct {
		name        string
		description nn.Description
		rows, steps int
	}{
		{"R128", nn.Description{Dense: []int{128}, LSTM: []int{128}}, 64, 32},
		{"dense2x64", nn.Description{Dense: []int{64, 64}}, 2048, 1},
	} {
		for _, precision := range []kernel.Precision{kernel.FP32, kernel.BF16} {
			b.Run(fmt.Sprintf("%s/%s", c.name, precision), func(b *testing.B) {
				l := newLayout(b, c.description, benchmarkSpec)
				g := newGraphIn(b, precision, l, c.rows, c.steps)
				batch := randomBatch(l, c.rows, c.steps, engine.NewRNG(1, 0))
				parameters, gradient := l.Init(1), make([]float32, l.Size)
				b.ReportAllocs()
				for b.Loop() {
					_, err := gradientOf(g, parameters, batch, testLoss, gradient)
					require.NoError(b, err)
				}
				b.ReportMetric(float64(c.rows*c.steps*b.N)/b.Elapsed().Seconds(), "samples/s")
			})
		}
	}
}
