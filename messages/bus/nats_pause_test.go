//go:build unix

package bus_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/bustest"
)

// freeze stops the process and returns when it has stopped: it takes the signal when it is scheduled next, and answers
// until then.
func (p *brokerProcess) freeze() {
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(p.t, err)
	require.True(p.t, status.Stopped())
}

func TestExperienceWaitsWhenTooMuchIsInFlight(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	b := connect(t, bus.NATSOptions{URL: process.url})
	ctx := t.Context()
	require.NoError(t, b.Publish(ctx, bus.Experience, "actor", []byte("x")))

	process.freeze()
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

// A role next to a broker that hangs ends: what still waits for the broker a time after the role was asked to stop
// fails, whatever it is, and so does what comes after it.
func TestABusEndsBesideABrokerThatHangs(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	connected, stop := context.WithCancel(t.Context())
	b, err := bus.Connect(connected, bus.NATSOptions{
		URL: process.url, Run: "test", Create: true, Limits: bustest.Limits(), Log: quiet, Farewell: 300 * time.Millisecond,
	})
	require.NoError(t, err)
	process.freeze()
	require.NoError(t, b.Publish(t.Context(), bus.Experience, "actor", []byte("x")))
	stop()
	_, err = b.State().Put(t.Context(), "key", []byte("x")) // without an end of its own
	require.ErrorIs(t, err, bus.ErrClosed)
	require.ErrorIs(t, b.Publish(t.Context(), bus.Results, "m.a", []byte("x")), bus.ErrClosed)
	var unacknowledged *bus.UnacknowledgedError
	require.ErrorAs(t, b.Close(), &unacknowledged)
	require.Equal(t, 1, unacknowledged.Count)
}
