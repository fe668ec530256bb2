package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCreateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bank")
	want := Info{ID: "bank", Game: "bank", Seed: 1<<63 + 1, Created: time.Unix(7, 0).UTC(), Version: "v"}
	_, err := Create(path, want)
	require.NoError(t, err)
	got, err := ReadInfo(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = Create(path, want)
	require.ErrorContains(t, err, "--resume")
}

func TestDiscardUndoesCreate(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "runs", "bank")
	discard, err := Create(path, Info{})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(path, "nats"), 0o755))
	discard()
	require.NoDirExists(t, path)

	require.NoError(t, os.WriteFile(filepath.Join(parent, "mine"), nil, 0o644))
	discard, err = Create(parent, Info{})
	require.NoError(t, err)
	discard()
	require.FileExists(t, filepath.Join(parent, "mine"), "what was there before stays")
	require.NoError(t, CheckFree(parent))
}

func TestReadInfoErrors(t *testing.T) {
	path := t.TempDir()
	_, err := ReadInfo(path)
	require.ErrorIs(t, err, ErrNoRun)
	require.NoError(t, os.WriteFile(filepath.Join(path, "run.json"), []byte("{"), 0o644))
	_, err = ReadInfo(path)
	require.ErrorContains(t, err, "run.json")
	_, err = Create(path, Info{})
	require.ErrorContains(t, err, "run.json", "a damaged run is not overwritten")
}

func TestNewest(t *testing.T) {
	parent := t.TempDir()
	_, err := Newest(parent)
	require.ErrorContains(t, err, "--run")
	for i, name := range []string{"b", "c", "a"} {
		_, err := Create(filepath.Join(parent, name), Info{Created: time.Unix(int64(i%2), 0)})
		require.NoError(t, err)
	}
	newest, err := Newest(parent)
	require.NoError(t, err)
	require.Equal(t, "c", filepath.Base(newest))
}

func TestLockIsPerRole(t *testing.T) {
	path := t.TempDir()
	learner, err := Lock(path, "learner")
	require.NoError(t, err)
	league, err := Lock(path, "league")
	require.NoError(t, err)
	defer league.Close()
	_, err = Lock(path, "learner")
	require.ErrorContains(t, err, "is in use: another process is its learner")
	require.NoError(t, learner.Close())
	again, err := Lock(path, "learner")
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestID(t *testing.T) {
	for path, want := range map[string]string{"runs/bank-1": "bank-1", "/x/a.b c": "a-b-c"} {
		id, err := ID(path)
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	_, err := ID("/")
	require.Error(t, err)
}
