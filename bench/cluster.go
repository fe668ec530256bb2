package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/cluster"
	"croupier/nn/kernel"
	"croupier/settings"
)

// ClusterOptions say how whole clusters are measured.
type ClusterOptions struct {
	Length time.Duration // measured after the warm-up
	WarmUp time.Duration
	Slices int      // parts of Length, whose rates give the spread
	Set    []string // settings of all runs
}

// r128 are the settings of the network R128.
var r128 = []string{"network.dense=[128]", "network.lstm=[128]"}

// clusters lists the runs that are measured, as far as the processor has their precision.
var clusters = []struct {
	net       string
	precision kernel.Precision
	set       []string // assignments of settings
}{
	{"dense2x64", kernel.FP32, []string{"network.dense=[64, 64]"}},
	{"R128", kernel.FP32, r128},
	{"R128", kernel.BF16, r128},
}

// Clusters measures whole clusters in this process, as croupier train runs them. In a
// profile the labels "net" and "precision" distinguish them.
func (o *Options) Clusters(ctx context.Context) ([]Cluster, error) {
	var results []Cluster
	for _, c := range clusters {
		if !slices.Contains(precisions(), c.precision) {
			continue
		}
		result := Cluster{Game: o.Game, Net: c.net, Precision: c.precision.String()}
		set := slices.Concat(c.set, []string{"learner.precision=" + result.Precision}, o.Cluster.Set)
		var err error
		pprof.Do(ctx, pprof.Labels("net", c.net, "precision", result.Precision), func(ctx context.Context) {
			err = o.cluster(ctx, &result, set)
		})
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		results = append(results, result)
	}
	return results, nil
}

// cluster runs one cluster in a run directory of its own and measures it.
func (o *Options) cluster(ctx context.Context, result *Cluster, set []string) error {
	dir, err := os.MkdirTemp("", "croupier-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plan, err := cluster.Run{
		Catalog: o.Catalog, Dir: filepath.Join(dir, "run"), Game: result.Game, Changes: settings.Changes{Set: set},
	}.Plan(ctx)
	if err != nil {
		return err
	}
	c, err := cluster.Open(ctx, plan, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	group, running := errgroup.WithContext(ctx)
	running, stop := context.WithCancel(running)
	group.Go(func() error { return c.Run(running) })
	group.Go(func() error {
		defer stop()
		return (&watched{c}).measure(running, o, result)
	})
	return group.Wait()
}

// watched is a running cluster that is being measured.
type watched struct{ *cluster.Cluster }

// measure measures the cluster. The measured time begins and ends with an iteration of the
// learner, which counts its samples all at once.
func (t *watched) measure(ctx context.Context, o *Options, result *Cluster) error {
	b := &o.Cluster
	name := fmt.Sprintf("cluster: %s with %s, %s", result.Game, result.Net, result.Precision)
	o.Progress(name + ": warm-up")
	if err := t.iterations(ctx, b.WarmUp); err != nil {
		return err
	}
	first, err := t.totals()
	if err != nil {
		return err
	}
	const consumed = gamesByFate + "consumed"
	var rates, shares []float64
	last, whole := first, StartWatch()
	for slice := range b.Slices {
		o.Progress(fmt.Sprintf("%s: %v of %v", name, b.Length*time.Duration(slice)/time.Duration(b.Slices), b.Length))
		watch := StartWatch()
		if err := t.iterations(ctx, b.Length/time.Duration(b.Slices)); err != nil {
			return err
		}
		now, err := t.totals()
		// In a very short time nothing may have been decided, published or learnt from, but the rates need some.
		for err == nil && (now[decisionsMade] == last[decisionsMade] ||
			slice == b.Slices-1 && (now[publishedDecisions] == first[publishedDecisions] || now[consumed] == first[consumed])) {
			if err = t.iterations(ctx, 0); err == nil {
				now, err = t.totals()
			}
		}
		if err != nil {
			return err
		}
		seconds, share := watch.Stop(runtime.NumCPU())
		rates = append(rates, (now[decisionsMade]-last[decisionsMade])/seconds)
		shares = append(shares, share)
		last = now
	}
	result.Spread = NewSpread(rates, shares)
	result.Seconds, result.CPUShare = whole.Stop(runtime.NumCPU())
	fillCluster(result, func(metric string) float64 { return last[metric] - first[metric] })
	return nil
}

// Metrics by which a cluster is measured, as totals names them.
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

// fillCluster computes the result from the change of each metric during result.Seconds.
func fillCluster(result *Cluster, change func(metric string) float64) {
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

// iterations waits for the end of the learner's first iteration after the given time has
// passed.
func (t *watched) iterations(ctx context.Context, after time.Duration) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	games, _ := t.Trained()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		now, _ := t.Trained()
		if time.Since(began) < after {
			games = now
		} else if now != games {
			return nil
		}
	}
}

// totals reads the roles' metrics, summed over learning agents: counters by name, followed by a slash and the value
// for each other label, and the sums and counts of histograms.
func (t *watched) totals() (map[string]float64, error) {
	families, err := t.Metrics().Gather()
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	totals := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			name := family.GetName()
			for _, label := range m.Label {
				if label.GetName() != "agent" {
					name += "/" + label.GetValue()
				}
			}
			totals[name] += m.GetCounter().GetValue()
			totals[name+"_sum"] += m.GetHistogram().GetSampleSum()
			totals[name+"_count"] += float64(m.GetHistogram().GetSampleCount())
		}
	}
	return totals, nil
}
