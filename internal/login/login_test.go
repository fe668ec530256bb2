package login

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

const secret = "0123456789abcdef"

var quiet = slog.New(slog.DiscardHandler)

// house is a door with a page behind it.
type house struct {
	t *testing.T
	*Door
	inside http.Handler
}

func newHouse(t *testing.T, o Options) *house {
	o.Log = quiet
	door, err := New(o)
	require.NoError(t, err)
	h := &house{t: t, Door: door}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/login", h.LogIn)
	mux.HandleFunc("POST /api/logout", h.LogOut)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Inside", strconv.FormatBool(Inside(r.Context())))
	})
	h.inside = h.Guard(func(r *http.Request) bool {
		return r.URL.Path == "/api/login" || r.URL.Path == "/api/logout" || r.URL.Path == "/open"
	}, mux)
	return h
}

// ask sends a request; headers are pairs.
func (h *house) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.inside.ServeHTTP(w, r)
	return w
}

// logIn comes in and returns the cookie as it is sent back.
func (h *house) logIn(proof string) string {
	h.t.Helper()
	w := h.ask("POST", "/api/login", proof)
	require.Equal(h.t, http.StatusNoContent, w.Code, w.Body)
	c := w.Result().Cookies()[0]
	require.True(h.t, c.HttpOnly)
	require.Equal(h.t, http.SameSiteStrictMode, c.SameSite)
	require.Equal(h.t, h.o.Secure, c.Secure)
	require.Equal(h.t, "croupier8080", c.Name)
	return c.Name + "=" + c.Value
}

func TestToken(t *testing.T) {
	h := newHouse(t, Options{Token: secret, Secure: true})
	w := h.ask("GET", "/league?x=1", "")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "/login?next=%2Fleague%3Fx%3D1", w.Header().Get("Location"))
	for _, path := range []string{"/api/run", "/metrics", "/runs/a/api/run"} {
		w = h.ask("GET", path, "")
		require.Equal(t, http.StatusUnauthorized, w.Code, path)
		require.JSONEq(t, `{"error": "log in first"}`, w.Body.String())
	}
	require.Equal(t, http.StatusUnauthorized, h.ask("POST", "/x", "").Code)
	w = h.ask("GET", "/open", "")
	require.Equal(t, []any{http.StatusOK, "false"}, []any{w.Code, w.Header().Get("Inside")})

	cookie := h.logIn(`{"token": "` + secret + `"}`)
	w = h.ask("GET", "/open", "", "Cookie", cookie)
	require.Equal(t, []any{http.StatusOK, "true"}, []any{w.Code, w.Header().Get("Inside")})
	require.Equal(t, http.StatusOK, h.ask("GET", "/api/run", "", "Cookie", cookie).Code)
	require.Equal(t, http.StatusUnauthorized, h.ask("GET", "/api/run", "", "Cookie", cookie+"0").Code)
	require.Equal(t, http.StatusUnauthorized, h.ask("GET", "/api/run", "", "Cookie", "croupier8080=").Code)
	require.Equal(t, http.StatusOK, h.ask("GET", "/metrics", "", "Authorization", "Bearer "+secret).Code)
	require.Equal(t, http.StatusUnauthorized, h.ask("GET", "/metrics", "", "Authorization", "Bearer "+secret+"0").Code)
	require.Equal(t, http.StatusUnauthorized, h.ask("GET", "/metrics", "", "Authorization", "Bearer ").Code)

	require.Equal(t, http.StatusNoContent, h.ask("POST", "/api/logout", "", "Cookie", cookie).Code)
	require.Equal(t, http.StatusUnauthorized, h.ask("GET", "/api/run", "", "Cookie", cookie).Code)
}

func TestLoginRefuses(t *testing.T) {
	for body, status := range map[string]int{
		`{"token": "wrong"}`: 401, `{}`: 401, `{"user": "ann", "password": "x"}`: 401, `{"token": ""}`: 401, `{`: 400,
		``: 400,
		`{"token": "` + strings.Repeat("x", maxBody) + `"}`: 400,
	} {
		h := newHouse(t, Options{Token: secret})
		require.Equal(t, status, h.ask("POST", "/api/login", body).Code, body)
	}
	h := newHouse(t, Options{Token: secret})
	require.Equal(t, 415, h.ask("POST", "/api/login", "token="+secret, "Content-Type",
		"application/x-www-form-urlencoded").Code)
}

// An address may be wrong a few times at once, then once in a while; others are not kept waiting for it.
func TestAttemptsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, Options{Token: secret})
		for range attemptsAtOnce {
			require.Equal(t, 401, h.ask("POST", "/api/login", `{"token": "wrong"}`).Code)
		}
		w := h.ask("POST", "/api/login", `{"token": "wrong"}`)
		require.Equal(t, 429, w.Code)
		require.NotEmpty(t, w.Header().Get("Retry-After"))
		for range 3 { // a client that knows the token is not kept out by those who do not
			require.Equal(t, 204, h.ask("POST", "/api/login", `{"token": "`+secret+`"}`).Code)
			require.Equal(t, 200, h.ask("GET", "/api/run", "", "Authorization", "Bearer "+secret).Code)
		}
		require.Equal(t, 429, h.ask("POST", "/api/login", `{"token": "wrong"}`).Code, "nor does it let them try again")
		require.Equal(t, 429, h.ask("GET", "/api/run", "", "Authorization", "Bearer wrong").Code)
		other := httptest.NewRequest("POST", "/api/login", strings.NewReader(`{"token": "`+secret+`"}`))
		other.RemoteAddr = "192.0.2.77:1"
		other.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.inside.ServeHTTP(answer, other)
		require.Equal(t, 204, answer.Code)
		time.Sleep(attemptInterval)
		require.Equal(t, 204, h.ask("POST", "/api/login", `{"token": "`+secret+`"}`).Code)
		for range 3 * attemptsAtOnce { // one that is right is not counted
			require.Equal(t, 200, h.ask("GET", "/api/run", "", "Authorization", "Bearer "+secret).Code)
		}
	})
}

// Somebody with a password of their own does not get further attempts at another's by it.
func TestOnesOwnPasswordGivesNoAttempts(t *testing.T) {
	var a attempts
	now := time.Now()
	for range attemptsAtOnce - 1 {
		require.Zero(t, a.begin("192.0.2.7", now))
	}
	for range 10 {
		require.Zero(t, a.begin("192.0.2.7", now))
		a.succeeded("192.0.2.7")
	}
	require.Zero(t, a.begin("192.0.2.7", now))
	require.Positive(t, a.begin("192.0.2.7", now))
}

// What is kept of strangers and sessions is bounded, and sessions end.
func TestDoorIsBounded(t *testing.T) {
	var a attempts
	now := time.Now()
	for i := range 3 * maxAddresses {
		require.Zero(t, a.begin(strconv.Itoa(i), now))
	}
	require.Len(t, a.free, maxAddresses)
	var s sessions
	for i := range maxSessions + 5 {
		require.NoError(t, s.add(strconv.Itoa(i), session{Ends: now.Add(time.Hour + time.Duration(i))}))
	}
	require.Len(t, s.known, maxSessions)
	_, first := s.of("0")
	_, last := s.of(strconv.Itoa(maxSessions))
	require.False(t, first)
	require.True(t, last)
	require.NoError(t, s.add("over", session{Ends: now.Add(-time.Second)}))
	_, over := s.of("over")
	require.False(t, over)
}

func TestAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::", "[::1]:8": "::", "@": "@",
	} {
		require.Equal(t, want, new(Door).address(&http.Request{RemoteAddr: remote}))
	}
}

// A client of a trusted proxy is who the proxy says; no other client is believed, also not through one.
func TestAddressBehindProxies(t *testing.T) {
	d := &Door{o: Options{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}}
	for _, test := range []struct {
		remote, want string
		chain        []string
	}{
		{"10.0.0.1:80", "192.0.2.7", []string{"192.0.2.7"}},
		{"10.0.0.1:80", "192.0.2.7", []string{"203.0.113.9, 192.0.2.7"}},            // the first was made up
		{"10.0.0.1:80", "192.0.2.7", []string{"203.0.113.9", "192.0.2.7,10.0.0.2"}}, // two proxies
		{"[::1]:80", "2001:db8:1:2::", []string{"2001:db8:1:2:3::4"}},
		{"10.0.0.1:80", "10.0.0.1", nil},
		{"10.0.0.1:80", "10.0.0.1", []string{"nonsense"}},
		{"198.51.100.1:80", "198.51.100.1", []string{"192.0.2.7"}}, // no proxy of ours
	} {
		r := &http.Request{RemoteAddr: test.remote, Header: http.Header{"X-Forwarded-For": test.chain}}
		require.Equal(t, test.want, d.address(r), test)
	}
}

// Sessions continue when the process starts again, but not those that were ended, nor those that came in by what no
// longer holds. The file lets no client in.
func TestSessionsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	users := filepath.Join(dir, "users")
	writeUsers(t, users, map[string]string{"ann": "correct horse"})
	known, err := ReadUsers(users, quiet)
	require.NoError(t, err)
	o := Options{Token: "0123456789abcdef", Users: known, Sessions: filepath.Join(dir, "sessions")}
	first := newHouse(t, o)
	ann, token, gone := first.logIn(`{"user": "ann", "password": "correct horse"}`),
		first.logIn(`{"token": "0123456789abcdef"}`),
		first.logIn(`{"token": "0123456789abcdef"}`)
	first.ask("POST", "/api/logout", "", "Cookie", gone)
	status := func(h *house, cookie string) int { return h.ask("GET", "/api/x", "", "Cookie", cookie).Code }
	again := newHouse(t, o)
	require.Equal(t, http.StatusOK, status(again, ann))
	require.Equal(t, http.StatusOK, status(again, token))
	require.Equal(t, http.StatusUnauthorized, status(again, gone))

	info, err := os.Stat(o.Sessions)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	text, err := os.ReadFile(o.Sessions)
	require.NoError(t, err)
	_, name, _ := strings.Cut(ann, "=")
	require.NotContains(t, string(text), name)
	require.NotContains(t, string(text), o.Token)

	o.Token = "another token, as long"
	writeUsers(t, users, map[string]string{"ann": "another password"})
	o.Users, err = ReadUsers(users, quiet)
	require.NoError(t, err)
	changed := newHouse(t, o)
	require.Equal(t, http.StatusUnauthorized, status(changed, ann))
	require.Equal(t, http.StatusUnauthorized, status(changed, token))

	require.NoError(t, os.WriteFile(o.Sessions, []byte("{"), 0o600))
	_, err = New(o)
	require.ErrorContains(t, err, o.Sessions)
}

// writeUsers writes a file of users with cheap hashes.
func writeUsers(t *testing.T, path string, passwords map[string]string) {
	t.Helper()
	text := "# people\n"
	for name, password := range passwords {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), minCost)
		require.NoError(t, err)
		text += name + ":" + string(hash) + "\n"
	}
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(len(text))*time.Second)))
}

// Sessions of a user end with the password, and without the user.
func TestUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	writeUsers(t, path, map[string]string{"ann": "correct horse", "bob": "battery staple"})
	users, err := ReadUsers(path, quiet)
	require.NoError(t, err)
	h := newHouse(t, Options{Users: users})
	for _, wrong := range []string{
		`{"user": "ann", "password": "battery staple"}`, `{"user": "eve", "password": "correct horse"}`, `{"user": "ann"}`,
	} {
		require.Equal(t, 401, h.ask("POST", "/api/login", wrong).Code, wrong)
	}
	ann := h.logIn(`{"user": "ann", "password": "correct horse"}`)
	bob := h.logIn(`{"user": "bob", "password": "battery staple"}`)
	inside := func(cookie string) bool {
		users.mutex.Lock()
		users.looked = time.Time{}
		users.mutex.Unlock()
		return h.ask("GET", "/api/run", "", "Cookie", cookie).Code == 200
	}
	require.True(t, inside(ann) && inside(bob))
	writeUsers(t, path, map[string]string{"ann": "another one", "bob": "battery staple", "cid": "a third"})
	require.False(t, inside(ann))
	require.False(t, inside(bob), "a hash is salted: the line is another one")
	bob = h.logIn(`{"user": "bob", "password": "battery staple"}`)
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n"), 0o600))
	require.NoError(t, h.Unread())
	require.True(t, inside(bob), "users stay as they were while the file is wrong")
	require.ErrorContains(t, h.Unread(), "users not read; the previous ones stay valid: "+path+": line 1: ")
	require.NoError(t, os.Remove(path))
	require.True(t, inside(bob))
	require.ErrorContains(t, h.Unread(), "no such file")
	writeUsers(t, path, map[string]string{"ann": "another one"})
	require.False(t, inside(bob))
	require.NoError(t, h.Unread())
	require.NoError(t, (&Door{}).Unread(), "a token alone is read once")
}

func TestUsersFileIsChecked(t *testing.T) {
	cheap, err := bcrypt.GenerateFromPassword([]byte("password"), bcrypt.MinCost)
	require.NoError(t, err)
	dear := strings.Replace(string(cheap), "$04$", "$31$", 1)
	fine := strings.Replace(string(cheap), "$04$", "$10$", 1)
	for text, problem := range map[string]string{
		"":                              "it is empty",
		"# nobody\n":                    "it has no user",
		"ann\n":                         "line 1: it is not NAME:HASH",
		"\nann:plain\n":                 "line 2: user ann: it is not NAME:HASH",
		"ann:" + string(cheap):          "the cost of the hash is 4, not in 10..14",
		"ann:" + dear:                   "the cost of the hash is 31, not in 10..14",
		"a b:" + fine:                   "invalid name",
		":" + fine:                      "invalid name",
		"ann:" + fine + "\nann:" + fine: "line 2: user ann appears twice",
	} {
		path := filepath.Join(t.TempDir(), "users")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := ReadUsers(path, quiet)
		require.ErrorContains(t, err, problem, text)
	}
	_, err = ReadUsers("/dev/zero", quiet)
	require.ErrorContains(t, err, "not a regular file")
}

func TestSetPassword(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	require.NoError(t, SetPassword(path, "ann", "correct horse"))
	require.NoError(t, SetPassword(path, "anna", "battery staple"))
	require.NoError(t, SetPassword(path, "ann", "another one"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	users, err := ReadUsers(path, quiet)
	require.NoError(t, err)
	_, right := users.check("ann", "another one")
	require.True(t, right)
	_, right = users.check("ann", "correct horse")
	require.False(t, right)
	_, right = users.check("anna", "battery staple")
	require.True(t, right)
	photo := filepath.Join(t.TempDir(), "photo.png")
	require.NoError(t, os.WriteFile(photo, []byte("\x89PNG\n\x00\x01"), 0o600))
	require.ErrorContains(t, SetPassword(photo, "ann", "correct horse"), photo+": line 1: ")
	left, err := os.ReadFile(photo)
	require.NoError(t, err)
	require.Equal(t, "\x89PNG\n\x00\x01", string(left), "a file of something else stays as it is")
	require.ErrorContains(t, SetPassword(path, "ann", "short"), "8 to 72 bytes")
	require.ErrorContains(t, SetPassword(path, "ann", strings.Repeat("x", 73)), "8 to 72 bytes")
	require.ErrorContains(t, SetPassword(path, "a:b", "correct horse"), "invalid name")
}

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	token, made, err := ReadToken(path)
	require.NoError(t, err)
	require.True(t, made)
	require.Len(t, token, 48)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	again, made, err := ReadToken(path)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, token, again)
	for _, text := range []string{"short", "two lines 0123456789\nabcdef0123456789"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err = ReadToken(path)
		require.ErrorContains(t, err, "a token is one line of 16 or more")
	}
}
