package bench

import (
	"context"
	"slices"
)

// Parts are what can be measured, in the order in which it is done.
var Parts = []string{"engine", "gemm", "inference", "learner", "cfr", "cluster"}

// Measure measures those of the [Parts] that are wanted, one after the other. version is
// that of the program, for the report.
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

// part returns what measures a part, if it is wanted; else its list stays empty.
func part[T any](ctx context.Context, results *[]T, measure func(context.Context) ([]T, error)) func(wanted bool) error {
	return func(wanted bool) (err error) {
		*results = []T{}
		if wanted {
			*results, err = measure(ctx)
		}
		return err
	}
}
