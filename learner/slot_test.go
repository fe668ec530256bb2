package learner

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// deaf is a bus that, while lost is set, loses the answers to updates of State, which are
// carried out only if writes is set: the caller's time runs out.
type deaf struct {
	bus.Bus
	writes, lost bool
}

func (d *deaf) State() bus.KV { return deafKV{d.Bus.State(), d} }

type deafKV struct {
	bus.KV
	bus *deaf
}

func (kv deafKV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if !kv.bus.lost {
		return kv.KV.Update(ctx, key, value, revision)
	}
	if kv.bus.writes {
		if _, err := kv.KV.Update(ctx, key, value, revision); err != nil {
			return 0, err
		}
	}
	return 0, context.DeadlineExceeded
}

// A learner that gave up waiting for the answer to a publication does not mistake its own
// pointer for another learner's.
func TestLostAnswersAreNoOtherLearner(t *testing.T) {
	o := testOptions(t)
	d := &deaf{Bus: o.Bus}
	o.Bus = d
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	for _, writes := range []bool{true, false, true, false} {
		d.lost, d.writes = true, writes
		for range 2 {
			require.NoError(t, l.announce(t.Context()), "a publication without an answer is followed by the next")
			require.ErrorIs(t, l.settle(t.Context()), context.DeadlineExceeded)
			require.True(t, l.unpublished)
		}
		d.lost = false
		require.NoError(t, settled(t, l, l.announce(t.Context())))
		require.False(t, l.unpublished)
	}
	entry, err := o.Bus.State().Get(t.Context(), messages.PointerKey(messages.LearningAgent))
	require.NoError(t, err)
	pointer := &messages.Pointer{}
	require.NoError(t, messages.Decode(entry.Value, pointer))
	require.Equal(t, l.newest.Load(), pointer.Version)

	_, err = o.Bus.State().Put(t.Context(), messages.PointerKey(messages.LearningAgent), []byte("another's"))
	require.NoError(t, err)
	require.ErrorIs(t, settled(t, l, l.announce(t.Context())), bus.ErrTaken)
}
