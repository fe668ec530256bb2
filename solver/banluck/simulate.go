package banluck

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/engine/banluck"
	"croupier/policy"
)

// Estimate is a mean that was sampled.
type Estimate struct {
	Samples   int
	Mean      float64
	StdDev    float64 // of one sample
	Low, High float64 // 95 % interval of the mean
}

// quantile is that of the normal distribution for 95 % intervals.
const quantile = 1.959964

// newEstimate makes an Estimate of the sums of samples and of their squares.
func newEstimate(samples int, sum, squares float64) Estimate {
	n := float64(samples)
	mean := sum / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	half := quantile * deviation / math.Sqrt(n)
	return Estimate{Samples: samples, Mean: mean, StdDev: deviation, Low: mean - half, High: mean + half}
}

// Contains tells whether a value is in the interval, widened by a factor.
func (e Estimate) Contains(value, factor float64) bool {
	return math.Abs(value-e.Mean) <= factor*(e.High-e.Mean)
}

// block is how many hands come from one seed.
const block = 1 << 16

// Simulate plays hands through the engine, on all cores, with the policies that seats returns for each
// core, and estimates the result of every seat. The same seed gives the same estimates
// on any machine.
func Simulate(ctx context.Context, g *banluck.Game, seats func() []policy.Policy, count int, seed uint64) ([]Estimate, error) {
	n := g.Spec().Seats
	return sample(ctx, count, n, func() sampler {
		policies, state := seats(), g.NewState()
		legal := make([]int, 0, g.Spec().Actions)
		return func(rng *engine.RNG, dst []float64) error {
			return play(state, policies, legal, rng, dst)
		}
	}, seed)
}

// play plays one hand.
func play(s engine.State, policies []policy.Policy, legal []int, rng *engine.RNG, dst []float64) error {
	for _, p := range policies {
		p.Reset()
	}
	for s.Reset(); s.Player() != engine.Terminal; {
		var step int
		if seat := s.Player(); seat == engine.Chance {
			step = s.SampleChance(rng)
		} else {
			legal = s.LegalActions(legal[:0])
			step = policies[seat].Choose(s, legal, rng)
		}
		if err := s.Apply(step); err != nil {
			return fmt.Errorf("solver: banluck: simulation: %w", err)
		}
	}
	s.Returns(dst)
	return nil
}

// sampler writes one sample of several numbers.
type sampler func(rng *engine.RNG, dst []float64) error

// sample takes samples of some width on all cores, in blocks with seeds of their own, and sums blocks
// in their order.
func sample(ctx context.Context, count, width int, newSampler func() sampler, seed uint64) ([]Estimate, error) {
	type sums struct{ first, second []float64 }
	blocks := make([]sums, (count+block-1)/block)
	group, ctx := errgroup.WithContext(ctx)
	workers := min(runtime.GOMAXPROCS(0), len(blocks))
	for worker := range workers {
		group.Go(func() error {
			take, dst := newSampler(), make([]float64, width)
			for b := worker; b < len(blocks); b += workers {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				s := sums{make([]float64, width), make([]float64, width)}
				rng := engine.NewRNG(engine.GameSeed(seed, "solve/banluck", uint64(b)), engine.ChanceStream)
				for range min(count-b*block, block) {
					if err := take(rng, dst); err != nil {
						return err
					}
					for j, v := range dst {
						s.first[j] += v
						s.second[j] += v * v
					}
				}
				blocks[b] = s
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	estimates := make([]Estimate, width)
	for j := range estimates {
		first, second := 0.0, 0.0
		for _, s := range blocks {
			first += s.first[j]
			second += s.second[j]
		}
		estimates[j] = newEstimate(count, first, second)
	}
	return estimates, nil
}
