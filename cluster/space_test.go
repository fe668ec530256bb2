package cluster

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/space"
	"croupier/settings"
)

// A disk that fills up by and by never stops a run: it is reported at /healthz and in the learner's state, the
// broker refuses before a stream is frozen, and training continues by itself when there is room.
func TestDiskFillsUpAndIsFreed(t *testing.T) {
	const limit = 64 << 20
	var free atomic.Uint64
	free.Store(4 * limit)
	plan, err := Run{Catalog: standard.Games,
		Dir: filepath.Join(t.TempDir(), "kuhn"), Game: "kuhn",
		Changes: settings.Changes{Set: []string{"learner.ppo.samples=1024", "actor.tables=8", "learner.workers=1"}},
	}.Plan(t.Context())
	require.NoError(t, err)
	plan.Settings.Disk = space.Config{
		MinFreeBytes: limit, Read: func(string) (uint64, uint64, error) { return free.Load(), 1 << 40, nil },
	}
	listener, _, err := ListenPage("127.0.0.1:0", true)
	require.NoError(t, err)
	c, err := Open(t.Context(), plan, Options{Workers: 1, Page: Page{Listener: listener}})
	require.NoError(t, err)
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	health := func(status int, words string) {
		t.Helper()
		require.Eventually(t, func() bool {
			answer, err := http.Get("http://" + listener.Addr().String() + "/healthz")
			if err != nil {
				return false
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			return err == nil && answer.StatusCode == status && len(words) <= len(text) && string(text[:len(words)]) == words
		}, time.Minute, 20*time.Millisecond, "%d %s", status, words)
	}
	trains := func(games uint64) bool { now, _ := c.Trained(); return now > games }
	require.Eventually(t, func() bool { return trains(1000) }, time.Minute, 10*time.Millisecond)
	health(200, "ok\n")

	free.Store(limit - 1)
	health(200, "ok\ndisk nearly full: 64 MiB are left")
	games, _ := c.Trained()
	require.Eventually(t, func() bool { return trains(games) }, time.Minute, 10*time.Millisecond, "training continues")

	free.Store(limit / 4)
	health(503, "disk nearly full: 16 MiB are left")
	require.NoError(t, c.embedded.Healthy(), "watchBroker would give it up")
	require.Empty(t, ended)

	free.Store(4 * limit)
	health(200, "ok\n")
	games, _ = c.Trained()
	require.Eventually(t, func() bool { return trains(games) }, time.Minute, 10*time.Millisecond, "it continues by itself")
	stop()
	require.NoError(t, <-ended)
}

func TestRoomLeft(t *testing.T) {
	warning, err := roomLeft(nil)
	require.NoError(t, err)
	require.Empty(t, warning)
	warning, err = roomLeft(&space.NearlyFullError{Path: "runs/a", Free: 3 << 20, Limit: 4 << 20, Level: space.Low})
	require.NoError(t, err)
	require.Equal(t, "disk nearly full: 3 MiB are left for runs/a, the limit is 4 MiB", warning)
	_, err = roomLeft(&space.NearlyFullError{Level: space.Critical})
	require.Error(t, err)
}
