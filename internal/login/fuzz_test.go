package login

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file of users is read as names with hashes, or the error names the file and holds no hash. No password is
// changed with somebody else's.
func FuzzUsers(f *testing.F) {
	const hash = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
	f.Add("anna:" + hash + "\n# of the club\n\nben:" + hash + "\n")
	f.Add("anna:" + hash + "\nanna:" + hash)
	f.Add("anna:$2a$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy")
	f.Add("anna\xff:" + hash + "\r\n:x\n")
	f.Add("0123456789abcdef\n")
	f.Add("anna" + hash)
	f.Fuzz(func(t *testing.T, doc string) {
		path := filepath.Join(t.TempDir(), "users")
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
		hashes, err := parseFile(path)
		if err != nil {
			require.ErrorContains(t, err, path)
			if !strings.Contains(doc, hash+":") { // there it is a name
				require.NotContains(t, err.Error(), hash)
			}
		}
		var lines []string
		for name, hash := range hashes {
			require.NoError(t, checkName(name))
			lines = append(lines, name+":"+hash)
		}
		if err == nil {
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
			again, err := parseFile(path)
			require.NoError(t, err)
			require.Equal(t, hashes, again)
		}
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
		if token, made, err := ReadToken(path); err != nil {
			require.ErrorContains(t, err, path)
		} else {
			require.False(t, made)
			require.GreaterOrEqual(t, len(token), minToken)
		}
	})
}

// Whatever the file of sessions holds, only who knows a session's name is in, and the door opens or names the file.
func FuzzSessions(f *testing.F) {
	f.Add(`{"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08":{"proof":"x","ends":"2126-11-24T12:00:00Z"}}`, "x")
	f.Add(`{"":{}}`, "")
	f.Add(`null`, "session")
	f.Add(`[]`, `{"user":"anna","password":"12345678"}`)
	f.Fuzz(func(t *testing.T, doc, cookie string) {
		path := filepath.Join(t.TempDir(), "sessions")
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
		s := &sessions{file: path}
		if err := s.load(); err != nil {
			require.ErrorContains(t, err, path)
			return
		}
		_, in := s.of(cookie)
		require.Equal(t, in, !s.known[digest(cookie)].Ends.IsZero() && in)
		require.NoError(t, s.add("new", session{Proof: "p"}))
		require.NoError(t, s.end("new"))
		again := &sessions{file: path}
		require.NoError(t, again.load())
		require.Len(t, again.known, len(s.known))
	})
}

// Whatever is asked for and shown, no client comes in without the token.
func FuzzProofs(f *testing.F) {
	f.Add(`{"token":"x"}`, "croupier8080=abc", "Bearer x")
	f.Add(`{"user":"anna","password":"12345678"}`, "", "Basic YTpi")
	f.Add(`{"token":["x"]}`, "croupier8080=", "bearer")
	f.Fuzz(func(t *testing.T, body, cookie, authorization string) {
		if strings.Contains(body+cookie+authorization, secret) {
			return
		}
		door, err := New(Options{Token: secret, Log: quiet})
		require.NoError(t, err)
		h := &house{t: t, Door: door}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /api/login", h.LogIn)
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Inside", "true") })
		h.inside = h.Guard(func(r *http.Request) bool { return r.URL.Path == "/api/login" }, mux)
		w := h.ask("POST", "/api/login", body, "Cookie", cookie, "Authorization", authorization)
		require.GreaterOrEqual(t, w.Code, 400)
		require.Empty(t, w.Result().Cookies())
		w = h.ask("GET", "/league", "", "Cookie", cookie, "Authorization", authorization)
		require.Empty(t, w.Header().Get("Inside"))
	})
}
