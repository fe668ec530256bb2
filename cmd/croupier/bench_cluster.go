package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/bench"
)

// clusterBench measures whole clusters, as croupier train runs them.
type clusterBench struct {
	length   time.Duration // that is measured, after
	warmUp   time.Duration
	slices   int      // of length, whose spread is told
	set      []string // settings of all runs
	progress func(string)
}

// benchClusters are the runs that are measured.
var benchClusters = []struct {
	game, net string
	set       []string // of the configuration
}{
	{"bank", "dense2x64", []string{"network.dense=[64, 64]"}},
	{"bank", "R128", []string{"network.dense=[128]", "network.lstm=[128]"}},
}

// measure runs all of them. In a profile the label "net" tells them apart.
func (b *clusterBench) measure(ctx context.Context) ([]bench.Cluster, error) {
	var results []bench.Cluster
	for _, c := range benchClusters {
		result := bench.Cluster{Game: c.game, Net: c.net}
		var err error
		pprof.Do(ctx, pprof.Labels("net", c.net), func(ctx context.Context) {
			err = b.cluster(ctx, &result, slices.Concat(c.set, b.set))
		})
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		results = append(results, result)
	}
	return results, nil
}

// cluster runs one cluster in a run directory of its own and measures it.
func (b *clusterBench) cluster(ctx context.Context, result *bench.Cluster, set []string) error {
	dir, err := os.MkdirTemp("", "croupier-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := &trainOptions{actors: runtime.NumCPU(), log: logFlags{quiet: true}}
	o.run, o.config.set = filepath.Join(dir, "run"), set
	t := &training{
		o: o, screen: newConsole(io.Discard, false),
		site: &site{dir: o.run, registry: newRegistry(), log: slog.New(slog.DiscardHandler)},
	}
	if t.config, t.game, err = o.plan(result.Game); err != nil {
		return err
	}
	closeAll, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	group, running := errgroup.WithContext(ctx)
	running, stop := context.WithCancel(running)
	group.Go(func() error { return t.run(running) })
	group.Go(func() error {
		defer stop()
		return b.watch(running, t, result)
	})
	return group.Wait()
}

// watch measures a cluster at work. The time that counts begins and ends with an
// iteration of the learner, which counts its samples all at once.
func (b *clusterBench) watch(ctx context.Context, t *training, result *bench.Cluster) error {
	name := fmt.Sprintf("cluster: %s with %s", result.Game, result.Net)
	b.progress(name + ": warm-up")
	if err := t.iterations(ctx, b.warmUp); err != nil {
		return err
	}
	first, err := t.totals()
	if err != nil {
		return err
	}
	var rates, shares []float64
	last, whole := first, bench.StartWatch()
	for slice := range b.slices {
		b.progress(fmt.Sprintf("%s: %v of %v", name, b.length*time.Duration(slice)/time.Duration(b.slices), b.length))
		watch := bench.StartWatch()
		if err := t.iterations(ctx, b.length/time.Duration(b.slices)); err != nil {
			return err
		}
		now, err := t.totals()
		if err != nil {
			return err
		}
		seconds, share := watch.Stop(runtime.NumCPU())
		rates = append(rates, (now[decisionsMade]-last[decisionsMade])/seconds)
		shares = append(shares, share)
		last = now
	}
	// In a very short time nothing may have been published: rates by decision need some.
	for last[publishedDecisions] == first[publishedDecisions] {
		if err := t.iterations(ctx, 0); err != nil {
			return err
		}
		if last, err = t.totals(); err != nil {
			return err
		}
	}
	result.Spread = bench.NewSpread(rates, shares)
	result.Seconds, result.CPUShare = whole.Stop(runtime.NumCPU())
	fillCluster(result, func(metric string) float64 { return last[metric] - first[metric] })
	return nil
}

// The metrics that a cluster is measured by, as totals names them.
const (
	decisionsMade      = "croupier_actor_decisions_total"
	publishedGames     = "croupier_actor_published_episodes_total"
	publishedBytes     = "croupier_actor_published_bytes_total"
	publishedDecisions = "croupier_actor_published_decisions_total"
	samplesTrained     = "croupier_learner_samples_total"
	gamesByFate        = "croupier_learner_episodes_total/"
	lagSum             = "croupier_learner_lag_versions_sum"
	lagCount           = "croupier_learner_lag_versions_count"
)

// fillCluster computes the result from the change of each metric in result.Seconds.
func fillCluster(result *bench.Cluster, change func(metric string) float64) {
	games := func(fate string) uint64 { return uint64(change(gamesByFate + fate)) }
	result.Published = uint64(change(publishedGames))
	result.Consumed, result.Stale = games("consumed"), games("stale")
	result.Refused, result.Lost = games("refused"), games("lost")
	produced := max(result.Published, result.Consumed+result.Stale+result.Refused+result.Lost)

	result.DecisionsPerSecond = change(decisionsMade) / result.Seconds
	result.TrainingDecisionsPerSecond = change(publishedDecisions) / result.Seconds
	result.SamplesPerSecond = change(samplesTrained) / result.Seconds
	result.ConsumedShare = float64(result.Consumed) / float64(max(produced, 1))
	result.LagVersions = change(lagSum) / max(change(lagCount), 1)
	result.BytesPerDecision = change(publishedBytes) / max(change(publishedDecisions), 1)
}

// iterations waits for the end of the learner's first iteration after the given time.
func (t *training) iterations(ctx context.Context, after time.Duration) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	games, _ := t.learner.Totals()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		now, _ := t.learner.Totals()
		if time.Since(began) < after {
			games = now
		} else if now != games {
			return nil
		}
	}
}

// totals reads the roles' metrics: counters by name, with the value of a label after a
// slash, and the sum and count of histograms.
func (t *training) totals() (map[string]float64, error) {
	families, err := t.registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	totals := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			name := family.GetName()
			for _, label := range m.Label {
				name += "/" + label.GetValue()
			}
			totals[name] = m.GetCounter().GetValue()
			totals[name+"_sum"] = m.GetHistogram().GetSampleSum()
			totals[name+"_count"] = float64(m.GetHistogram().GetSampleCount())
		}
	}
	return totals, nil
}
