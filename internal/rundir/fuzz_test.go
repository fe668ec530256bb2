package rundir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is read of a run's own documents is written again as the same; errors name the file.
func FuzzDocuments(f *testing.F) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, v := range []any{
		Info{ID: "r", Game: "pig", Seed: 1, Created: now, Order: 3, Version: "v", Kind: Tournament},
		Session{Schema: 1, Began: now, Ended: now, Until: []string{"optimal"}, Reached: "optimal"},
		Reach{URL: "nats://127.0.0.1:4222", Credentials: "/run/broker.nk"},
	} {
		doc, err := json.Marshal(v)
		require.NoError(f, err)
		f.Add(doc)
	}
	f.Add([]byte(`{"schema":2}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		dir := t.TempDir()
		put := func(name string) string {
			path := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(path, doc, 0o600))
			return path
		}
		path := put("run.json")
		if info, err := ReadInfo(dir); err != nil {
			require.ErrorContains(t, err, path)
		} else {
			written, err := json.Marshal(info)
			require.NoError(t, err)
			var again Info
			require.NoError(t, json.Unmarshal(written, &again))
			require.True(t, info.Created.Equal(again.Created))
			again.Created = info.Created
			require.Equal(t, info, again)
		}
		path = put(SessionFile)
		if s, err := ReadSession(dir); err != nil {
			require.ErrorContains(t, err, path)
			require.Zero(t, s)
		} else {
			require.NoError(t, writeSession(dir, s))
			again, err := ReadSession(dir)
			require.NoError(t, err)
			require.Equal(t, s.Until, again.Until)
			require.Equal(t, s.Reached, again.Reached)
			_ = StateOf(dir, s, "learner")
		}
		path = put(reachFile)
		if r, err := ReadReach(dir); err != nil {
			require.ErrorContains(t, err, path)
		} else {
			_, err := WriteReach(dir, r)
			require.NoError(t, err)
			again, err := ReadReach(dir)
			require.NoError(t, err)
			require.Equal(t, r, again)
		}
	})
}
