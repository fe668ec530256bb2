package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// runBroker executes the command and returns the URLs of clients and metrics, and a
// function that stops it and returns its exit status.
func runBroker(t *testing.T, args ...string) (url, metrics string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	root := newRootCommand(installed)
	root.SetErr(w)
	root.SetArgs(append([]string{"broker", "--json-logs"}, args...))
	done := make(chan error, 1)
	go func() {
		done <- root.ExecuteContext(ctx)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for url == "" && lines.Scan() {
		var line struct{ Msg, URL string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		switch line.Msg {
		case "metrics":
			metrics = line.URL
		case "broker ready":
			url = line.URL
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return url, metrics, func() int {
		cancel()
		if <-done != nil {
			return 1
		}
		return 0
	}
}

func TestBrokerCommand(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("secret\n"), 0o600))
	url, metrics, stop := runBroker(t, "--run", t.TempDir(), "--listen", "127.0.0.1:0", "--user", "me",
		"--password-file", password)
	require.NotEmpty(t, url)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b, err := bus.Connect(ctx, bus.NATSOptions{URL: "nats://me:secret@" + url[len("nats://"):], Run: "run", Role: "test",
		Create: true})
	require.NoError(t, err)
	defer b.Close()

	answer, err := http.Get(metrics)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Contains(t, string(body), "croupier_broker_connections 1\n")
	require.Contains(t, string(body), "croupier_broker_healthy 1\n")
	answer, err = http.Get(metrics[:len(metrics)-len("metrics")] + "healthz")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, b.Close())
	require.Zero(t, stop())
}

// Keys that cannot be reloaded are reported by the broker's health, which has no reason to fail: those before count.
func TestBrokerWithDamagedCredentialsSaysSo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys")
	status, _, stderr := croupier("", "broker", "credentials", "create", dir, "--run", "run")
	require.Zero(t, status, stderr)
	file := filepath.Join(dir, "broker.yaml")
	_, metrics, stop := runBroker(t, "--run", t.TempDir(), "--listen", "127.0.0.1:0", "--credentials", file)
	ask := func(path string) (status int, text string) {
		answer, err := http.Get(strings.TrimSuffix(metrics, "metrics") + path)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(body)
	}
	status, text := ask("healthz")
	require.Equal(t, []any{200, "ok\n"}, []any{status, text})
	whole := readFile(t, file)
	require.NoError(t, os.WriteFile(file, []byte("keys: [nonsense]"), 0o600))
	require.Eventually(t, func() bool { // a broker on a busy machine may meanwhile be unwell for other reasons
		status, text = ask("healthz")
		return status == 200 && strings.HasPrefix(text, "ok\ncredentials not read; the previous keys stay valid: ")
	}, time.Minute, 20*time.Millisecond)
	require.Contains(t, text, file)
	status, text = ask("livez")
	require.Equal(t, []any{200, "ok\n"}, []any{status, text})
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	require.Eventually(t, func() bool { _, text = ask("healthz"); return text == "ok\n" }, time.Minute,
		20*time.Millisecond)
	require.Zero(t, stop())
}

func TestBrokerCommandRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"no directory", nil, 2},
		{"two directories", []string{"--dir", "a", "--run", "b"}, 2},
		{"no memory", []string{"--dir", t.TempDir(), "--max-memory", "0"}, 2},
		{"port in use", []string{"--dir", t.TempDir(), "--listen", taken.Addr().String()}, 1},
		{"empty password", []string{"--dir", t.TempDir(), "--user", "me", "--password-file", empty}, 1},
		{"no cache", []string{"--leaf-of", "nats://hub:7422", "--leaf-cache", "0"}, 2},
		{"a leaf with a store", []string{"--leaf-of", "nats://hub:7422", "--dir", t.TempDir()}, 2},
		{"a leaf without a key", []string{"--leaf-of", "nats://hub:7422"}, 1},
		{"a leaf's key without a hub", []string{"--dir", t.TempDir(), "--leaf-key", empty}, 1},
		{"leaves without credentials", []string{"--dir", t.TempDir(), "--leaf-listen", "127.0.0.1:0"}, 1},
		{"half a cluster", []string{"--dir", t.TempDir(), "--cluster", "c"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, installed.run(t.Context(), append([]string{"broker"}, test.args...), nil, io.Discard,
				io.Discard))
		})
	}
}
