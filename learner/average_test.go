package learner

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
)

// TestAverageOfADrift: of weights that grow by 1 in each iteration, the average is as far behind as the formula says;
// with share 1 it is the plain mean.
func TestAverageOfADrift(t *testing.T) {
	for _, share := range []float64{1, 0.5, 0.1} {
		a := newAverage(share, []float32{0}, nil)
		const iterations = 2000
		mean := 0.0
		for i := 1; i <= iterations; i++ {
			a.follow([]float32{float32(i)})
			mean += (float64(i) - mean) / float64(i)
			if share == 1 {
				require.InEpsilon(t, mean, a.weights[0], 1e-4)
			}
		}
		require.InEpsilon(t, iterations-(iterations-1)*share/(1+share), a.weights[0], 1e-4, "share %g", share)
	}
	none := newAverage(0, []float32{0}, nil)
	none.follow([]float32{1})
	require.Nil(t, none)
}

// TestAverageReachesBackNoFurther: the average of a very long run still moves.
func TestAverageReachesBackNoFurther(t *testing.T) {
	a := newAverage(1, nil, &snapshot{Average: []float32{1}, Averaged: 1e9})
	a.follow([]float32{2})
	require.InDelta(t, 1+leastRate, a.weights[0], 1e-6)
}

// published returns the weights of an object.
func published(t *testing.T, o Options, object string) []float32 {
	t.Helper()
	data, err := o.Bus.GetObject(t.Context(), object)
	require.NoError(t, err)
	file, _, err := nn.Decode(data, func(string, []byte) (engine.Game, error) { return o.Game, nil })
	require.NoError(t, err)
	return file.Network.Weights
}

// newestPointer returns what the learner has published last.
func newestPointer(t *testing.T, l *Learner) *messages.Pointer {
	t.Helper()
	p, err := l.publisher.open(t.Context())
	require.NoError(t, err)
	return p
}

// TestAverageIsPublished: training games are played with the newest weights, and what the league freezes is their mean.
func TestAverageIsPublished(t *testing.T) {
	o := testOptions(t)
	o.Config.Average, o.Config.PPO.Samples = 1, 1<<20
	l, iterate := iterating(t, o)
	object, _ := newestPointer(t, l).Lasting()
	require.Equal(t, l.trainer.Published().Weights, published(t, o, object))
	sum := make([]float64, o.Layout.Size)
	for i := range 2 * liveObjects {
		require.NoError(t, iterate())
		for k, w := range l.trainer.Published().Weights {
			sum[k] += float64(w)
		}
		p := newestPointer(t, l)
		object, _ := p.Lasting()
		averaged := published(t, o, object)
		require.Equal(t, l.trainer.Published().Weights, published(t, o, p.Object))
		for k := range sum {
			require.InDelta(t, sum[k]/float64(i+1), averaged[k], 1e-5)
		}
	}
	names, err := o.Bus.ListObjects(t.Context())
	require.NoError(t, err)
	require.Len(t, names, 2*liveObjects, "two for each of the newest versions")
}

// TestAverageResumes: the average is that of the checkpoint bit for bit, begins with the weights where the checkpoint
// has none, and is left out when the settings want none any more.
func TestAverageResumes(t *testing.T) {
	o := testOptions(t)
	o.Config.Average, o.Config.PPO.Samples, o.Resume = 0.5, 1<<20, true
	l, iterate := iterating(t, o)
	for range 3 {
		require.NoError(t, iterate())
	}
	require.NotEqual(t, l.trainer.Published().Weights, l.average.weights)
	require.NoError(t, l.checkpoint())
	reopen := func(share float64) *Learner {
		o.Config.Average, o.Registerer = share, prometheus.NewRegistry()
		again, err := New(o)
		require.NoError(t, err)
		return again
	}
	require.Equal(t, l.average, reopen(0.5).average)
	off := reopen(0)
	require.Nil(t, off.average)
	off.count(func(c *counters) { c.Version++ })
	require.NoError(t, off.checkpoint())
	on := reopen(0.5)
	require.Equal(t, on.trainer.Published().Weights, on.average.weights)
	require.Zero(t, on.average.iterations)
}

// TestAverageBeginsAnew: after a setback or a reset nothing is left of the weights before it.
func TestAverageBeginsAnew(t *testing.T) {
	o := testOptions(t)
	o.Config.Average, o.Config.PPO.Samples = 0.5, 1<<20
	l, iterate := iterating(t, o)
	require.NoError(t, iterate())
	best := slices.Clone(l.trainer.Published().Weights)
	s := freezeBest(t, l)
	require.NoError(t, iterate())
	require.NotEqual(t, best, l.average.weights)
	l.setback.Store(declared(t, s))
	require.NoError(t, l.obey(t.Context()))
	require.Equal(t, best, l.average.weights)
	require.NoError(t, iterate())
	l.reset.Store(&messages.Reset{Agent: l.opts.Agent, Number: 1, Member: "main@1", Why: "test"})
	require.NoError(t, l.begin(t.Context()))
	require.Equal(t, o.Layout.Init(l.seed(1)), l.average.weights)
	require.Zero(t, l.average.iterations)
}
