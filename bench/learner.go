package bench

import (
	"context"
	"fmt"

	"croupier/nn/kernel"
)

// Size of an update's minibatch: 64 sequences of 32 decisions.
const (
	updateSequences = 64
	updateSteps     = 32
)

// Learner measures PPO updates, on one core and on all, in every precision that the processor has.
func (o *Options) Learner(ctx context.Context) ([]Training, error) {
	var results []Training
	var subjects []subject
	for _, n := range o.Networks {
		for _, p := range precisions() {
			for _, threads := range threadCounts() {
				updates, err := newUpdates(n, p, updateSequences, updateSteps, threads)
				if err != nil {
					return nil, fmt.Errorf("learner: %w", err)
				}
				results = append(results, Training{Net: n.Name, Precision: p.String(), Threads: threads})
				subjects = append(subjects, subject{threads, func() (float64, error) {
					return updateSequences * updateSteps, updates.run(ctx)
				}})
			}
		}
	}
	spreads, err := o.measure(ctx, "learner", subjects)
	if err != nil {
		return nil, err
	}
	for i, s := range spreads {
		results[i].SamplesPerSecond, results[i].Spread = s.Median, s
		results[i].MsPerUpdate = 1000 * updateSequences * updateSteps / s.Median
	}
	return results, nil
}

func precisions() []kernel.Precision {
	if kernel.HasBF16() {
		return []kernel.Precision{kernel.FP32, kernel.BF16}
	}
	return []kernel.Precision{kernel.FP32}
}
