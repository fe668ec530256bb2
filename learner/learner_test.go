package learner

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/engine/kuhn"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func exploitability(t *testing.T, n *nn.Network) float64 {
	t.Helper()
	tree, err := solver.NewTree(kuhn.Game{}, solver.MaxNodes)
	require.NoError(t, err)
	s, err := solver.StrategyOf(tree, func() policy.Stochastic { return nn.NewPolicy(n) })
	require.NoError(t, err)
	return s.Exploitability()
}

func TestLearnsKuhnPoker(t *testing.T) {
	for name, d := range map[string]nn.Description{
		"feed-forward": {Dense: []int{32}},
		"recurrent":    {Dense: []int{16}, LSTM: []int{16}},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			o.Layout = testLayout(t, o.Game, d)
			o.Config.Samples, o.Config.Minibatch, o.Config.SequenceLength = 2048, 512, 8
			const versions = 100
			o.Config.Horizon = versions * 2048
			_, stop := start(t, o)
			a := newTestActor(t, o.Game, "actor-1")
			a.follow(t.Context(), o.Bus)
			before := exploitability(t, a.network)
			train(t, o, a, versions)
			require.NoError(t, stop())
			after := exploitability(t, a.network)
			t.Logf("exploitability from %.4f to %.4f", before, after)
			require.Greater(t, before, 0.3)
			require.Less(t, after, 0.08)
		})
	}
}

func TestResumeGoesOn(t *testing.T) {
	o := testOptions(t)
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	p := train(t, o, a, 3)
	require.NoError(t, stop())
	first, err := l.trainer.snapshot()
	require.NoError(t, err)
	require.NotEqual(t, first.Weights, first.Magnet)

	_, err = New(withRegistry(o))
	require.ErrorContains(t, err, "resume", "a directory with checkpoints is not overwritten")

	o.Resume = true
	l, stop = start(t, withRegistry(o))
	second, err := l.trainer.snapshot()
	require.NoError(t, err)
	require.Equal(t, first, second, "weights, moments, steps and random stream are the same bits")
	a.follow(t.Context(), o.Bus)
	q := train(t, o, a, 1)
	require.NoError(t, stop())
	require.Equal(t, p.Version+2, q.Version, "one for the start and one for the iteration")
	require.Greater(t, q.Updates, p.Updates)
	require.Greater(t, q.Samples, p.Samples)
	require.Greater(t, q.Seconds, p.Seconds)
}

// withRegistry gives a second learner of a test its own metrics.
func withRegistry(o Options) Options {
	o.Registerer = prometheus.NewRegistry()
	return o
}
