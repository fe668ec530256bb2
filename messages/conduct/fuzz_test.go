package conduct

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A record that is read is written as the same.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"actor":"a-1","reason":"replay","detail":"x","offences":16,"by":"learner","since":"2026-11-24T12:00:00Z"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := Parse(value)
		if err != nil {
			require.Zero(t, r)
			return
		}
		written, err := json.Marshal(r)
		require.NoError(t, err)
		again, err := Parse(written)
		require.NoError(t, err)
		require.True(t, r.Since.Equal(again.Since))
		again.Since = r.Since
		require.Equal(t, r, again)
	})
}
