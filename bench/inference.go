package bench

import (
	"context"
	"sync"

	"croupier/engine"
	"croupier/nn"
)

// inferenceRows is how many rows each thread evaluates between two looks at the clock.
const inferenceRows = 1024

// Inference measures forward passes with sampling.
func (o *Options) Inference(ctx context.Context) ([]Inference, error) {
	var (
		results  []Inference
		subjects []subject
	)
	for _, n := range o.Networks {
		layout, err := nn.NewLayout(n.Description, n.Spec)
		if err != nil {
			return nil, err
		}
		weights, err := nn.NewNetwork(layout, layout.Init(1))
		if err != nil {
			return nil, err
		}
		for _, threads := range threadCounts() {
			for _, batch := range []int{1, 64, 256} {
				results = append(results, Inference{Net: n.Name, Batch: batch, Threads: threads})
				subjects = append(subjects, subject{threads, inference(weights, n.Positions, batch, threads)})
			}
		}
	}
	spreads, err := o.measure(ctx, "inference", subjects)
	if err != nil {
		return nil, err
	}
	for i, s := range spreads {
		results[i].DecisionsPerSecond, results[i].Spread = s.Median, s
	}
	return results, nil
}

// inference has every thread make decisions in batches. Observations and legal actions are
// not copied in each time, since games write them in place too.
func inference(n *nn.Network, p []Position, batch, threads int) func() (float64, error) {
	deciders := make([]decider, threads)
	for i := range deciders {
		deciders[i] = newDecider(n, p, batch, uint64(i))
	}
	times := inferenceRows / batch
	return func() (float64, error) {
		var others sync.WaitGroup
		for i := range deciders[1:] {
			others.Go(func() { deciders[i+1].decide(times) })
		}
		deciders[0].decide(times)
		others.Wait()
		return float64(threads * times * batch), nil
	}
}

// decider makes decisions on one core.
type decider struct {
	evaluator *nn.Evaluator
	batch     int
	rng       *engine.RNG
}

func newDecider(n *nn.Network, p []Position, batch int, seed uint64) decider {
	d := decider{n.NewEvaluator(batch, batch), batch, engine.NewRNG(seed, engine.ActionStream)}
	for row := range batch {
		position := p[(int(seed)+row)%len(p)]
		copy(d.evaluator.Observation(row), position.Observation)
		d.evaluator.SetLegal(row, position.Legal)
	}
	return d
}

func (d *decider) decide(times int) {
	for range times {
		d.evaluator.Forward(d.batch)
		for row := range d.batch {
			d.evaluator.Sample(row, d.rng)
		}
	}
}
