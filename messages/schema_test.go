package messages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessagesHaveTheSchemaOfTheRun(t *testing.T) {
	data, err := Encode(&Pointer{Version: 3})
	require.NoError(t, err)
	var back Pointer
	require.NoError(t, Decode(data, &back))
	require.EqualValues(t, OldestSchema, back.Schema)
	require.EqualValues(t, 3, back.Version)
}

func TestSchemasThatAreNotRead(t *testing.T) {
	for _, version := range []uint32{OldestSchema - 1, SchemaVersion + 1} {
		require.ErrorContains(t, WriteSchema(version), "run another version of it")
		require.EqualValues(t, OldestSchema, WrittenSchema())
		data, err := Encode(&Pointer{})
		require.NoError(t, err)
		data[1] = byte(version)
		var refusal *Refusal
		require.ErrorAs(t, Decode(data, &Pointer{}), &refusal)
		require.Equal(t, ReasonSchema, refusal.Reason)
	}
}
