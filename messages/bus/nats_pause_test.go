//go:build unix

package bus_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

func TestExperienceWaitsWhenTooMuchIsInFlight(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	b := connect(t, bus.NATSOptions{URL: process.url})
	ctx := t.Context()
	require.NoError(t, b.Publish(ctx, bus.Experience, "actor", []byte("x")))

	require.NoError(t, process.cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(process.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "it takes the signal when it is scheduled next")
	sent := 0
	for ; sent < 1000; sent++ {
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		err := b.Publish(short, bus.Experience, "actor", []byte("x"))
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
	}
	require.Greater(t, sent, 10)
	require.Less(t, sent, 200)

	process.kill()
	process.start()
	lost := 0
	soon(t, "the failures come back", func() bool {
		var unacknowledged *bus.UnacknowledgedError
		err := b.Publish(ctx, bus.Experience, "actor", []byte("x"))
		if err != nil {
			require.ErrorAs(t, err, &unacknowledged)
			lost += unacknowledged.Count
		}
		return lost >= 10
	})
	require.LessOrEqual(t, lost, sent+1)
}
