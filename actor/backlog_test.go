package actor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A broker that is slow to answer is asked less often.
func TestBacklogPause(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, BacklogPause(50*time.Microsecond))
	require.Equal(t, 2*time.Second, BacklogPause(100*time.Millisecond))
}
