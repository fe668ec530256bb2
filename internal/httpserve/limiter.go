package httpserve

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// grace is how long a connection may be without a request before it makes room for
// another: the first request arrives right behind its connection, the next one soon
// after an answer.
const grace = 250 * time.Millisecond

// limiter is a listener that keeps at most that many connections open.
//
// A connection waits for its client until its next request is there, with its body as far as the handler wants to read
// it. However slowly a request comes, it makes room for another meanwhile.
type limiter struct {
	net.Listener
	most int

	mu      sync.Mutex
	changed *sync.Cond // a connection is closed or waits for its client, or the end has come
	ended   bool
	open    map[net.Conn]waiting
}

// waiting says since when a connection has waited for its client, the zero time while it does not, and whether a part
// of a request is there.
type waiting struct {
	since time.Time
	begun bool
}

func newLimiter(l net.Listener, most int) *limiter {
	limited := &limiter{Listener: l, most: most, open: map[net.Conn]waiting{}}
	limited.changed = sync.NewCond(&limited.mu)
	return limited
}

// Accept returns the next connection when there is room for it.
func (l *limiter) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.most && !l.ended {
		idlest, since := l.idlest()
		switch wait := grace - time.Since(since); {
		case idlest == nil:
			l.changed.Wait()
		case wait > 0:
			time.AfterFunc(wait, l.changed.Broadcast)
			l.changed.Wait()
		default:
			l.shed(idlest)
		}
	}
	if l.ended {
		c.Close()
		return nil, net.ErrClosed
	}
	l.open[c] = waiting{since: time.Now()}
	return c, nil
}

// idlest returns the connection that has waited for its client for longest, nil if none does. The caller holds mu.
func (l *limiter) idlest() (idlest net.Conn, since time.Time) {
	for c, w := range l.open {
		if !w.since.IsZero() && (idlest == nil || w.since.Before(since)) {
			idlest, since = c, w.since
		}
	}
	return idlest, since
}

// shed closes a connection. The caller holds mu.
func (l *limiter) shed(c net.Conn) {
	delete(l.open, c)
	c.Close()
}

// note receives the state of a connection from the server.
func (l *limiter) note(c net.Conn, state http.ConnState) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, open := l.open[c]
	switch {
	case !open: // it was shed
	case state == http.StateActive: // the first byte of a request is there
		l.open[c] = waiting{time.Now(), true}
	case state == http.StateIdle:
		l.open[c] = waiting{since: time.Now()}
		l.changed.Broadcast()
	case state == http.StateClosed || state == http.StateHijacked:
		delete(l.open, c)
		l.changed.Broadcast()
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// remember puts a connection into the contexts of its requests.
func remember(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// watch notes of every request that it is there, and when its body is waited for.
func (l *limiter) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connKey{}).(net.Conn)
		l.waits(c, time.Time{})
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &arriving{r.Body, l, c, time.Now()}
		}
		next.ServeHTTP(w, r)
	})
}

// waits notes since when a connection waits for its client, the zero time: it does not.
func (l *limiter) waits(c net.Conn, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.open[c]; open { // else it was shed
		l.open[c] = waiting{since, true}
		if !since.IsZero() {
			l.changed.Broadcast()
		}
	}
}

// arriving is the body of a request that began to be read at some time.
type arriving struct {
	io.ReadCloser
	limiter *limiter
	conn    net.Conn
	began   time.Time
}

func (a *arriving) Read(p []byte) (int, error) {
	a.limiter.waits(a.conn, a.began)
	defer a.limiter.waits(a.conn, time.Time{})
	return a.ReadCloser.Read(p)
}

// end closes the connections that have no part of a request, for which a server that shuts down
// would wait, and lets no more in.
func (l *limiter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for c, w := range l.open {
		if !w.begun {
			l.shed(c)
		}
	}
	l.changed.Broadcast()
}
