package bench

import (
	"context"
	"slices"
)

// Parts lists what can be measured, in the order of measurement.
var Parts = []string{"engine", "gemm", "inference", "learner", "cfr", "cluster"}

// Measure measures the wanted [Parts] one after the other. version is the program's, for
// the report.
func (o *Options) Measure(ctx context.Context, wanted []string, version string) (*Report, error) {
	report := &Report{Machine: ThisMachine(version)}
	for i, measure := range []func(wanted bool) error{
		part(ctx, &report.Engine, o.Engine),
		part(ctx, &report.Gemm, o.Gemm),
		part(ctx, &report.Inference, o.Inference),
		part(ctx, &report.Learner, o.Learner),
		part(ctx, &report.CFR, o.CFR),
		part(ctx, &report.Cluster, o.Clusters),
	} {
		if err := measure(slices.Contains(wanted, Parts[i])); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// part returns a function that measures a part if it is wanted and otherwise leaves its
// list empty.
func part[T any](
	ctx context.Context, results *[]T, measure func(context.Context) ([]T, error),
) func(wanted bool) error {
	return func(wanted bool) (err error) {
		*results = []T{}
		if wanted {
			*results, err = measure(ctx)
		}
		return err
	}
}
