package external

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const secret = "a-token-that-nobody-guesses"

// credentials names a file with these lines to the process.
func credentials(t *testing.T, lines ...string) {
	path := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	t.Setenv(CredentialsVariable, path)
}

func TestTokenOfAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var message json.RawMessage
		require.NoError(t, json.NewDecoder(r.Body).Decode(&message))
		line, _ := respond("polite", message)
		fmt.Fprint(w, line)
	}))
	defer server.Close()
	game := gameOf(t, "kuhn")
	_, err := Open(t.Context(), game, server.URL)
	require.ErrorContains(t, err, "401 Unauthorized: it requires a token: the file that CROUPIER_CREDENTIALS names has none")
	credentials(t, "# servers", "", "https://elsewhere.example "+secret, server.URL+" "+secret)
	log := filepath.Join(t.TempDir(), "log")
	a, err := Open(t.Context(), game, "http(log="+log+"):"+server.URL+"/api/agent")
	require.NoError(t, err)
	playOn(t, a, game, 3)
	require.Empty(t, a.Conduct())
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	require.NotContains(t, string(text), secret)
	credentials(t, "https://elsewhere.example "+secret)
	_, err = Open(t.Context(), game, server.URL)
	require.ErrorContains(t, err, "401", "another server's token is not sent")
	credentials(t, server.URL+" wrong-"+secret)
	_, err = Open(t.Context(), game, server.URL)
	require.ErrorContains(t, err, "401")
	require.NotContains(t, err.Error(), secret)
}

func TestTokensAreOfTheirServer(t *testing.T) {
	credentials(t, "https://a.example one", "https://b.example:8443 two", "http://127.0.0.1:9 three",
		"http://[::1]:9 four",
		"http://c.example five", "http://localhost six")
	for server, token := range map[string]string{
		"https://a.example/x": "one", "https://A.EXAMPLE:443": "one", "https://a.example:8443": "",
		"https://b.example:8443/": "two",
		"https://b.example":       "", "http://127.0.0.1:9/api": "three", "http://[::1]:9": "four", "http://a.example:443": "",
		"http://localhost:80": "six", "https://a.example.evil": "",
	} {
		got, err := tokenFor(server)
		require.NoError(t, err)
		require.Equal(t, token, got, server)
	}
	_, err := tokenFor("http://c.example/")
	require.ErrorContains(t, err, "line 5: the token would travel in the clear: use https")
	require.NotContains(t, err.Error(), "five")
	for _, line := range []string{secret, "https://a.example", "a.example " + secret, "https://a.example a b",
		"ftp://a.example " + secret} {
		credentials(t, "", line)
		_, err := tokenFor("https://z.example")
		require.ErrorContains(t, err, "line 2 must look like https://HOST:PORT TOKEN", line)
		require.NotContains(t, err.Error(), secret)
	}
	t.Setenv(CredentialsVariable, filepath.Join(t.TempDir(), "none"))
	_, err = tokenFor("https://a.example")
	require.ErrorContains(t, err, "CROUPIER_CREDENTIALS: ")
	_, err = Parse("https://user:" + secret + "@a.example")
	require.ErrorContains(t, err, "a name must not contain a password")
}
