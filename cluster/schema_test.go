package cluster

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// beatOf is a heartbeat of a process that reads schemas up to the given one.
func beatOf(t *testing.T, key string, reads uint32) bus.Entry {
	t.Helper()
	data, err := messages.Encode(&messages.Status{Reads: reads})
	require.NoError(t, err)
	return bus.Entry{Key: key, Value: data}
}

// The oldest process that is there decides, and one that is away for a moment counts.
func TestTheSchemaIsThatOfTheOldestProcess(t *testing.T) {
	const newest = messages.SchemaVersion
	r := readers{reads: map[string]uint32{}}
	now := time.Now()
	present := uint32(newest - 1) // as if the run were of the schema before
	require.NoError(t, r.note(beatOf(t, "learner.1", newest)))
	require.NoError(t, r.note(bus.Entry{Key: messages.LeaseKey(messages.LearnerRole), Value: []byte("{}")}))
	r.reads["actor.old"] = newest - 1
	require.Equal(t, present, r.next(now.Add(2*settled), present))

	require.NoError(t, r.note(bus.Entry{Key: "actor.old"}))
	require.Equal(t, present, r.next(now, present))
	require.Equal(t, present, r.next(now.Add(settled-time.Second), present))
	r.reads["actor.old"] = newest - 1
	require.Equal(t, present, r.next(now.Add(settled+time.Second), present))
	require.NoError(t, r.note(bus.Entry{Key: "actor.old"}))
	require.Equal(t, present, r.next(now.Add(2*settled), present))
	require.EqualValues(t, newest, r.next(now.Add(3*settled), present))
}

func TestARunOfANewerSchemaIsLeftAlone(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, adoptSchema(ctx, b, func(error) {}), "a run without a schema")
	cancel()
	require.NoError(t, raise(t.Context(), b, messages.SchemaVersion+1))
	require.ErrorContains(t, adoptSchema(t.Context(), b, nil), "this program reads version")
	_, err := b.State().Put(t.Context(), messages.SchemaKey, []byte("many"))
	require.NoError(t, err)
	require.ErrorContains(t, adoptSchema(t.Context(), b, nil), "the run's schema")

	_, err = b.State().Put(t.Context(), messages.SchemaKey, strconv.AppendInt(nil, messages.SchemaVersion, 10))
	require.NoError(t, err)
	ended := make(chan error, 1)
	require.NoError(t, adoptSchema(t.Context(), b, func(err error) { ended <- err }))
	require.NoError(t, raise(t.Context(), b, messages.SchemaVersion+1))
	require.ErrorContains(t, <-ended, "run another version of it")
}
