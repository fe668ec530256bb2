//go:build nightly || long

package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFloodWithoutAKey has one actor send as much as a broker without keys takes while honest ones play. Such a broker
// cannot keep anybody out, but the flood is set aside, and others still get through.
func TestAFloodWithoutAKey(t *testing.T) {
	c := newCluster(t, "evening")
	c.broker()
	learner := c.role("learner", "kuhn")
	for range 2 {
		c.role("actor", "--actors", "1").hurry()
	}
	learner.hurry()
	quiet := watch(t, learner)
	b := connect(t, c, "")
	sent := flood(t, b)
	flooded := watch(t, learner)
	t.Logf("%v; %v beside a flood of %d MiB", quiet, flooded, sent()>>20)
	require.Greater(t, flooded.share(), 0.5, "the others wait for the learner to come to what they sent")
	requireAside(t, b)
}
