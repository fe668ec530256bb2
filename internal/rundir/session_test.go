package rundir

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStates(t *testing.T) {
	path := t.TempDir()
	state := func() State {
		s, err := ReadSession(path)
		require.NoError(t, err)
		return StateOf(path, s, "learner")
	}
	require.Equal(t, Ended, state(), "a run of a version that wrote no sessions")
	require.NoFileExists(t, filepath.Join(path, "learner.lock"), "asking leaves nothing behind")
	lock, err := Lock(path, "learner")
	require.NoError(t, err)
	require.NoError(t, Begin(path))
	require.Equal(t, Running, state())
	require.NoError(t, lock.Close()) // as when its process is killed
	require.Equal(t, Interrupted, state())
	require.NoError(t, End(path, ""))
	require.Equal(t, Ended, state())
	s, err := ReadSession(path)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), s.Ended, time.Minute)

	for _, wrong := range []string{"{", `{"schema": 2}`} {
		require.NoError(t, os.WriteFile(filepath.Join(path, "session.json"), []byte(wrong), 0o600))
		_, err = ReadSession(path)
		require.ErrorContains(t, err, "session.json")
		require.Error(t, End(path, ""))
	}
}

// Asking whether a lock is held does not keep anybody from getting it.
func TestAskingIsNoHindrance(t *testing.T) {
	path := t.TempDir()
	stop := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				Held(path, "learner")
			}
		}
	})
	for range 100 {
		lock, err := Lock(path, "learner")
		require.NoError(t, err)
		require.True(t, Held(path, "learner"))
		require.NoError(t, lock.Close())
	}
	close(stop)
	asking.Wait()
}

func TestReach(t *testing.T) {
	path := t.TempDir()
	_, err := ReadReach(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	want := Reach{URL: "nats://me:secret@localhost:4222", CA: "/ca.pem"}
	remove, err := WriteReach(path, want)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(path, "broker.json"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "it may hold a password")
	got, err := ReadReach(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	remove()
	_, err = ReadReach(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(path, "broker.json"), []byte("{"), 0o600))
	_, err = ReadReach(path)
	require.ErrorContains(t, err, "broker.json")
}
