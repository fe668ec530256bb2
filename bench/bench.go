// Package bench measures how fast the parts of the program are on this machine: random play
// of the games, matrix products, inference, training, CFR+, and all of them together as a
// cluster.
//
// Terms:
//
//   - A subject is one thing being measured: a game, a shape, a network.
//   - A run times a subject once. The result of a measurement is the median over its runs,
//     with the smallest and the largest in its [Spread].
//   - The CPU share of a run is the part of its intended cores that the process actually
//     got. If it is well below 1 the machine was busy with something else, and the median
//     says little about the program; the largest of many runs shorter than a scheduler time
//     slice still does.
//
// The machine should otherwise be idle during a measurement.
package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"croupier/catalog"
)

// Options say how often and for how long every subject is measured.
type Options struct {
	Catalog  *catalog.Catalog
	Game     string        // of clusters
	Runs     int           // of each subject, at least 1
	Time     time.Duration // of one run
	Networks []Network     // measured in inference and training
	Cluster  ClusterOptions
	// Progress is called with what is being measured.
	Progress func(what string)
}

// Spread summarises the runs of one subject, in the unit of the median.
type Spread struct {
	Median   float64 `json:"-"` // the enclosing result encodes it under a name of its own
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Runs     int     `json:"runs"`
	CPUShare float64 `json:"cpu_share"` // median over the runs, 0..1
}

// subject is something whose speed is measured.
type subject struct {
	threads int // cores it is meant to use
	// work does a piece of about 10 µs to 10 ms and returns how many units it was.
	work func() (units float64, err error)
}

// measure times all subjects of a part. It goes round, one run of each subject after the
// other, so that a busy spell of the machine spoils one run of several subjects rather than
// all runs of one.
func (o *Options) measure(ctx context.Context, part string, subjects []subject) ([]Spread, error) {
	rates, shares := make([][]float64, len(subjects)), make([][]float64, len(subjects))
	for run := range o.Runs {
		o.Progress(fmt.Sprintf("%s: run %d of %d", part, run+1, o.Runs))
		for i, s := range subjects {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rate, share, err := s.run(o.Time)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", part, err)
			}
			rates[i], shares[i] = append(rates[i], rate), append(shares[i], share)
		}
	}
	spreads := make([]Spread, len(subjects))
	for i := range spreads {
		spreads[i] = NewSpread(rates[i], shares[i])
	}
	return spreads, nil
}

// run works for about the given time and at least once: on a busy machine a short time may
// pass without any work. It returns the units per second and the CPU share.
func (s *subject) run(length time.Duration) (rate, share float64, err error) {
	if _, err := s.work(); err != nil { // fills the caches
		return 0, 0, err
	}
	units, watch := 0.0, StartWatch()
	for units == 0 || watch.Elapsed() < length {
		n, err := s.work()
		if err != nil {
			return 0, 0, err
		}
		units += n
	}
	seconds, share := watch.Stop(s.threads)
	return units / seconds, share, nil
}

// NewSpread summarises runs by their rates and CPU shares, at least one of each.
func NewSpread(rates, shares []float64) Spread {
	return Spread{
		Median: median(rates), Min: slices.Min(rates), Max: slices.Max(rates),
		Runs: len(rates), CPUShare: median(shares),
	}
}

// median returns the median of at least one value; for an even number of values, the mean
// of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// threadCounts returns the numbers of threads to measure with: one, and all cores.
func threadCounts() []int {
	if all := runtime.GOMAXPROCS(0); all > 1 {
		return []int{1, all}
	}
	return []int{1}
}
