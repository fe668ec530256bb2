package cli

import (
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate/certtest"
	"croupier/internal/login"
)

// healthOf returns what asks about the health of a process.
func healthOf(t *testing.T, address string) func() (status int, text string) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	return func() (int, string) {
		answer, err := client.Get(address + "/healthz")
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
}

// requireTold damages files, once the process is at work: health says so until they are whole again. The process stays
// healthy, since what was read before counts.
func requireTold(t *testing.T, ask func() (status int, text string), damaged map[string]string) {
	t.Helper()
	require.Eventually(t, func() bool {
		status, text := ask()
		return status == http.StatusOK && text == "ok\n"
	}, patience, 20*time.Millisecond)
	refused := ""
	health := func() string {
		status, text := ask()
		if status != http.StatusOK {
			refused = text
		}
		return text
	}
	whole := map[string][]byte{}
	for file := range damaged {
		whole[file] = readFile(t, file)
		require.NoError(t, os.WriteFile(file, []byte("nonsense\n"), 0o600))
	}
	require.Eventually(t, func() bool {
		text := health()
		for file, words := range damaged {
			if !strings.Contains(text, "\n"+words) || !strings.Contains(text, file) {
				return false
			}
		}
		return strings.HasPrefix(text, "ok\n")
	}, patience, 20*time.Millisecond)
	for file, content := range whole {
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
	require.Eventually(t, func() bool { return health() == "ok\n" }, patience, 20*time.Millisecond)
	require.Empty(t, refused)
}

// Whatever shows a page says in its health which files it cannot read again: users, and a certificate.
func TestHealthTellsWhatCannotBeReadAgain(t *testing.T) {
	address := regexp.MustCompile(`(https://[^\s/]+)`)
	const before = "certificate not read; the previous one stays valid: "
	for name, args := range map[string][]string{
		"directory of runs": {"web", "--runs", t.TempDir()},
		"agent":             {"serve", "trained", "--game", "kuhn"},
		"training":          {"train", "kuhn", "--run", filepath.Join(t.TempDir(), "evening"), "--actors", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert, key := certtest.New(t).Issue(t, 1, time.Hour)
			users := filepath.Join(t.TempDir(), "people")
			require.NoError(t, login.SetPassword(users, "ann", "correct horse"))
			args := append(args, "--listen", "127.0.0.1:0", "--https-cert", cert, "--https-key", key, "--users", users)
			out := started(t, address, args...)
			requireTold(t, healthOf(t, address.FindStringSubmatch(out.String())[1]),
				map[string]string{cert: before, users: "users not read; the previous ones stay valid: "})
		})
	}
	t.Run("broker", func(t *testing.T) {
		t.Parallel()
		cert, key := certtest.New(t).Issue(t, 1, time.Hour)
		_, metrics, stop := runBroker(t, "--run", t.TempDir(), "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
		requireTold(t, healthOf(t, strings.TrimSuffix(metrics, "/metrics")), map[string]string{cert: before})
		require.Zero(t, stop())
	})
}
