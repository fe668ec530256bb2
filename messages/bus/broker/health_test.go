package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the server says of a stream that could not be written lasts; what it says of one that catches up passes by
// itself.
func TestOnlyWhatARestartHealsIsFinal(t *testing.T) {
	const stream = "JetStream stream '$G > CROUPIER_k_RESULTS' is not current: "
	for _, problem := range []string{
		stream + "stream write error: no space left on device", stream + "node write error: no space left on device",
		stream + "monitor goroutine not running", stream + "cluster node skew detected",
		"JetStream meta layer write error: no space left on device", "JetStream meta layer is not running",
	} {
		require.True(t, isFinal(problem), problem)
	}
	for _, problem := range []string{
		stream + "stream catching up", stream + "group node unhealthy", stream + "stream not found",
		stream + "group node missing",
		"JetStream has not established contact with a meta leader", "JetStream is not current with the meta leader",
		"JetStream is still recovering meta layer",
	} {
		require.False(t, isFinal(problem), problem)
	}
}
