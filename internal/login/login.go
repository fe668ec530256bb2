// Package login lets into a page those who know a token or a password.
//
// A Door guards a handler. A visitor who proves by POST /api/login that they may come in gets a cookie with the random
// name of a session, which other sites cannot make a browser send (SameSite=Strict) and scripts cannot read (HttpOnly).
// Machines send the token with each request instead (Authorization: Bearer). Attempts are limited for each address, and
// so is the processor time that checking passwords takes.
package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"croupier/internal/strict"
)

const (
	// sessionLife is how long a session lasts, and maxSessions how many there are at most; then the oldest ends.
	sessionLife = 7 * 24 * time.Hour
	maxSessions = 4096
	// maxBody bounds what is read of somebody who has not come in yet.
	maxBody = 4 << 10
)

// Options say who may come in: those who know the token, or are users. At least one of them is given.
type Options struct {
	Token string // "": none
	Users *Users // nil: none
	// Secure has browsers send the cookie only over TLS.
	Secure bool
	// Proxies are the addresses of reverse proxies that say in X-Forwarded-For for whom they ask. Behind any other
	// one, all clients have one address, whose attempts are limited together.
	Proxies []netip.Prefix
	// Sessions is the file that keeps sessions when the process starts again; "": they end with it.
	Sessions string
	Log      *slog.Logger
}

// Door guards handlers. It may be shared by goroutines.
type Door struct {
	o        Options
	sessions sessions
	attempts attempts
	checks   chan struct{} // a slot for each password that is being compared
}

// New returns a door.
func New(o Options) (*Door, error) {
	d := &Door{o: o, checks: make(chan struct{}, 2)}
	d.sessions.file = o.Sessions
	return d, d.sessions.load()
}

// Unread reports why the file of users, as it is now, does not count; nil while it does, or where there is none.
func (d *Door) Unread() error {
	if d == nil || d.o.Users == nil {
		return nil
	}
	return d.o.Users.Unread()
}

// Ways says by what one can come in.
func (d *Door) Ways() (token, users bool) { return d.o.Token != "", d.o.Users != nil }

type insideKey struct{}

// Inside reports whether the request of a context is of somebody who has come in; without a Door, everybody has.
func Inside(ctx context.Context) bool {
	inside, guarded := ctx.Value(insideKey{}).(bool)
	return inside || !guarded
}

// Guard passes on the requests of those who have come in, and free ones. Others are sent to /login, or told 401 where
// they ask for no page.
func (d *Door) Guard(free func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside, wait := d.admits(r)
		switch {
		case inside || free(r):
			passed := r.WithContext(context.WithValue(r.Context(), insideKey{}, inside))
			next.ServeHTTP(w, passed)
			r.Pattern = passed.Pattern // for the counter of requests
		case wait > 0:
			tooMany(w, wait)
		case r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "/api/") && r.URL.Path != "/metrics":
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="croupier"`)
			refuse(w, http.StatusUnauthorized, errors.New("log in first"))
		}
	})
}

// admits reports whether a request is of somebody who has come in; wait is how long the address of one with a wrong
// token is not listened to.
func (d *Door) admits(r *http.Request) (inside bool, wait time.Duration) {
	if s, found := d.sessions.of(cookie(r)); found {
		return d.valid(s), 0
	}
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found || d.o.Token == "" {
		return false, 0
	}
	if d.right(token) {
		return true, 0
	}
	return false, d.attempts.begin(d.address(r), time.Now())
}

// right reports whether somebody knows the token, which is too long to be guessed. So it is compared before attempts
// are counted: a client that knows it comes in also from an address that others try from.
func (d *Door) right(token string) bool { return d.o.Token != "" && same(token, d.o.Token) }

// valid reports whether what a session came in by still holds.
func (d *Door) valid(s session) bool {
	if s.User == "" {
		return d.o.Token != "" && same(digest(d.o.Token), s.Proof)
	}
	if d.o.Users == nil {
		return false
	}
	hash, found := d.o.Users.hash(s.User)
	return found && same(digest(hash), s.Proof)
}

// LogIn answers {"token": T} or {"user": U, "password": P} with the cookie of a session.
func (d *Door) LogIn(w http.ResponseWriter, r *http.Request) {
	var proof struct{ Token, User, Password string }
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, errors.New("questions are application/json"))
		return
	}
	if err := decoder.Decode(&proof); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("the login: %w", strict.PlainJSON(err)))
		return
	}
	s := session{Ends: time.Now().Add(sessionLife), Proof: digest(d.o.Token)}
	known := d.right(proof.Token)
	counted := !known
	if counted {
		if wait := d.attempts.begin(d.address(r), time.Now()); wait > 0 {
			tooMany(w, wait)
			return
		}
	}
	if proof.Token == "" && d.o.Users != nil {
		select {
		case d.checks <- struct{}{}:
			var hash string
			hash, known = d.o.Users.check(proof.User, proof.Password)
			s.User, s.Proof = proof.User, digest(hash)
			<-d.checks
		case <-r.Context().Done():
			return
		}
	}
	if !known {
		d.o.Log.Warn("login refused", "address", d.address(r))
		refuse(w, http.StatusUnauthorized, errors.New("wrong user, password or token"))
		return
	}
	if counted {
		d.attempts.succeeded(d.address(r))
	}
	name := hex.EncodeToString(random())
	if err := d.sessions.add(name, s); err != nil {
		d.o.Log.Warn("sessions are not kept: they end with this process", "error", err)
	}
	d.set(w, r, name, int(sessionLife.Seconds()))
	w.WriteHeader(http.StatusNoContent)
}

// LogOut ends the session of a request.
func (d *Door) LogOut(w http.ResponseWriter, r *http.Request) {
	if err := d.sessions.end(cookie(r)); err != nil {
		d.o.Log.Error("a session that was ended is still kept, and counts again when this process starts again", "error", err)
	}
	d.set(w, r, "", -1)
	w.WriteHeader(http.StatusNoContent)
}

func (d *Door) set(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: d.o.Secure, SameSite: http.SameSiteStrictMode,
	})
}

// cookieName holds the port, because cookies do not: two pages on one machine are two.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "croupier" + port
}

func cookie(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// address is that of the client, behind trusted proxies the last one that none of them has; all of a network of IPv6
// are one.
func (d *Door) address(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := from.Addr().Unmap()
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(chain) {
		before, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil || !d.trusts(ip) {
			break
		}
		ip = before.Unmap()
	}
	if network, err := ip.Prefix(64); err == nil && ip.Is6() {
		return network.Masked().Addr().String()
	}
	return ip.WithZone("").String()
}

// trusts reports whether an address is that of a proxy.
func (d *Door) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(d.o.Proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// NewToken returns a token that cannot be guessed.
func NewToken() string { return hex.EncodeToString(random()) }

func random() []byte {
	b := make([]byte, 24)
	rand.Read(b) // never fails
	return b
}

// digest is what is kept of a secret.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// same compares in a time that tells nothing of where two texts differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func tooMany(w http.ResponseWriter, wait time.Duration) {
	seconds := int(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	refuse(w, http.StatusTooManyRequests, fmt.Errorf("too many attempts: try again in %d seconds", seconds))
}

func refuse(w http.ResponseWriter, status int, err error) {
	data, _ := json.Marshal(map[string]string{"error": err.Error()}) // texts always marshal
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
