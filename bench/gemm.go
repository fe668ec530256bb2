package bench

import (
	"context"

	"croupier/engine"
	"croupier/nn/kernel"
)

// minOperations is the least number of floating-point operations between two looks at the
// clock.
const minOperations = 1 << 21

// products lists the measured shapes: those of training, which pack the right factor each
// time, and those of playing with a network of 128 units, whose weights are already packed.
var products = []Product{
	{M: 256, N: 256, K: 1024},
	{M: 2048, N: 128, K: 512},
	{M: 128, N: 512, K: 2048},
	{M: 64, N: 64, K: 64},
	{M: 64, N: 128, K: 128, Packed: true},
	{M: 64, N: 512, K: 256, Packed: true},
	{M: 1, N: 512, K: 256, Packed: true},
}

// Gemm measures matrix products; those of training on one core and on all.
func (o *Options) Gemm(ctx context.Context) ([]Product, error) {
	var (
		results  []Product
		subjects []subject
	)
	for _, threads := range threadCounts() {
		m := kernel.NewMultiplier(threads, kernel.FP32)
		defer m.Close()
		for _, p := range products {
			p.Threads = threads
			work := p.multiply(m)
			if p.Packed {
				if threads > 1 {
					continue // in play each core has a batch of its own
				}
				work = p.multiplyPacked()
			}
			results, subjects = append(results, p), append(subjects, subject{threads, p.repeat(work)})
		}
	}
	spreads, err := o.measure(ctx, "gemm", subjects)
	if err != nil {
		return nil, err
	}
	for i, s := range spreads {
		results[i].GFLOPS, results[i].Spread = s.Median, s
	}
	return results, nil
}

// repeat runs the product often enough and counts units of 10⁹ operations.
func (p Product) repeat(multiply func()) func() (float64, error) {
	operations := 2 * p.M * p.N * p.K
	times := max(1, minOperations/operations)
	return func() (float64, error) {
		for range times {
			multiply()
		}
		return float64(times*operations) / 1e9, nil
	}
}

func (p Product) multiply(m *kernel.Multiplier) func() {
	c := kernel.NewMatrix(make([]float32, p.M*p.N), p.M, p.N)
	a := kernel.NewMatrix(noise(p.M*p.K, 1), p.M, p.K)
	b := kernel.NewMatrix(noise(p.K*p.N, 2), p.K, p.N)
	return func() { m.Product(c, a, b) }
}

func (p Product) multiplyPacked() func() {
	layer := kernel.Pack(make([]float32, p.N), noise(p.K*p.N, 2))
	dst, x := kernel.MakeRows(p.M, p.N), kernel.Rows{Data: noise(p.M*p.K, 1), Stride: p.K}
	return func() { layer.Apply(dst, x, p.M, false) }
}

// noise returns uniform numbers with mean 0 and variance 1.
func noise(n int, seed uint64) []float32 {
	rng := engine.NewRNG(seed, 0)
	out := make([]float32, n)
	for i := range out {
		out[i] = float32((rng.Float64() - 0.5) * 3.4641016151377544) // √12
	}
	return out
}
