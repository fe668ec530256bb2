package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/supervise"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/web/webtest"
)

// scratch holds what all tests of this package share.
var scratch string

// testProcess names the environment variable by which this program is croupier. The processes that tests start inherit
// it.
const testProcess = "CROUPIER_TEST_PROCESS"

// TestMain is croupier itself where a test wants it as a process of its own, to kill it.
func TestMain(m *testing.M) {
	supervise.Main()
	if os.Getenv(testProcess) != "" {
		os.Exit(installed.run(untilSignal(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	err := os.Setenv(testProcess, "1")
	if err == nil {
		err = flag.Set("test.parallel", "4") // they mostly wait; the command line, which is read later, may say otherwise
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if scratch, err = os.MkdirTemp("", "croupier-commands-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := webtest.Main{M: m}.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// quick are the flags of a run that is over soon: small iterations, few matches.
var quick = []string{
	"--listen", "off", "--actors", "1",
	"--set", "learner.ppo.samples=2048", "--set", "learner.ppo.minibatch=512", "--set", "learner.checkpoint_interval=1s",
	"--set", "league.reference_sets=10", "--set", "league.final_sets=10", "--set", "league.gate_sets=10",
}

func trainArgs(args ...string) []string {
	return append(append([]string{"train"}, args...), quick...)
}

var trainOnce = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "trained")
	// Enough games for a best version and more than one checkpoint.
	status, _, stderr := croupier("", trainArgs("kuhn", "--games", "40000", "--run", dir, "--seed", "5")...)
	if status != 0 {
		return "", fmt.Errorf("train: %d: %s", status, stderr)
	}
	return dir, nil
})

// trained returns a run directory of Kuhn poker of the test's own.
func trained(t *testing.T) string {
	t.Helper()
	once, err := trainOnce()
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(dir, os.DirFS(once)))
	return dir
}

// refused requires that a command fails with one line of explanation, and returns it.
func refused(t *testing.T, wantStatus int, args ...string) string {
	t.Helper()
	status, stdout, stderr := croupier("", args...)
	require.Equal(t, wantStatus, status, "%v: %s", args, stderr)
	require.Empty(t, stdout, "%v", args)
	require.Len(t, lines(stderr), 1, "%v: %s", args, stderr)
	require.Regexp(t, "^croupier: ", stderr)
	return stderr
}

// manifest is what the tests read of the list of checkpoints.
type manifest struct {
	Checkpoints []checkpoint
}

type checkpoint struct {
	File                             string
	Version, Updates, Samples, Games uint64
	Seconds                          float64
}

func (m manifest) newest() checkpoint { return m.Checkpoints[len(m.Checkpoints)-1] }

func readManifest(t *testing.T, dir string) manifest {
	t.Helper()
	var m manifest
	readJSON(t, filepath.Join(dir, "checkpoints", "manifest.json"), &m)
	require.NotEmpty(t, m.Checkpoints)
	return m
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, into), path)
}

// withBus opens the store of a run that is not at work.
func withBus(t *testing.T, dir, run string, look func(ctx context.Context, b bus.Bus)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	embedded, err := broker.Start(broker.Options{Dir: filepath.Join(dir, "nats")})
	require.NoError(t, err)
	defer embedded.Shutdown()
	b, err := bus.Connect(ctx, bus.NATSOptions{InProcess: embedded, Run: run, Role: "test", Create: true})
	require.NoError(t, err)
	defer b.Close()
	look(ctx, b)
}

// curves returns the points of a run's stream in the order of publication.
func curvesIn(t *testing.T, dir, run string) []*messages.Points {
	t.Helper()
	var out []*messages.Points
	withBus(t, dir, run, func(ctx context.Context, b bus.Bus) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := b.Read(ctx, bus.Curves, 1)
		require.NoError(t, err)
		for m := range stream {
			if m == nil {
				return
			}
			p := &messages.Points{}
			require.NoError(t, messages.Decode(m.Data(), p))
			out = append(out, p)
		}
	})
	return out
}
