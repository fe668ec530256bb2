package descriptors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	require.Positive(t, limit())
	require.LessOrEqual(t, limit(), unlimited)
	require.Equal(t, 1, Share(2*unlimited, 10), "a port with no connection at all would be none")
	require.Equal(t, 3, Share(1, 3))
	require.Equal(t, limit()/2, Share(2, unlimited))
}
