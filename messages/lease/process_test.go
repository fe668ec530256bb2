//go:build unix

package lease

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/presence"
)

// brokerURL has the test binary become a process that holds the learner's lease.
const brokerURL = "CROUPIER_TEST_LEASE_BROKER"

func TestMain(m *testing.M) {
	if url := os.Getenv(brokerURL); url != "" {
		hold(url)
		return
	}
	os.Exit(m.Run())
}

// hold reports how it stands with the lease, a line for each change.
func hold(url string) {
	ctx := context.Background()
	b, err := bus.Connect(ctx, bus.NATSOptions{URL: url, Run: "test", Role: "test", Create: true, Log: quiet})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := Acquire(ctx, b.Roles(), messages.LearnerRole, fmt.Sprint("learner-", os.Getpid()), quiet)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held")
	fmt.Println(l.Wait(ctx))
}

// process is a process that wants the lease, or has it.
type process struct {
	*exec.Cmd
	lines chan string // closed when it has ended
}

func start(t *testing.T, url string) *process {
	p := &process{exec.Command(os.Args[0]), make(chan string, 8)}
	p.Env = append(os.Environ(), brokerURL+"="+url)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, testproc.Start(p.Cmd))
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	return p
}

// says waits for the next line, which must contain the text.
func (p *process) says(t *testing.T, text string, within time.Duration) {
	t.Helper()
	select {
	case line := <-p.lines:
		require.Contains(t, line, text)
	case <-time.After(within):
		require.Fail(t, "it says nothing", "expected %q", text)
	}
}

// TestProcessesOnABroker has real processes killed, refused, frozen and woken.
func TestProcessesOnABroker(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for two leases to expire")
	}
	server, err := broker.Start(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: quiet})
	require.NoError(t, err)
	t.Cleanup(server.Shutdown)
	const soon, expiry = time.Minute, presence.Lifetime + time.Minute

	killed := start(t, server.URL())
	killed.says(t, "held", soon)
	start(t, server.URL()).says(t, fmt.Sprintf("this run has a learner already: learner-%d, process", killed.Process.Pid),
		soon)

	require.NoError(t, killed.Process.Kill())
	frozen := start(t, server.URL())
	frozen.says(t, "held", expiry)

	require.NoError(t, frozen.Process.Signal(syscall.SIGSTOP))
	successor := start(t, server.URL())
	successor.says(t, "held", expiry)
	require.NoError(t, frozen.Process.Signal(syscall.SIGCONT))
	frozen.says(t, fmt.Sprintf("which is now learner-%d", successor.Process.Pid), soon)
	_, open := <-frozen.lines
	require.False(t, open, "it ends")

	again := start(t, server.URL())
	line := <-again.lines
	require.True(t, strings.Contains(line, ErrHeld.Error()), "started again, it is refused: %s", line)
	b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: server.URL(), Run: "test", Role: "test", Log: quiet})
	require.NoError(t, err)
	defer b.Close()
	renewals, err := b.Roles().Watch(t.Context(), messages.LeaseKey(messages.LearnerRole))
	require.NoError(t, err)
	for renewed := 0; renewed < 3; { // the first is what was there
		select {
		case line := <-successor.lines:
			require.Fail(t, "the successor must stay", line)
		case e := <-renewals:
			if e.Key == "" {
				continue
			}
			require.Contains(t, string(e.Value), fmt.Sprint("learner-", successor.Process.Pid))
			renewed++
		}
	}
}
