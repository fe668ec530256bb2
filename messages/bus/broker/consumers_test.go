package broker

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// A state as the server writes it is one, cut off anywhere it is none.
func TestConsumerStates(t *testing.T) {
	state := []byte{22, 2}
	for _, n := range []uint64{300, 400, 500, 700, 2} { // acknowledged, delivered, waiting
		state = binary.AppendUvarint(state, n)
	}
	state = binary.AppendVarint(state, 1_700_000_000)
	for _, n := range []uint64{3, 4} {
		state = binary.AppendUvarint(binary.AppendUvarint(state, n), n)
		state = binary.AppendVarint(state, -2)
	}
	state = binary.AppendUvarint(state, 1) // delivered again
	state = binary.AppendUvarint(binary.AppendUvarint(state, 3), 7)
	require.True(t, isConsumerState(state))
	for i := range state {
		require.False(t, isConsumerState(state[:i]), "%d bytes", i)
	}
	require.False(t, isConsumerState(append(state[:len(state):len(state)], 0)))
	require.True(t, isConsumerState([]byte{22, 2, 0, 0, 0, 0, 0, 0}), "nothing was delivered")
	require.False(t, isConsumerState([]byte{22, 2, 1, 0, 0, 0, 0, 0}), "acknowledged before it was delivered")
}
