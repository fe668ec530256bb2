package space

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

func TestLevels(t *testing.T) {
	level := Enough
	for _, step := range []struct {
		free uint64
		want Level
	}{
		{1000, Enough}, {100, Enough}, {99, Low}, {50, Low}, {49, Critical},
		{55, Critical}, {63, Low}, {120, Low}, {124, Low}, {125, Enough}, {0, Critical}, {1000, Enough},
	} {
		level = next(level, step.free, 100)
		require.Equal(t, step.want, level, "with %d free of 100", step.free)
	}
}

func TestDefaultLimit(t *testing.T) {
	for total, want := range map[uint64]uint64{20 << 20: 1 << 20, 1 << 40: 1 << 30} {
		w := &Watch{read: func(string) (uint64, uint64, error) { return total, total, nil }}
		w.look()
		require.Equal(t, want, w.low)
	}
}

func TestWatch(t *testing.T) { synctest.Test(t, watch) }

func watch(t *testing.T) {
	w := New(t.TempDir(), Config{})
	require.NotZero(t, w.free)
	var free, looks atomic.Uint64
	free.Store(1 << 30)
	fails := errors.New("stale file handle")
	w.read = func(string) (uint64, uint64, error) {
		looks.Add(1)
		if free.Load() == 7 {
			return 0, 0, fails
		}
		return free.Load(), 1 << 40, nil
	}
	w.limit = 64 << 20
	w.look()
	require.NoError(t, w.Problem())
	ctx, cancel := context.WithCancel(t.Context())
	levels, ended := make(chan Level, 10), make(chan struct{})
	go func() { defer close(ended); w.Run(ctx, func(l Level) { levels <- l }) }()
	free.Store(40 << 20)
	require.Equal(t, Low, <-levels)
	require.EqualError(t, w.Problem(), "disk nearly full: 40 MiB are left for "+w.path+", the limit is 64 MiB")
	free.Store(7) // does not say
	looked := looks.Load()
	time.Sleep(3 * Period)
	require.Greater(t, looks.Load(), looked+1)
	require.Equal(t, Low, w.Level())
	free.Store(1 << 20)
	require.Equal(t, Critical, <-levels)
	require.Equal(t, 2, testutil.CollectAndCount(w.Collector("run")))
	free.Store(1 << 30)
	require.Equal(t, Enough, <-levels)
	cancel()
	<-ended
	require.Error(t, Config{MinFreeBytes: -1}.Validate())
}
