package league

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A snapshot with a right checksum and whatever state is restored or refused, and what was
// restored can be written again.
func FuzzSnapshot(f *testing.F) {
	w := newWorld(f, testConfig(), 3, 1)
	w.step(caughtUp{})
	w.learn(0)
	for range 10 {
		w.tick()
		w.play(0)
	}
	document, err := w.core.encodeSnapshot()
	require.NoError(f, err)
	var outer sealedState
	require.NoError(f, json.Unmarshal(document, &outer))
	f.Add([]byte(outer.State))
	f.Add([]byte(`{"schema":2,"run":"run","pairs":[{"a":"","b":"","done":[{"first":9,"sets":18446744073709551615}]}]}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		sum := sha256.Sum256(state)
		document, err := json.Marshal(sealedState{SHA256: hex.EncodeToString(sum[:]), State: state})
		if err != nil {
			return // not JSON
		}
		c := newTestCore(testConfig(), 3, false)
		if _, err := c.restoreFrom(document); err != nil {
			return
		}
		_, err = c.encodeSnapshot()
		require.NoError(t, err)
	})
}
