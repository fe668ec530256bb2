package messages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAssignedMatches(t *testing.T) {
	require.Equal(t, "matches.anna", AssignedKey("anna"))
	value, err := EncodeAssigned([]*Match{{Schema: SchemaVersion, Run: "evening", Id: "m-1", Sets: 5},
		{Schema: SchemaVersion, Id: "m-2"}})
	require.NoError(t, err)
	list, err := DecodeAssigned(value)
	require.NoError(t, err)
	require.Len(t, list, 2)
	var m Match
	require.NoError(t, Decode(list[0], &m))
	require.Equal(t, "m-1", m.Id)
	require.EqualValues(t, 5, m.Sets)
	none, err := EncodeAssigned(nil)
	require.NoError(t, err)
	list, err = DecodeAssigned(none)
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = DecodeAssigned([]byte("["))
	require.ErrorContains(t, err, "assigned matches: ")
	many, err := EncodeAssigned(make([]*Match, 0))
	require.NoError(t, err)
	require.JSONEq(t, `{"matches": []}`, string(many))
	_, err = EncodeAssigned([]*Match{{Schema: SchemaVersion}})
	require.NoError(t, err)
	full := make([]*Match, MaxAssigned+1)
	for i := range full {
		full[i] = &Match{Schema: SchemaVersion}
	}
	value, err = EncodeAssigned(full)
	require.NoError(t, err)
	_, err = DecodeAssigned(value)
	require.ErrorContains(t, err, "33 are more than 32")
}
