package lease

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a lease's key holds names a holder, and one that was written is read as it was.
func FuzzHolder(f *testing.F) {
	doc, err := json.Marshal(Holder{ID: "1", Host: "h"})
	require.NoError(f, err)
	f.Add(doc)
	f.Add([]byte(`{"id":7}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		h := parse(value)
		written, err := json.Marshal(h)
		require.NoError(t, err)
		again, err := json.Marshal(parse(written))
		require.NoError(t, err)
		require.Equal(t, string(written), string(again))
	})
}
