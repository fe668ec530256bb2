package actor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A broker that is slow to answer is asked less often.
func TestBacklogPause(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, BacklogPause(50*time.Microsecond))
	require.Equal(t, 100*time.Millisecond, BacklogPause(100*time.Millisecond))
	require.Equal(t, time.Second, BacklogPause(time.Minute))
}

// A process that was frozen in the middle of a turn while the learner was behind took the 33 s for its own work
// and rested for several times as long.
func TestARestEndsWithTheLearnersNeedAndBeforeALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{lane: &lane{}, arenaShare: 0.2}
		took := func(turn time.Duration) time.Duration {
			began := time.Now()
			w.yield(t.Context(), turn)
			return time.Since(began)
		}
		w.lane.yields.Store(true)
		require.Equal(t, 40*time.Millisecond, took(10*time.Millisecond), "its share of the time")
		require.Equal(t, leaseTick, took(33*time.Second))
		time.AfterFunc(time.Second, func() { w.lane.yields.Store(false) })
		require.LessOrEqual(t, took(33*time.Second), time.Second+yieldTick)
	})
}
