package actor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A broker that is slow to answer is asked less often.
func TestBacklogPause(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, BacklogPause(50*time.Microsecond))
	require.Equal(t, 100*time.Millisecond, BacklogPause(100*time.Millisecond))
	require.Equal(t, time.Second, BacklogPause(time.Minute))
}
