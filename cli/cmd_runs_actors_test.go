package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Actors of a run that is over, or of none, cannot be asked for, and the reason is not a missing file.
func TestActorsWithoutABroker(t *testing.T) {
	dir := trained(t)
	require.Contains(t, refused(t, 1, "runs", "actors", "list", "--run", dir),
		dir+" is not running: start it, or name a broker with --nats")
	require.Contains(t, refused(t, 1, "runs", "actors", "lift", "anna", "--run", dir), "is not running")
	require.Contains(t, refused(t, 1, "runs", "actors", "list", "--run", t.TempDir()), "holds no run")
}
