package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/platform"
)

// A run that ends at a processor time is as far as this process has used it, whatever the time on the wall.
func TestScheduleOfProcessorTime(t *testing.T) {
	const most = 100 * time.Millisecond
	s := &schedule{processor: most}
	require.True(t, s.bounded())
	require.Zero(t, s.used())
	require.Zero(t, s.progress(), "it has not begun")
	before := platform.ProcessorTime()
	s.begin()
	time.Sleep(2 * most)
	progress := s.progress()
	idle := (platform.ProcessorTime() - before).Seconds() / most.Seconds()
	require.LessOrEqual(t, progress, idle, "nobody has computed anything")
	for platform.ProcessorTime()-before < most*6/5 {
		continue
	}
	require.Equal(t, 1.0, s.progress())
	left, ok := s.left()
	require.True(t, ok)
	require.Zero(t, left)
}
