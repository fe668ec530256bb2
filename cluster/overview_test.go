package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// What was in flight when the learner was killed is lost, and what only those weights had learnt from with it.
func TestFallenLedger(t *testing.T) {
	l := fallen(&messages.Ledger{Consumed: 70, Trained: 60, Checkpointed: 50, Lost: 3})
	require.EqualValues(t, 23, l.Lost)
	require.EqualValues(t, 50, l.Consumed)
	require.EqualValues(t, 50, l.Trained)
	require.EqualValues(t, 50, l.Checkpointed)
}
