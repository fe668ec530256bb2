package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
)

// loss is the error that a step of the fitter would report for one sample.
func loss(f *fitter, samples []sample) float64 {
	return f.step(samples, 0, engine.NewRNG(1, 1))
}

// The gradient is that of finite differences.
func TestGradientIsThatOfFiniteDifferences(t *testing.T) {
	rng := engine.NewRNG(3, 0)
	n := newNetwork(rng)
	for i := range n.weights[len(n.weights)-1] {
		n.weights[len(n.weights)-1][i] *= 100 // begins near 0, where a gradient would hide
	}
	samples := make([]sample, 4)
	for i := range samples {
		for j := range samples[i].input {
			samples[i].input[j] = float32(rng.Float64())
		}
		samples[i].target = money{1, -2, 1}
	}
	f := newFitter(n)
	loss(f, samples)
	for layer := range layerSizes {
		for _, parameters := range []struct {
			values []float32
			fit    parameterFit
		}{{n.weights[layer], f.layers[layer].weights}, {n.biases[layer], f.layers[layer].biases}} {
			gradient := append([]float32(nil), parameters.fit.gradient...)
			for i := 0; i < len(parameters.values); i += 1 + len(parameters.values)/7 {
				const h = 1e-3 // few rectifiers switch in between
				old := parameters.values[i]
				parameters.values[i] = old + h
				up := loss(f, samples)
				parameters.values[i] = old - h
				down := loss(f, samples)
				parameters.values[i] = old
				// The loss is a mean over seats, the gradient that of the sum.
				require.InDelta(t, seats*(up-down)/(2*h), gradient[i], 2e-2, "layer %d, parameter %d", layer, i)
			}
		}
	}
}

// Without exploration and discount a correction is the sum of all differences to come,
// an explored turn ends the sum, and so does one of the last round, whose value the turn before knows.
func TestCorrectionsSumUntilAnExploredTurn(t *testing.T) {
	records := make([]turnRecord, 4)
	for i := range records {
		records[i].value, records[i].backup = money{1, 0, -1}, money{1 + float32(i+1), 0, -1 - float32(i+1)}
	}
	require.Equal(t, []money{{10, 0, -10}, {9, 0, -9}, {7, 0, -7}, {4, 0, -4}}, correct(records, 1))
	require.Equal(t, []money{{1, 0, -1}, {2, 0, -2}, {3, 0, -3}, {4, 0, -4}}, correct(records, 0))
	records[1].explored = true
	require.Equal(t, []money{{3, 0, -3}, {2, 0, -2}, {7, 0, -7}, {4, 0, -4}}, correct(records, 1))
	records[1].explored, records[2].final = false, true
	require.Equal(t, []money{{3, 0, -3}, {2, 0, -2}, {7, 0, -7}, {4, 0, -4}}, correct(records, 1))
}

// tiny is a training of a second.
func tiny() TrainConfig {
	c := DefaultTrainConfig()
	c.Seed = 10 // of which the games are short
	c.Opening, c.Iterations, c.Games, c.Steps, c.Validation = 100, 1, 2, 30, 1
	return c
}

// The result depends on the settings, not on the number of workers.
func TestTrainingIsReproducible(t *testing.T) {
	train := func(workers int) (table []byte, reports []TrainProgress) {
		c := tiny()
		c.Workers = workers
		v, err := Train(t.Context(), c, func(p TrainProgress) { reports = append(reports, p) })
		require.NoError(t, err)
		return v.table(), reports
	}
	one, reports := train(1)
	two, _ := train(2)
	require.Equal(t, one, two)
	require.Len(t, reports, 2)
	for _, r := range reports[1:] {
		require.Greater(t, r.Residual, 0.)
	}
}

func TestTrainingRefusesSettings(t *testing.T) {
	c := tiny()
	c.Games = 0
	require.ErrorContains(t, c.Validate(), "games is 0")
}

// A standing and the same one with the score of a seat behind others changed: features
// are finite, and differ.
func TestFeaturesTellStandingsApart(t *testing.T) {
	a := langestrasse.Standing{Points: [seats]int32{9500, 4000, 12000}, Strich: 5, Round: 14, Seat: 1}
	var x, y [features]float32
	describe(&a, reach(), x[:])
	for _, change := range []func(*langestrasse.Standing){
		func(s *langestrasse.Standing) { s.Points[0] += Step },
		func(s *langestrasse.Standing) { s.Points[1] += Step },
		func(s *langestrasse.Standing) { s.Points[2] += Step },
		func(s *langestrasse.Standing) { s.Strich = 7 },
		func(s *langestrasse.Standing) { s.Round = 13 },
		func(s *langestrasse.Standing) { s.Round = 5 },
	} {
		b := a
		change(&b)
		describe(&b, reach(), y[:])
		require.NotEqual(t, x, y, "%+v", b)
	}
}

func TestProgressSaysWhatItMeans(t *testing.T) {
	require.Equal(t, "fitted to 30 turns of games between turn optima: error 0.500 units",
		TrainProgress{Samples: 30, Loss: 0.5}.String())
	require.Contains(t, TrainProgress{Iteration: 2, Of: 10}.String(), "iteration 2 of 10: ")
}
