//go:build long

package growth

import "testing"

// TestGrowthOfAMonth has a run work for thirty days of a fake clock.
func TestGrowthOfAMonth(t *testing.T) { grow(t, 30, 1) }
