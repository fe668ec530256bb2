package train

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/bank"
	"croupier/nn"
)

// BenchmarkIteration measures samples per second, over whole iterations with all their
// epochs, on all cores.
func BenchmarkIteration(b *testing.B) {
	dice, err := bank.New(nil)
	require.NoError(b, err)
	for _, game := range []engine.Game{leducGame(b), dice} {
		for name, d := range map[string]nn.Description{
			"dense 64 64":      {Dense: []int{64, 64}},
			"dense 64 lstm 64": {Dense: []int{64}, LSTM: []int{64}},
			"R128":             {Dense: []int{128}, LSTM: []int{128}},
		} {
			b.Run(game.Spec().Name+" "+name, func(b *testing.B) { benchmarkIteration(b, game, d) })
		}
	}
}

func benchmarkIteration(b *testing.B, game engine.Game, d nn.Description) {
	r := randomRollout(b, game, 1<<14)
	layout := testLayout(b, game, d)
	n, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(b, err)
	c := DefaultConfig()
	c.PPO.KLStop = 0
	tr, err := newPPO(c.PPO, Setup{c, []engine.Game{game}, n, 1, runtime.GOMAXPROCS(0), nil, 0, nil})
	require.NoError(b, err)
	samples := 0
	for b.Loop() {
		_, err := tr.Learn(b.Context(), r, 0)
		require.NoError(b, err)
		samples += r.Len()
	}
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds(), "samples/s")
}
