package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var answersAt = regexp.MustCompile(`answers at (http://\S+)/api/decide`)

// serving runs croupier serve until the test ends and returns the server's address.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	out := started(t, answersAt, append([]string{"serve", "--listen", "127.0.0.1:0", "-q"}, args...)...)
	return answersAt.FindStringSubmatch(out.String())[1]
}

// A server is asked about the position that advise prints as an example, and is an agent elsewhere.
func TestServe(t *testing.T) {
	address := serving(t, "trained", "--game", "kuhn")
	position := succeed(t, "", "advise", "kuhn", "--example")
	answer, err := http.Post(address+"/api/decide?seed=1", "application/json", strings.NewReader(position))
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, string(text))
	var decided struct{ Name string }
	require.NoError(t, json.Unmarshal(text, &decided))
	require.NotEmpty(t, decided.Name)
	request, err := http.NewRequest(http.MethodGet, address+"/healthz", nil)
	require.NoError(t, err)
	request.Host = "evil.example"
	refused, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	refused.Body.Close()
	require.Equal(t, http.StatusMisdirectedRequest, refused.StatusCode)

	require.Contains(t, succeed(t, "", "arena", "check", address+"/api/agent", "--game", "kuhn"), "plays whole games")
	require.Contains(t, succeed(t, "", "arena", address+"/api/agent", "trained", "--game", "kuhn", "--games", "200"),
		"kuhn: ratings in antes per game")
}

func TestServeRefuses(t *testing.T) {
	for _, test := range []struct {
		status int
		args   []string
		want   string
	}{
		{2, []string{"serve", "trained"}, "name the game with --game"},
		{2, []string{"serve", "trained", "--game", "chess"}, "chess"},
		{2, []string{"serve", "nobody", "--game", "kuhn"}, `unknown agent "nobody" of kuhn`},
		{2, []string{"serve", "trained", "--game", "kuhn", "--rate", "-1"}, "--rate must be at least 0"},
		{2, []string{"serve", "trained", "--game", "kuhn", "--connections", "0"}, "--connections at least 1"},
		{2, []string{"serve", "trained", "--game", "kuhn", "--listen", "0.0.0.0:0"}, "opens the server to other machines"},
	} {
		require.Contains(t, refused(t, test.status, test.args...), test.want)
	}
}
