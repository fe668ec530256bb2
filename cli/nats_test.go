package cli

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/testport"
	"croupier/messages"
	"croupier/messages/bus"
)

// protected starts a broker with a password and returns its address.
func protected(t *testing.T) string {
	t.Helper()
	password := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("secret\n"), 0o600))
	url, _, stop := runBroker(t, "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--user", "me", "--password-file",
		password)
	require.NotEmpty(t, url)
	t.Cleanup(func() { require.Zero(t, stop()) })
	return strings.TrimPrefix(url, "nats://")
}

func TestRefusedByTheBroker(t *testing.T) {
	address := protected(t)
	dir := filepath.Join(t.TempDir(), "run")
	certificate := filepath.Join(t.TempDir(), "none.pem")
	for _, command := range [][]string{
		{"train", "kuhn", "--listen", "off"},
		{"learner", "kuhn", "--metrics", "off", "-q"},
		{"actor", "--metrics", "off", "-q"},
		{"league", "--metrics", "off", "-q"},
		{"web", "--metrics", "off", "--listen", "127.0.0.1:0", "-q"},
	} {
		for _, test := range []struct {
			url, want string
			more      []string
		}{
			{"nats://" + address, "Authorization Violation", nil},
			{"nats://me:wrong@" + address, "connect to NATS at nats://me:xxxxx@" + address, nil},
			{"nats://" + address, "none.creds: no such file", []string{"--creds", "none.creds"}},
			{"tls://" + address, "none.pem: no such file", []string{"--tls-ca", certificate}},
			{"nats://me:secret@" + address, "a client certificate needs its key", []string{"--tls-cert", certificate}},
			{"nats://me:secret@" + address, "2 replicas: it must be 1, 3 or 5", []string{"--replicas", "2"}},
			{"somewhere", `"somewhere" is not like nats://HOST:PORT`, nil},
		} {
			args := append(append(command, "--run", dir, "--nats", test.url), test.more...)
			message := refused(t, 1, args...)
			require.Contains(t, message, test.want, "%v", args)
			require.NotContains(t, message, "wrong")
			require.NotContains(t, message, "secret")
			require.NoDirExists(t, dir)
		}
	}
}

func TestRolesRefuse(t *testing.T) {
	dir := trained(t)
	nats := "nats://" + testport.Free(t) // what is wrong is seen before anything is asked of a broker
	require.Contains(t, refused(t, 2, "learner", "pig", "--run", dir, "--nats", nats), "is a run of kuhn, not of pig")
	require.Contains(t, refused(t, 2, "learner", "--run", filepath.Join(dir, "new"), "--nats", nats), "name a game; ")
	require.Contains(t, refused(t, 2, "learner", "kuhn", "--join", "--run", "evening", "--nats", nats),
		"game and settings are those of the run")
	require.Contains(t, refused(t, 2, "learner", "chess", "--run", filepath.Join(dir, "new"), "--nats", nats),
		"unknown game")
	require.Contains(t, refused(t, 2, "actor", "--run", dir, "--nats", nats, "--actors", "0"), "--actors 0")
	require.Contains(t, refused(t, 2, "actor", "--run", "/", "--nats", nats), "--run: run directory /")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for _, role := range []string{"learner", "actor", "league", "web"} {
		args := []string{role, "--run", dir, "--nats", nats, "--metrics", taken.Addr().String()}
		if role == "web" {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		require.Contains(t, refused(t, 1, args...), "--metrics "+taken.Addr().String()+": listen tcp ")
		status, _, stderr := croupier("", role, "--run", dir)
		require.Equal(t, 2, status)
		if role == "web" { // which without a broker shows all runs
			require.Contains(t, stderr, "--run and --metrics are for the broker of --nats")
		} else {
			require.Contains(t, stderr, "give --nats")
		}
	}
	require.Contains(t, refused(t, 1, "web", "--run", dir, "--nats", nats, "--listen", taken.Addr().String()),
		"--listen "+taken.Addr().String())
	require.NoDirExists(t, filepath.Join(dir, "new"))
}

// trainAt runs croupier train at a broker and returns its output when it ends.
func trainAt(t *testing.T, url, dir string) (ended <-chan string, status *int) {
	t.Helper()
	done := make(chan string, 1)
	status = new(int)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	go func() {
		var stdout, stderr bytes.Buffer
		*status = installed.run(ctx, trainArgs("kuhn", "--run", dir, "--nats", url), strings.NewReader(""), &stdout, &stderr)
		done <- stderr.String()
	}()
	return done, status
}

func TestTrainEndsWhenARoleFails(t *testing.T) {
	url := "nats://me:secret@" + protected(t)
	dir := filepath.Join(t.TempDir(), "run")
	ended, status := trainAt(t, url, dir)
	b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: url, Run: "run", Role: "test"})
	require.NoError(t, err)
	defer b.Close()
	// Actors that have weights play on with them, so that the learner publishes again.
	require.Eventually(t, func() bool {
		entry, err := b.State().Get(t.Context(), messages.PointerKey("main"))
		var pointer messages.Pointer
		return err == nil && messages.Decode(entry.Value, &pointer) == nil && pointer.Updates > 0
	}, time.Minute, 50*time.Millisecond)

	_, err = b.State().Put(t.Context(), messages.PointerKey("main"), []byte("of another learner"))
	require.NoError(t, err)
	stderr := <-ended
	require.Equal(t, 1, *status, stderr)
	require.Contains(t, stderr, "croupier: learner: ")
	require.Contains(t, stderr, "another learner is at work")
	require.NotEmpty(t, readManifest(t, dir).Checkpoints)

	// The broker now knows a run of that name, which no new run may take over.
	other := filepath.Join(t.TempDir(), "run")
	require.Contains(t, refused(t, 1, "train", "kuhn", "--listen", "off", "--run", other, "--nats", url),
		"the broker already has a run run")
	require.Contains(t, refused(t, 1, "learner", "kuhn", "-q", "--metrics", "off", "--run", other, "--nats", url),
		"the broker already has a run run")
	_, err = rundir.ReadInfo(other)
	require.ErrorIs(t, err, rundir.ErrNoRun)
	require.NoDirExists(t, other)
}
