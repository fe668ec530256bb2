package solve

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/internal/stat"
	"croupier/policy"
)

// Estimate is a sampled mean.
type Estimate struct {
	Samples   int
	Mean      float64
	StdDev    float64 // of one sample
	Low, High float64 // 95 % interval of the mean
}

func newEstimate(m stat.Moments) Estimate {
	i := m.Interval()
	return Estimate{Samples: int(math.Round(m.N)), Mean: m.Mean, StdDev: m.Deviation(), Low: i.Low, High: i.High}
}

// Contains reports whether a value is in the interval widened by a factor.
func (e Estimate) Contains(value, factor float64) bool {
	return math.Abs(value-e.Mean) <= factor*(e.High-e.Mean)
}

// block is the number of hands that come from one seed.
const block = 1 << 16

// Simulate plays hands through the engine, on all cores, with the policies that seats returns for each
// core, and estimates the result of every seat. The same seed gives the same estimates
// on any machine.
func Simulate(
	ctx context.Context, g *banluck.Game, seats func() []policy.Policy, count int, seed uint64,
) ([]Estimate, error) {
	n := g.Spec().Seats
	return sample(ctx, count, n, func() sampler {
		t := newSimulator(g, seats())
		return func(rng *engine.RNG, dst []float64) error { return t.play(rng, dst) }
	}, seed)
}

// simulator plays hands, for one goroutine.
type simulator struct {
	engine.Play
	seats []policy.Policy
}

func newSimulator(g engine.Game, seats []policy.Policy) *simulator {
	t := &simulator{Play: engine.Play{State: g.NewState()}, seats: seats}
	t.Choose = func(seat int, legal []int) int { return t.seats[seat].Choose(t.State, legal, t.Chance) }
	return t
}

// play plays one hand, whose cards and choices come from rng, and writes the returns.
func (t *simulator) play(rng *engine.RNG, dst []float64) error {
	for _, p := range t.seats {
		p.Reset()
	}
	t.Chance = rng
	t.State.Reset()
	if err := t.ToEnd(); err != nil {
		return fmt.Errorf("solver: banluck: simulation: %w", err)
	}
	t.State.Returns(dst)
	return nil
}

// sampler writes one sample of several numbers.
type sampler func(rng *engine.RNG, dst []float64) error

// sample takes samples of the given width on all cores, in blocks with seeds of their own, and
// merges the blocks in order.
func sample(ctx context.Context, count, width int, newSampler func() sampler, seed uint64) ([]Estimate, error) {
	blocks := make([][]stat.Moments, (count+block-1)/block)
	group, ctx := errgroup.WithContext(ctx)
	workers := min(runtime.GOMAXPROCS(0), len(blocks))
	for worker := range workers {
		group.Go(func() error {
			take, dst := newSampler(), make([]float64, width)
			for b := worker; b < len(blocks); b += workers {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				moments := make([]stat.Moments, width)
				rng := engine.NewRNG(engine.GameSeed(seed, "solve/banluck", uint64(b)), engine.ChanceStream)
				for range min(count-b*block, block) {
					if err := take(rng, dst); err != nil {
						return err
					}
					for j, v := range dst {
						moments[j].Add(v)
					}
				}
				blocks[b] = moments
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	estimates := make([]Estimate, width)
	for j := range estimates {
		var all stat.Moments
		for _, block := range blocks {
			all.Merge(block[j])
		}
		estimates[j] = newEstimate(all)
	}
	return estimates, nil
}

// Played are estimates from hands that a [CrowdSolution] plays in all seats through the engine.
type Played struct {
	EV      Estimate // mean result of the players
	Reveals Estimate // how often the dealer reveals and has to play on in a hand
}

// Simulate plays hands. The same seed gives the same estimates on any machine.
func (s *CrowdSolution) Simulate(ctx context.Context, count int, seed uint64) (Played, error) {
	n := s.Players
	estimates, err := sample(ctx, count, 2, func() sampler {
		seats, returns := make([]policy.Policy, n+1), make([]float64, n+1)
		for seat := range n {
			seats[seat] = s.Policy()
		}
		dealer := &revealer{Policy: s.Policy()}
		seats[n] = dealer
		t := newSimulator(s.crowd.table, seats)
		return func(rng *engine.RNG, dst []float64) error {
			before := dealer.reveals
			err := t.play(rng, returns)
			dst[0], dst[1] = -returns[n]/float64(n), float64(dealer.reveals-before)
			return err
		}
	}, seed)
	if err != nil {
		return Played{}, err
	}
	return Played{estimates[0], estimates[1]}, nil
}

// revealer counts the reveals of a dealer.
type revealer struct {
	policy.Policy
	reveals int
}

// Choose implements policy.Policy.
func (r *revealer) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	action := r.Policy.Choose(s, legal, rng)
	if action == banluck.Reveal {
		r.reveals++
	}
	return action
}
