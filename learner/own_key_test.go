package learner

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// deaf is a bus that, while lost is set, loses the answers to updates of State, which are
// carried out only if writes is set: the caller's time runs out. While late is set, it runs out with the first
// question after them, and while behind is set, a broker answers that does not know of them.
type deaf struct {
	bus.Bus
	writes, lost bool
	late, behind bool
	before       bus.Entry
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

func (kv deafKV) Get(ctx context.Context, key string) (bus.Entry, error) {
	switch {
	case kv.bus.late:
		return bus.Entry{}, context.DeadlineExceeded
	case kv.bus.behind:
		return kv.bus.before, nil
	}
	return kv.KV.Get(ctx, key)
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
			require.NoError(t, cmp.Or(l.announce(t.Context()), l.catchUp(t.Context())),
				"a publication without an answer is followed by the next")
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

// What cannot be looked up, or is looked up at a broker that is behind, is no other learner's either.
func TestWhatCannotBeLookedUpIsNoOtherLearner(t *testing.T) {
	d := &deaf{Bus: testOptions(t).Bus}
	s, kv := &ownKey{key: "k"}, d.State()
	write := func(value string) error { return s.write(t.Context(), kv, []byte(value)) }
	require.NoError(t, write("1"))
	for _, unknown := range []*bool{&d.late, &d.behind} {
		var err error
		d.before, err = kv.Get(t.Context(), "k")
		require.NoError(t, err)
		d.lost, d.writes = true, true
		require.ErrorIs(t, write("2"), context.DeadlineExceeded)
		d.lost, *unknown = false, true
		for range 2 {
			err := write("3")
			require.Error(t, err)
			require.False(t, permanent(err), err)
		}
		*unknown = false
		require.NoError(t, write("3"))
	}
	require.NoError(t, kv.Delete(t.Context(), "k"))
	require.ErrorIs(t, write("4"), bus.ErrTaken)
}
