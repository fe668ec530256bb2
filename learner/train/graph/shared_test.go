package graph

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
	"croupier/nn/kernel"
)

// A network and its weights are shared by all goroutines that play, and by the graphs of all workers that learn. These
// tests run over [nntest.Descriptions], which have every kind of layer.

const (
	sharers      = 8
	sharedRounds = 30 // of each, so that they meet
	sharedRows   = 16
	sharedSteps  = 4
)

// TestSharedNetwork: goroutines with evaluators of their own on one network compute the bits that one alone does.
func TestSharedNetwork(t *testing.T) {
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(12, 0)
		network, err := nn.NewNetwork(l, randomParameters(l, rng))
		require.NoError(t, err)
		requireShareable(t, func(int) func() []float32 {
			batch := randomBatch(l, sharedRows, 1, rng)
			return func() []float32 { return forwardBits(network, batch) }
		})
	})
}

// forwardBits returns what a new evaluator computes for the rows of the batch.
func forwardBits(n *nn.Network, b *Batch) (results []float32) {
	e := n.NewEvaluator(b.Rows, b.Rows)
	for row := range b.Rows {
		copy(e.Observation(row), observationOf(b, row, n.Layout.Spec))
		e.SetLegal(row, b.Legal(row))
	}
	for range 2 { // the second one reads the recurrent states of the first
		e.Forward(b.Rows)
		for row := range b.Rows {
			results = append(append(results, e.LogProbs(row)...), e.Value(row))
		}
	}
	return results
}

// TestSharedWeights: graphs of the same weights that run at the same time compute the bits that one alone does.
func TestSharedWeights(t *testing.T) {
	for _, p := range []kernel.Precision{kernel.FP32, kernel.BF16} {
		t.Run(p.String(), func(t *testing.T) {
			if p == kernel.BF16 && !kernel.HasBF16() {
				t.Skip("needs AVX512-BF16")
			}
			forEachDescription(t, func(t *testing.T, l *nn.Layout) { requireSharedWeights(t, p, l) })
		})
	}
}

func requireSharedWeights(t *testing.T, p kernel.Precision, l *nn.Layout) {
	rng := engine.NewRNG(13, 0)
	weights := NewWeights(l, p)
	graphs := make([]*Graph, sharers)
	for i := range graphs {
		var err error
		graphs[i], err = newWith(testKinds, weights, sharedRows, sharedSteps)
		require.NoError(t, err)
		copyRows(graphs[i].Batch, randomBatch(l, sharedRows, sharedSteps, rng))
	}
	copy(weights.Flat, randomParameters(l, rng))
	weights.Pack(oneByOne)
	requireShareable(t, func(i int) func() []float32 {
		gradient := make([]float32, l.Size)
		return func() []float32 {
			_, err := graphs[i].Gradient(lossOf(l, testLoss), gradient)
			require.NoError(t, err)
			actions, values := graphs[i].Outputs()
			return slices.Concat(gradient, actions, values)
		}
	})
}

// requireShareable checks that goroutines at the same time compute, to the bit, what each computes alone. make returns
// what the i-th one computes, which differs from the others'.
func requireShareable(t *testing.T, make func(i int) (compute func() []float32)) {
	var computes []func() []float32
	var alone [][]float32
	for i := range sharers {
		computes = append(computes, make(i))
		alone = append(alone, computes[i]())
	}
	var running sync.WaitGroup
	var different [sharers]int // rounds
	for i, compute := range computes {
		running.Go(func() {
			for range sharedRounds {
				if !slices.Equal(alone[i], compute()) {
					different[i]++
				}
			}
		})
	}
	running.Wait()
	require.Zero(t, different, "rounds in which each goroutine computed something else than alone")
}
