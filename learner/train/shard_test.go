package train

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
)

func TestRangesMakeUpTheWhole(t *testing.T) {
	for _, n := range []int{0, 1, rangeSize, rangeSize + 1, 5*rangeSize - 1} {
		times := make([]int, n)
		workersOnly(2).share(n, func(first, end int) {
			require.Zero(t, first%rangeSize)
			for i := first; i < end; i++ {
				times[i]++
			}
		})
		for _, k := range times {
			require.Equal(t, 1, k)
		}
	}
}

func TestPartsOfAMinibatch(t *testing.T) {
	for _, c := range []struct {
		minibatch, workers int
		memory             bool
		parts              int
	}{
		{2048, 1, true, 8}, {2048, 2, true, 8}, {2048, 8, true, 8}, {2048, 12, true, 12}, {2048, 64, true, 16},
		{512, 2, true, 4},
		{100, 4, true, 1}, {1 << 20, 2, true, 8}, {2048, 1, false, 16}, {1024, 16, false, 8}, {1 << 20, 2, false, 16},
		{1 << 20, 20, false, 20},
	} {
		require.Equal(t, c.parts, partsOf(c.minibatch, c.workers, c.memory), "%+v", c)
	}
}

func TestLastShardsAreHalves(t *testing.T) {
	for _, c := range []struct {
		parts, rows int
		sizes       []int
	}{
		{8, 64, []int{8, 8, 8, 8, 8, 8, 4, 4, 4, 4}},
		{8, 62, []int{7, 8, 8, 8, 7, 8, 4, 4, 4, 4}},
		{8, 9, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{8, 3, []int{1, 1, 1}},
		{4, 32, []int{8, 8, 8, 4, 4}},
		{1, 5, []int{5}},
	} {
		d := &Descent{parts: c.parts, shards: make([]shard, shardsOf(c.parts))}
		rows := make([]row, c.rows)
		for i := range rows {
			rows[i].number = i
		}
		var sizes []int
		var all []row
		for _, s := range d.cut(rows) {
			sizes = append(sizes, len(s.rows))
			all = append(all, s.rows...)
		}
		require.Equal(t, c.sizes, sizes)
		require.Equal(t, rows, all)
	}
}

// newDescender returns a trainer of a network with more than two ranges of weights.
func newDescender(t *testing.T, workers int, change func(c *Config)) *ppo {
	game := leducGame(t)
	layout := testLayout(t, game, nn.Description{Dense: []int{160}, LSTM: []int{48}})
	require.Greater(t, layout.Size, 2*rangeSize)
	n, err := nn.NewNetwork(layout, layout.Init(5))
	require.NoError(t, err)
	c := DefaultConfig()
	c.SequenceLength, c.PPO.Minibatch, c.PPO.KLStop = 4, 1024, 0
	change(&c)
	tr, err := newPPO(c.PPO, Setup{c, []engine.Game{game}, n, 1, workers, nil, 0, nil})
	require.NoError(t, err)
	return tr
}

// TestWeightsDoNotDependOnTheWorkers: an iteration gives the same weights, moments and random
// stream to the bit, however many workers there are and whichever was faster.
func TestWeightsDoNotDependOnTheWorkers(t *testing.T) {
	var want *State
	var wanted Report
	for _, workers := range []int{1, 2, 3, 8} {
		tr := newDescender(t, workers, func(*Config) {})
		rep, err := tr.Learn(t.Context(), randomRollout(t, leducGame(t), 2400), 0)
		require.NoError(t, err)
		require.Greater(t, tr.Progress(), uint64(rep.Updates),
			"every minibatch is progress, however long the iteration takes")
		rep.UpdateTime = 0
		got, err := tr.Snapshot()
		require.NoError(t, err)
		if want == nil {
			want, wanted = got, rep
		}
		require.Equal(t, want, got, "%d workers", workers)
		require.Equal(t, wanted, rep)
	}
	require.Greater(t, wanted.Updates, 8)
}

// TestPassThatIsNotMade: when the limit on KL ends an iteration in its first pass, the random
// stream is where it is without a second one, though that one has been packed.
func TestPassThatIsNotMade(t *testing.T) {
	var streams [][]byte
	for _, epochs := range []int{1, 4} {
		tr := newDescender(t, 2, func(c *Config) { c.PPO.KLStop, c.PPO.Epochs = 1e-9, epochs })
		rep, err := tr.Learn(t.Context(), randomRollout(t, leducGame(t), 2400), 0)
		require.NoError(t, err)
		require.True(t, rep.KLStopped)
		s, err := tr.Snapshot()
		require.NoError(t, err)
		streams = append(streams, s.RNG)
	}
	require.Equal(t, streams[0], streams[1])
}

// TestAnIterationThatEndsAnywhereIsReported: also between two passes, where the last one has no minibatch.
func TestAnIterationThatEndsAnywhereIsReported(t *testing.T) {
	r := randomRollout(t, leducGame(t), 600)
	for last := 1; ; last++ {
		tr := newDescender(t, 1, func(c *Config) { c.PPO.Minibatch, c.PPO.Epochs = 256, 2 })
		ctx, cancel := context.WithCancel(t.Context())
		g := &interrupting{gradienter: tr.workers[0].graph, last: last, interrupt: cancel}
		tr.workers[0].graph = g
		rep, err := tr.Learn(ctx, r, 0)
		cancel()
		require.NoError(t, err)
		for _, reading := range rep.Readings {
			require.False(t, math.IsNaN(reading.Value), "%s after %d gradients", reading.Series, last)
		}
		if g.calls < last {
			require.Greater(t, last, 8, "it has ended in many places")
			return
		}
	}
}

// TestGradientNorm: the norm by which gradients are clipped is that of all ranges.
func TestGradientNorm(t *testing.T) {
	d := newDescender(t, 2, func(*Config) {}).Descent
	w := &minibatch{d: d, shards: d.cut(make([]row, 100)), parts: len(d.firsts) - 1}
	n := float64(len(w.shards))
	fill := func() {
		for i := range w.shards {
			w.shards[i].gradient[0], w.shards[i].gradient[len(d.sum)-1] = 3, 4
		}
	}
	fill()
	w.Combine(AllPieces)
	require.EqualValues(t, 3*n, d.sum[0])
	require.EqualValues(t, 4*n, d.sum[len(d.sum)-1])
	rep := &Report{}
	require.NoError(t, d.step(2, rep))
	require.InDelta(t, 5*n/2, rep.GradientNorm, 1e-9)
	fill()
	w.shards[0].gradient[0] = float32(math.NaN())
	w.Combine(AllPieces)
	require.ErrorIs(t, d.step(2, rep), ErrUnsound)
}
